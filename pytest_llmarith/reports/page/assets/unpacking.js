// The trials of the page: columns to filter by, everything else in blocks that are opened when somebody looks.

const unpack = async (id) => {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
};

const MOST_OPEN = 40; // blocks that are kept open

class Trials {
  #opened = new Map();

  constructor({ block, words, columns }) {
    this.block = block;
    this.words = words;
    this.columns = columns;
    this.count = columns.depth.length;
  }

  static async open() {
    return new Trials(await unpack("trial-index"));
  }

  // The word of a column for one trial, or nothing.
  word(column, number) {
    return this.words[column][this.columns[column][number]] ?? "";
  }

  // What stands for a word in its column; of a word that no trial has, what stands nowhere.
  numberOf(column, word) {
    if (column === "depth") return Number(word);
    const number = this.words[column].indexOf(word);
    return number < 0 ? NaN : number;
  }

  async at(number) {
    const block = await this.#open(Math.floor(number / this.block));
    return block[number % this.block];
  }

  #open(number) {
    const known = this.#opened.get(number) ?? unpack(`trial-block-${number}`);
    this.#opened.delete(number); // the one looked at last is the last to go
    this.#opened.set(number, known);
    if (this.#opened.size > MOST_OPEN) this.#opened.delete(this.#opened.keys().next().value);
    return known;
  }
}
