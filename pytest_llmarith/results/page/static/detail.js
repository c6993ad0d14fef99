// The details of one trial.

const block = (title, value) => [element("h4", {}, title), element("pre", { dir: "ltr", tabindex: "0", "aria-label": title }, shown(value))];

const factList = (facts) =>
  element("dl", { class: "facts" }, facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, shown(value)))));

const stepTable = (name, titles, rows) => {
  const header = titles.map((title) => element("th", { scope: "col" }, title));
  return element("div", { class: "wide", role: "region", tabindex: "0", "aria-label": name },
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
    program.terms.length ? [element("h4", {}, "Terms"), stepTable("Terms", ["n", "expected", "got", "status", "seconds"], program.terms.map(termRow))] : [],
  ];

const searchParts = ({ search }) =>
  search === undefined ? [] : [
    factList(search.facts),
    element("details", {}, element("summary", {}, "All questions of the search"),
      stepTable("Questions of the search", ["", "question", "outcome", "reply"], search.steps.map(questionRow))),
  ];

const detailOf = (trial) => [
  trial.reason ? factList([["why", trial.reason]]) : null,
  element("div", {}, comparison(trial.answer, trial.expected)),
  ...programParts(trial),
  ...searchParts(trial),
  trial.reply === undefined ? element("p", {}, "No reply text.") : block("Reply", trial.reply),
  trial.reasoning === undefined ? null : element("details", {}, element("summary", {}, "Reasoning"), block("Reasoning", trial.reasoning).at(1)),
  trial.prompt === undefined ? null : block("Prompt", trial.prompt),
  element("h4", {}, "Facts"),
  factList(trial.facts),
];
