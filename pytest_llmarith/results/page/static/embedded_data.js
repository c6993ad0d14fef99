// The embedded data: columns by which trials are filtered, and blocks with everything else, which are unpacked when they are shown.

const unpack = async (id) => {
  const characters = atob(document.getElementById(id).textContent);
  const bytes = new Uint8Array(characters.length);
  for (let place = 0; place < bytes.length; place += 1) bytes[place] = characters.charCodeAt(place);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
};

const MOST_UNPACKED = 40; // blocks that are kept

class EmbeddedTrials {
  #unpacked = new Map();

  constructor({ block, words, columns }) {
    this.block = block;
    this.words = words;
    this.columns = columns;
    this.count = columns.model.length;
    this.repeated = columns.repeat.some((repeat) => repeat > 0);
  }

  static async open() {
    return new EmbeddedTrials(await unpack("trial-index"));
  }

  // The word of a column for one trial, or an empty text.
  word(column, number) {
    return this.words[column][this.columns[column][number]] ?? "";
  }

  // The value of a column for a word: its index if the column has words, else its number; NaN for an unknown word.
  numberOf(column, word) {
    if (!(column in this.words)) return Number(word);
    const number = this.words[column].indexOf(word);
    return number < 0 ? NaN : number;
  }

  async at(number) {
    return (await this.#block(this.blockOf(number)))[number % this.block];
  }

  blockOf(number) {
    return Math.floor(number / this.block);
  }

  // The trials with these numbers, block by block: [numbers, trials].
  async *each(numbers) {
    for (let start = 0, end; start < numbers.length; start = end) {
      const place = this.blockOf(numbers[start]);
      for (end = start + 1; end < numbers.length && this.blockOf(numbers[end]) === place; ) end += 1;
      const opened = await this.#block(place);
      const here = numbers.slice(start, end);
      yield [here, here.map((number) => opened[number % this.block])];
    }
  }

  #block(number) {
    const known = this.#unpacked.get(number) ?? unpack(`trial-block-${number}`);
    this.#unpacked.delete(number); // least recently used blocks are dropped first
    this.#unpacked.set(number, known);
    if (this.#unpacked.size > MOST_UNPACKED) this.#unpacked.delete(this.#unpacked.keys().next().value);
    return known;
  }
}
