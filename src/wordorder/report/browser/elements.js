// Building blocks of the pages of the explorer and of studies. Elements are created here, never from markup, so that
// text written by users always remains text.

const SVG = "http://www.w3.org/2000/svg";
const UNSEGMENTED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\u3000-\u303f\uff00-\uffef]/u;
const RIGHT_TO_LEFT = /^[^\p{L}]*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;

/** Create an element. Properties named `on…` are listeners, `style` is an object, all others are attributes. */
export function element(name, properties = {}, ...children) {
  return fill(document.createElement(name), properties, children);
}

/** Create an SVG element. */
export function drawn(name, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, name), properties, children);
}

function fill(node, properties, children) {
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "style") Object.assign(node.style, value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

/** @type {(id: string) => HTMLElement} */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** Format a score with three decimal digits; an undefined score is a dash. */
export function figure(value) {
  return Number.isNaN(value) ? "–" : value.toFixed(3);
}

/** Format a difference with its sign. */
export function signed(value) {
  return Number.isNaN(value) ? "–" : (value > 0 ? "+" : value < 0 ? "−" : "") + Math.abs(value).toFixed(3);
}

/** Whether two neighbouring words are written without a space between them. */
export function runsOn(left, right) {
  return Boolean(left && right) && UNSEGMENTED.test([...left].at(-1)) && UNSEGMENTED.test([...right][0]);
}

/** Whether a text is written from right to left. */
export function isRightToLeft(text) {
  return RIGHT_TO_LEFT.test(text);
}

/** Separate nodes by spaces, except inside Chinese, Japanese or Thai text. */
export function spaced(words, nodes) {
  return nodes.flatMap((node, place) => (place && !runsOn(words[place - 1], words[place]) ? [" ", node] : [node]));
}

/** Join words into text, with spaces where the script uses them. */
export function joinWords(words) {
  return spaced(words, words).join("");
}

/** Split plain text into paragraphs at empty lines, and paragraphs into lines. */
export function paragraphs(text) {
  return text.trim().split(/\n\s*\n/u).map((part) => element("p", { class: "plain", dir: "auto" },
    part.trim().split("\n").map((line) => element("span", {}, line))));
}
