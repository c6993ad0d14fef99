// Everything that is known of one trial.

const block = (title, value) => [element("h4", {}, title), element("pre", { dir: "ltr", tabindex: "0", "aria-label": title }, shown(value))];

const factList = (facts) =>
  element("dl", { class: "facts" }, facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, shown(value)))));

const termTable = (terms) => {
  const header = ["n", "expected", "got", "status", "seconds"].map((name) => element("th", { scope: "col" }, name));
  const rows = terms.map(([n, expected, got, status, seconds, stderr]) => {
    const fine = status === "ok";
    return element("tr", {},
      element("th", { scope: "row" }, brief(n ?? "-", 40)),
      element("td", {}, brief(expected ?? "-", 200)),
      element("td", {}, brief(got ?? "-", 200), stderr ? element("small", {}, brief(stderr, 400)) : null),
      element("td", { class: fine ? null : "bad" }, brief(status ?? "-", 40)),
      element("td", { class: "number" }, seconds ?? "-"));
  });
  return element("div", { class: "wide", role: "region", tabindex: "0", "aria-label": "Terms" },
    element("table", { class: "terms" }, element("thead", {}, element("tr", {}, header)), element("tbody", {}, rows)));
};

const programParts = (trial) => {
  if (trial.isolation === undefined) return [];
  const facts = [
    ...(trial.scores ?? []).map(([limit, score]) => [`score within ${limit}`, score]),
    ...trial.judges.map(([who, verdict, evidence]) => [who, evidence ? `${verdict}: ${ends(evidence)[0]}` : verdict]),
    ["sandbox", trial.isolation],
    ...(trial.detail ? [["found", trial.detail]] : []),
  ];
  return [
    factList(facts),
    trial.program ? block("Program", trial.program) : [],
    trial.terms.length ? [element("h4", {}, "Terms"), termTable(trial.terms)] : [],
  ];
};

const detailOf = (trial) => [
  trial.reason ? factList([["why", trial.reason]]) : null,
  element("div", {}, comparison(trial.answer, trial.expected)),
  ...programParts(trial),
  trial.reply === undefined ? element("p", {}, "No text came back.") : block("Reply", trial.reply),
  trial.reasoning === undefined ? null : element("details", {}, element("summary", {}, "Reasoning"), block("Reasoning", trial.reasoning).at(1)),
  trial.prompt === undefined ? null : block("Prompt", trial.prompt),
  element("h4", {}, "Facts"),
  factList(trial.facts),
];
