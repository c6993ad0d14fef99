// The filters of the form, which are part of the address, so that a link can be shared.

const ADDRESS = "#trials?";
const NOT_CORRECT = "not correct";

class Filters {
  constructor(form) {
    this.form = form;
  }

  // The values of the form that are not empty.
  get chosen() {
    return Object.fromEntries([...new FormData(this.form)].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));
  }

  get address() {
    return ADDRESS + new URLSearchParams(this.chosen);
  }

  // Chooses the trials that are not correct, if there are any.
  openOnFailures() {
    const { outcome } = this.form.elements;
    if ([...outcome.options].some(({ value }) => value === NOT_CORRECT)) outcome.value = NOT_CORRECT;
  }

  // Sets the form from an address; returns whether the address has filters.
  follow(address) {
    if (!address.startsWith(ADDRESS)) return false;
    const asked = new URLSearchParams(address.slice(ADDRESS.length));
    for (const field of this.form.querySelectorAll("[name]")) {
      field.value = asked.get(field.name) ?? "";
      if (field.selectedIndex === -1) field.value = ""; // an unknown word
    }
    return true;
  }
}

const textsOf = (trial) => [
  trial.question, trial.expected, trial.answer, trial.reason, trial.prompt, trial.reply, trial.reasoning, 
  ...(trial.parts ?? []).map(({ text }) => text),
  ...trial.facts.map(([, value]) => value),
];

const says = (trial, text) =>
  textsOf(trial).some((value) => value && ends(value).some((part) => part.toLowerCase().includes(text)));

const has = (trial, name, value) =>
  name === "outcome" && value === NOT_CORRECT ? trial.by.outcome !== "correct" : String(trial.by[name] ?? "") === value;

// The trials with the chosen values that contain the text.
const matching = (trials, { text = "", ...chosen }) => {
  const [wanted, lower] = [Object.entries(chosen), text.toLowerCase()];
  return trials.filter((trial) => wanted.every(([name, value]) => has(trial, name, value)) && (!lower || says(trial, lower)));
};
