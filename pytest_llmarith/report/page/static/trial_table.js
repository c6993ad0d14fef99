// The trial table: form, rows, pages.

const PAGE = 25;
const PAUSE_MS = 250; // between the last key and the search

// On a phone rows are laid out as cards; roles keep them rows for screen readers.
const cell = (attributes, ...children) => element("td", { role: "cell", ...attributes }, ...children);

class TrialTable {
  #found = [];
  #page = 0;

  constructor(trials, filters) {
    this.trials = trials;
    this.repeated = trials.some((trial) => trial.by.repeat > 0);
    this.filters = filters;
    this.rows = document.getElementById("trial-rows");
    this.told = document.getElementById("trial-count");
    this.place = document.getElementById("trial-page");
    this.previous = document.getElementById("trial-previous");
    this.next = document.getElementById("trial-next");
    this.previous.addEventListener("click", () => this.turn(-1));
    this.next.addEventListener("click", () => this.turn(1));
  }

  // Shows the trials that the filters of the form choose.
  search() {
    this.#found = matching(this.trials, this.filters.chosen);
    this.told.textContent = `${count(this.#found.length)} of ${count(this.trials.length)} trials`;
    this.#show(0);
  }

  turn(pages) {
    this.#show(this.#page + pages);
    this.told.scrollIntoView({ block: "start" });
  }

  #show(page) {
    const pages = Math.max(1, Math.ceil(this.#found.length / PAGE));
    this.#page = page;
    this.rows.replaceChildren(...this.#found.slice(page * PAGE, (page + 1) * PAGE).map((trial) => this.#row(trial)));
    this.place.textContent = `Page ${count(page + 1)} of ${count(pages)}`;
    this.previous.disabled = page === 0;
    this.next.disabled = page + 1 >= pages;
  }

  #row(trial) {
    const { outcome, model, repeat } = trial.by;
    const error = trial.by.class ?? trial.by.reason;
    const button = element("button", { type: "button", "aria-expanded": "false" }, "Show", element("span", { class: "unseen" }, " trial"));
    const row = element("tr", { role: "row" },
      cell({}, element("span", { class: `outcome ${outcome}` }, outcome), error ? element("small", {}, spelled(error)) : null),
      cell({}, spelled(model)),
      cell({}, brief(trial.cell, 80), this.repeated ? element("small", {}, `repeat ${repeat}`) : null),
      cell({ class: "number-text" }, brief(trial.question ?? "", 160)),
      cell({}, answerOf(trial)),
      cell({}, button));
    button.addEventListener("click", () => this.#toggle(row, button, trial));
    return row;
  }

  #toggle(row, button, trial) {
    const open = button.getAttribute("aria-expanded") === "true";
    if (open) row.nextElementSibling.remove();
    else row.after(element("tr", { class: "detail", role: "row" }, cell({ colspan: row.cells.length }, detailOf(trial, this.trials))));
    row.classList.toggle("open", !open);
    button.setAttribute("aria-expanded", String(!open));
    button.firstChild.data = open ? "Show" : "Hide";
  }
}

const start = async () => {
  const form = document.querySelector(".filters");
  const filters = new Filters(form);
  const table = new TrialTable(await embeddedTrials(), filters);
  const searchAnew = () => {
    history.replaceState(null, "", filters.address);
    table.search();
  };
  const arrive = () => {
    if (!filters.follow(location.hash)) return;
    table.search();
    document.getElementById("trials").scrollIntoView({ block: "start" });
    table.told.focus({ preventScroll: true });
  };
  let waiting;
  form.addEventListener("change", ({ target }) => target.name === "text" || searchAnew());
  form.elements.text.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(searchAnew, PAUSE_MS);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(searchAnew));
  addEventListener("hashchange", arrive);
  document.addEventListener("click", (event) => {
    if (event.target.closest?.(`a[href="${CSS.escape(location.hash)}"]`)) arrive(); // the address does not change, so there is no hashchange event
  });
  if (!filters.follow(location.hash)) filters.openOnFailures();
  table.search();
  arrive();
  document.documentElement.dataset.ready = "";
};

if ("DecompressionStream" in window) start();
else document.getElementById("trial-count").textContent = "The trial table needs a browser of 2023 or later.";
