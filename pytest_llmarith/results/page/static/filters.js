// Which trials are wanted: choices of the form, kept in the address, so that a look can be passed on.

const ADDRESS = "#trials?";

class Filters {
  constructor(form) {
    this.form = form;
  }

  // Choices as they stand in the form; an empty one is no choice.
  get chosen() {
    return Object.fromEntries([...new FormData(this.form)].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));
  }

  get address() {
    return ADDRESS + new URLSearchParams(this.chosen);
  }

  // Takes over what an address asks for; whether it asks for trials at all.
  follow(address) {
    if (!address.startsWith(ADDRESS)) return false;
    const asked = new URLSearchParams(address.slice(ADDRESS.length));
    for (const field of this.form.querySelectorAll("[name]")) {
      field.value = asked.get(field.name) ?? "";
      if (field.selectedIndex === -1) field.value = ""; // a word that nothing here has
    }
    return true;
  }
}

// The numbers of all trials that have what was chosen; texts are looked at later.
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

// Those of the trials that say a text. `going` is told how far it is after each block, and may end it.
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
