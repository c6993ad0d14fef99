// Untrusted text on the page. It becomes text nodes only; invisible and bidirectional characters are spelled out.

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null));
  return made;
};

const count = (number) => number.toLocaleString("en");

// Controls, formats (bidirectional marks, joiners), line separators, lone surrogates, private use.
const UNSEEN = /([\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}])/u;
const KEPT = new Set(["\n", "\t"]);

const codePoint = (character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

const spelled = (text) =>
  text.replaceAll("\r\n", "\n").split(UNSEEN).filter((part) => part !== "").reduce((nodes, part) => {
    if (!KEPT.has(part) && UNSEEN.test(part)) nodes.push(element("span", { class: "spelled" }, codePoint(part)));
    else if (typeof nodes.at(-1) === "string") nodes.push(nodes.pop() + part);
    else nodes.push(part);
    return nodes;
  }, []);

// The visible parts of a text, which may be truncated: {cut: [beginning, end, length]}.
const ends = (value) => (typeof value === "string" ? [value] : [value.cut[0], value.cut[1]]);

const shown = (value) => {
  if (typeof value === "string") return spelled(value);
  const [head, tail, length] = value.cut;
  const note = `${count(length - head.length - tail.length)} of ${count(length)} characters left out; trials.jsonl has them`;
  return [...spelled(head), element("span", { class: "cut" }, note), ...spelled(tail)];
};

const brief = (value, most) => {
  const [text] = ends(value);
  return spelled(text.length > most ? `${text.slice(0, most)}…` : text);
};
