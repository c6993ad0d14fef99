// The filters of the form, which are part of the address, so that a link can be shared.

const ADDRESS = "#trials?";

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

// The numbers of all trials with the chosen values; the text filter is applied later.
const havingChosen = (trials, chosen) => {
  const wanted = Object.entries(chosen).map(([name, word]) => [trials.columns[name], trials.numberOf(name, word)]);
  const found = [];
  for (let number = 0; number < trials.count; number += 1) {
    if (wanted.every(([column, value]) => column[number] === value)) found.push(number);
  }
  return found;
};

const textsOf = (trial) => [
  trial.question, trial.expected, trial.answer, trial.reason, trial.prompt, trial.reply, trial.reasoning, trial.program?.text,
  ...trial.facts.map(([, value]) => value),
];

const says = (trial, text) =>
  textsOf(trial).some((value) => value && ends(value).some((part) => part.toLowerCase().includes(text)));

// The trials that contain a text. `going` is called with the progress after each block, and may stop the search.
const saying = async (trials, numbers, text, going) => {
  const wanted = text.toLowerCase();
  const found = [];
  let done = 0;
  for await (const [here, opened] of trials.each(numbers)) {
    opened.forEach((trial, place) => says(trial, wanted) && found.push(here[place]));
    done += here.length;
    if (!going(done, found.length)) return null;
  }
  return found;
};
