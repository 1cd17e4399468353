// Sentences as people write them, made of words that were split from their punctuation. Words stay whole and in order.

import { runsOn } from "./elements.js";

const OPENING = /^[([{¿¡«„‚]+$/u;
const CLOSING = /^[.,;:!?…%)\]}»”’،؛؟।]+$/u;
const SPACED_IN_FRENCH = /^[;:!?%«»]+$/u;
const CLITIC = /^(?:n['’]t|['’](?:s|m|d|re|ve|ll))$/iu;

/** Return what stands before each word: a space or nothing. */
export function spacesBefore(words, lang = "") {
  const french = /^fr\b/u.test(lang);
  const low = words.some((word) => /[„‚]/u.test(word)); // „…“ is closed by the mark that opens “…”
  const even = words.filter((word) => word === '"').length % 2 === 0;
  let opened = false; // whether the last straight quotation mark was an opening one
  let open = true; // whether the last word takes no space after it
  return words.map((word, place) => {
    const quote = word === '"' && even;
    opened = quote ? !opened : opened;
    const high = /^[“‘]$/u.test(word);
    const opens = quote ? opened : high ? !low : OPENING.test(word);
    const closes = quote ? !opened : high ? low : CLOSING.test(word) || CLITIC.test(word);
    const apart = french && SPACED_IN_FRENCH.test(word);
    const space = !open && (apart || !closes) && !runsOn(words[place - 1], word);
    open = opens && !apart;
    return space ? " " : "";
  });
}

/** Write some of the words of a sentence as text, without a space in front. */
export function writeWords(words, spaces, start = 0, end = words.length) {
  return words.slice(start, end).map((word, place) => (place ? spaces[start + place] : "") + word).join("");
}

/** Write a sentence, given with a space between any two words, as people write it. */
export function sentence(text, lang) {
  const words = text.split(/\s+/u).filter(Boolean);
  return writeWords(words, spacesBefore(words, lang));
}
