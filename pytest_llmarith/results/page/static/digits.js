// Two numbers, with differing digits marked.

const commonEnds = (one, other) => {
  const shorter = Math.min(one.length, other.length);
  let head = 0;
  while (head < shorter && one[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  return [head, tail];
};

// Pieces of `text`: [characters, whether they differ]. Numbers of the same length are compared by position; of different
// lengths, the part between their common ends differs.
const differing = (text, other) => {
  if (text.length === other.length) {
    const pieces = [];
    [...text].forEach((character, place) => {
      const differs = character !== other[place];
      if (pieces.length && pieces.at(-1)[1] === differs) pieces.at(-1)[0] += character;
      else pieces.push([character, differs]);
    });
    return pieces;
  }
  const [head, tail] = commonEnds(text, other);
  const missing = text.length < other.length ? "·".repeat(Math.min(40, other.length - text.length)) : "";
  const middle = text.slice(head, text.length - tail) + missing;
  return [[text.slice(0, head), false], [middle, true], [text.slice(text.length - tail), false]];
};

const marked = (text, other) =>
  differing(text, other).filter(([piece]) => piece).map(([piece, differs]) => (differs ? element("mark", {}, spelled(piece)) : spelled(piece)));

const LONGEST_COMPARED = 400;

// The answer above the expected one; for screen readers the number of characters that differ.
const comparison = (answer, expected, most = LONGEST_COMPARED) => {
  const line = (what, ...content) => element("span", { class: "digits" }, element("span", { class: "what" }, what), " ", ...content);
  if (expected === undefined) return [];
  if (answer === undefined) return [line("answer", "none"), line("expected", brief(expected, most))];
  if (answer === expected) return [line("answer", brief(answer, most))];
  const [one, other] = [ends(answer)[0], ends(expected)[0]];
  if (Math.max(one.length, other.length) > most) return [line("answer", brief(answer, most)), line("expected", brief(expected, most))];
  const wrong = differing(one, other).reduce((sum, [piece, differs]) => sum + (differs ? piece.length : 0), 0);
  return [
    line("answer", marked(one, other), element("span", { class: "unseen" }, `, ${wrong} characters differ`)),
    line("expected", marked(other, one)),
  ];
};
