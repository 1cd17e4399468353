// The chunks of a sentence as marked text: which words belong together, and which of them must move.

import { element, isRightToLeft, joinWords, runsOn } from "./elements.js";
import { colourOf } from "./drawing.js";
import { directions, findMoved, numberChunks } from "./orders.js";

/** Show a sentence in the direction of its words, which browsers would not detect inside chunks. */
export function showWords(words, content = [joinWords(words)]) {
  return element("p", { dir: isRightToLeft(words.join(" ")) ? "rtl" : "ltr", class: "sentence" }, ...content);
}

/** Mark the chunks of a sentence with a colour, their number in the reference, and a dashed frame if they must move. */
export function markChunks(words, chunks, side) {
  const numbers = numberChunks(chunks);
  const moved = findMoved(chunks);
  return markParts(words, chunks, side, (place, text) => {
    const title = `chunk ${numbers[place]} of the reference${moved[place] ? ", has to move" : ""}`;
    const kind = `chunk ${colourOf(numbers[place])}${moved[place] ? " moved" : ""}`;
    return element("span", { class: kind, title }, element("sup", {}, String(numbers[place])), text);
  });
}

/** Mark only the chunks that must move, in the hypothesis with an arrow in the direction of their place. */
export function markMoves(words, chunks, side) {
  const numbers = numberChunks(chunks);
  const moves = directions(chunks);
  const back = isRightToLeft(words.join(" "));
  return markParts(words, chunks, side, (place, text) => {
    if (!moves[place]) return text;
    const later = moves[place] > 0;
    const arrow = element("span", { class: "arrow", "aria-hidden": "true" }, later !== back ? "→" : "←");
    const title = `belongs ${later ? "further back" : "further forward"} in the sentence`;
    const own = side === "first" ? { title } : {};
    return element("span", { class: `move ${colourOf(numbers[place])}`, ...own }, side !== "first" ? text : later ? [text, arrow] : [arrow, text]);
  });
}

/** Split a sentence at chunks, which `mark` turns into elements; `side` is "first" (hypothesis) or "second" (reference). */
function markParts(words, chunks, side, mark) {
  const size = side === "first" ? "size" : "secondSize";
  const order = chunks.map((_, place) => place).sort((one, two) => chunks[one][side] - chunks[two][side]);
  const parts = [];
  let last = "";
  let place = 0;
  const add = (part, text) => {
    if (last && !runsOn(last, text)) parts.push(" ");
    parts.push(part);
    last = text;
  };
  for (const chunk of order) {
    for (; place < chunks[chunk][side]; place++) add(words[place], words[place]);
    place = chunks[chunk][side] + chunks[chunk][size];
    const text = joinWords(words.slice(chunks[chunk][side], place));
    add(mark(chunk, text), text);
  }
  for (; place < words.length; place++) add(words[place], words[place]);
  return parts;
}
