// The details of one trial.

// Its answer and the expected one, or its scores.
const answerOf = (trial) => {
  if (trial.expected !== undefined) return comparison(trial, 80);
  return brief(trial.reason ?? (trial.program?.scores ?? []).map(([limit, score]) => `${score} within ${limit}`).join(", "), 160);
};

const block = (title, value) => [element("h3", {}, title), element("pre", { dir: "ltr", tabindex: "0", "aria-label": title }, shown(value))];

const factList = (facts) =>
  element("dl", { class: "facts" }, facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, shown(value)))));

const stepTable = (name, titles, rows) => {
  const header = titles.map((title) => element("th", { scope: "col" }, title));
  return element("div", { class: "wide", role: "group", tabindex: "0", "aria-label": name },
    element("table", { class: "steps" }, element("thead", {}, element("tr", {}, header)), element("tbody", {}, rows)));
};

const termRow = ([n, expected, got, status, seconds, stderr]) =>
  element("tr", {},
    element("th", { scope: "row" }, brief(n, 40)),
    element("td", {}, brief(expected, 200)),
    element("td", {}, brief(got, 200), stderr ? element("small", {}, brief(stderr, 400)) : null),
    element("td", { class: status === "ok" ? "word" : "word bad" }, brief(status, 40)),
    element("td", { class: "number" }, seconds));

const questionRow = ([question, outcome, reply], place) =>
  element("tr", {},
    element("th", { scope: "row" }, count(place + 1)),
    element("td", {}, brief(question, 200)),
    element("td", { class: outcome === "correct" ? "word" : "word bad" }, brief(outcome, 40)),
    element("td", {}, brief(reply ?? "not kept", 400)));

const programParts = ({ program }) =>
  program === undefined ? [] : [
    factList([...program.scores.map(([limit, score]) => [`score within ${limit}`, score]), ...program.facts]),
    program.text ? block("Program", program.text) : [],
    program.terms.length ? [element("h3", {}, "Terms"), stepTable("Terms", ["n", "expected", "got", "status", "seconds"], program.terms.map(termRow))] : [],
  ];

const searchParts = ({ search }) =>
  search === undefined ? [] : [
    factList(search.facts),
    element("details", {}, element("summary", {}, "All questions of the search"),
      stepTable("Questions of the search", ["", "question", "outcome", "reply"], search.steps.map(questionRow))),
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
  ...programParts(trial),
  ...searchParts(trial),
  trial.reply === undefined ? element("p", {}, "No reply text.") : block("Reply", trial.reply),
  trial.reasoning === undefined ? null : element("details", {}, element("summary", {}, "Reasoning"), block("Reasoning", trial.reasoning).at(1)),
  trial.prompt === undefined ? null : block("Prompt", trial.prompt),
  element("h3", {}, "Facts"),
  factList(trial.facts),
];
