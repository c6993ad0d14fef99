// Two numbers, with differing digits marked. The page holds their pieces: [characters, whether they differ].

const marked = (pieces) => pieces.map(([text, differs]) => (differs ? element("mark", {}, spelled(text)) : spelled(text)));

// The tokens of an answer, shaded by how probable the model held them: [characters, percent].
const shaded = (tokens) => tokens.map(([text, percent]) =>
  element("span", { class: `probable p${Math.min(9, Math.floor(percent / 10))}`, title: `${percent} %` }, spelled(text)));

const widthOf = (pieces) => pieces.reduce((sum, [text]) => sum + text.length, 0);

// The answer above the expected one; for screen readers the number of characters that differ.
const comparison = ({ answer, expected, compared }, most = Infinity) => {
  const line = (what, ...content) => element("span", { class: "digits" }, element("span", { class: "what" }, what), " ", ...content);
  if (expected === undefined) return [];
  if (answer === expected) return [line("answer", brief(answer, most))];
  if (compared === undefined || widthOf(compared[0]) > most) return [line("answer", brief(answer ?? "none", most)), line("expected", brief(expected, most))];
  const wrong = widthOf(compared[0].filter(([, differs]) => differs));
  return [
    line("answer", marked(compared[0]), element("span", { class: "unseen" }, `, ${wrong} characters differ`)),
    line("expected", marked(compared[1])),
  ];
};
