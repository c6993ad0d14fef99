// The details of one trial.

// Its answer and the expected one, or its scores.
const answerOf = (trial) => {
  if (trial.expected !== undefined) return comparison(trial, 80);
  return brief(trial.reason ?? (trial.scores ?? []).map((score) => score.join(": ")).join(", "), 160);
};

const block = (title, value) => [element("h3", {}, title), element("pre", { dir: "ltr", tabindex: "0", "aria-label": title }, shown(value))];

const factList = (facts) =>
  element("dl", { class: "facts" }, facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, shown(value)))));

const stepTable = (name, titles, rows) => {
  const header = titles.map((title) => element("th", { scope: "col" }, title));
  return element("div", { class: "wide", role: "group", tabindex: "0", "aria-label": name },
    element("table", { class: "steps" }, element("thead", {}, element("tr", {}, header)), element("tbody", {}, rows)));
};

const WORDS = ["status", "outcome"];
const RIGHT = ["ok", "correct"];

const partRow = (heads) => (cells) =>
  element("tr", {}, cells.map((cell, place) => {
    if (place === 0) return element("th", { scope: "row" }, brief(cell, 200));
    if (!WORDS.includes(heads[place])) return element("td", {}, brief(cell, 400));
    return element("td", { class: RIGHT.includes(cell) ? "word" : "word bad" }, brief(cell, 40));
  }));

const partOf = ({ title, facts = [], text, heads = [], rows = [] }) => [
  factList(facts),
  text ? block(title, text) : null,
  rows.length ? element("details", { open: rows.length <= 30 }, element("summary", {}, title), stepTable(title, heads, rows.map(partRow(heads)))) : null,
];

const isSame = (one, other) =>
  one.question !== undefined && one.question === other.question && ["task", "variant", "depth"].every((name) => one.by[name] === other.by[name]);

const asked = ({ by: { model, repeat } }) => (repeat ? `${model}, repeat ${repeat}` : model);

const modelRow = (trial) =>
  element("tr", {},
    element("th", { scope: "row" }, spelled(asked(trial))),
    element("td", {}, element("span", { class: `outcome ${trial.by.outcome}` }, trial.by.outcome)),
    element("td", {}, answerOf(trial)));

// The answer of a trial, beside those of other models and repeats to the same question.
const sideBySide = (trial, trials) => {
  const same = new Map(trials.filter((other) => isSame(trial, other)).map((other) => [asked(other), other]));
  same.set(asked(trial), trial); // instead of another trial that happens to have this question
  return same.size < 2 ? [element("div", {}, comparison(trial))] : [
    element("h3", {}, "All models, same question"),
    stepTable("All models, same question", ["model", "outcome", "answer"], [...same.values()].map(modelRow)),
  ];
};

const detailOf = (trial, trials) => [
  trial.reason ? factList([["why", trial.reason]]) : null,
  ...sideBySide(trial, trials),
  trial.probable ? element("p", { class: "digits" }, element("span", { class: "what" }, "probable"), " ", shaded(trial.probable),
    element("small", {}, ` ${trial.probable.map(([, percent]) => percent).join(", ")} %`)) : null,
  factList(trial.scores ?? []),
  ...(trial.parts ?? []).flatMap(partOf),
  trial.reply === undefined ? element("p", {}, "No reply text.") : block("Reply", trial.reply),
  trial.reasoning === undefined ? null : element("details", {}, element("summary", {}, "Reasoning"), block("Reasoning", trial.reasoning).at(1)),
  trial.prompt === undefined ? null : block("Prompt", trial.prompt),
  element("h3", {}, "Facts"),
  factList(trial.facts),
];
