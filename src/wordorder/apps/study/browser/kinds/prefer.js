// Choose the better of two translations.

import { choiceGroup, keyGroups } from "../choices.js";
import { element } from "../elements.js";
import { spacesBefore, writeWords } from "../sentences.js";
import { word } from "../words.js";

const SIDES = ["A", "B"];

export function show(view, { study, answer, fixed, text, given, toNext }) {
  const options = ["A", "B", "N"].map((key) => ({ value: key, label: word(`choice_${key}`), key, note: key }));
  const group = choiceGroup({ field: "choice", legend: study.questions[0]?.text ?? word("which"), options, chosen: answer?.choice, disabled: fixed });
  const cards = view.texts.map(({ words, marks }, side) =>
    element("section", { class: "card", "aria-label": SIDES[side] },
      element("h2", {}, SIDES[side]), text("p", { class: "sentence" }, marked(words, new Set(marks), study.text.lang))));
  const marks = view.texts.some(({ marks: places }) => places.length);
  return {
    node: element("div", {}, given(view), element("div", { class: "sides" }, cards),
      marks ? element("p", { class: "small", dir: "auto" }, word("marked")) : null, group.node),
    hint: word("choice_keys", { keys: "A B N" }),
    key: (event) => keyGroups([group], event, toNext),
    label: (choice) => word(`choice_${choice}`),
    draft: () => ({ choice: group.value() }),
    read() {
      if (group.value() === null) return { missing: word("please_answer", { question: group.legend }), focus: group.focus };
      return { answer: { choice: group.value() } };
    },
  };
}

/** Mark the words that differ; adjacent words are marked together. */
function marked(words, places, lang) {
  const spaces = spacesBefore(words, lang);
  const parts = [];
  for (let start = 0; start < words.length; ) {
    let end = start + 1;
    while (end < words.length && places.has(end) === places.has(start)) end += 1;
    const content = writeWords(words, spaces, start, end);
    parts.push(spaces[start], places.has(start) ? element("mark", {}, content) : element("span", {}, content));
    start = end;
  }
  return parts;
}
