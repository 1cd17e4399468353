// Judge whether two marked parts are in the right order in the translation.

import { choiceGroup, keyGroups } from "../choices.js";
import { element } from "../elements.js";
import { spacesBefore, writeWords } from "../sentences.js";
import { word } from "../words.js";

export function show(view, { study, answer, fixed, text, toNext }) {
  const labels = { C: word("choice_C"), I: word("choice_I"), N: word("judge_N") };
  const options = Object.entries(labels).map(([key, label]) => ({ value: key, label, key, note: key }));
  const group = choiceGroup({ field: "choice", legend: study.questions[0]?.text ?? word("in_order"), options, chosen: answer?.choice, disabled: fixed });
  const side = (name) => element("section", { class: "card", "aria-label": word(name) },
    element("h2", {}, word(name)), text("p", { class: "sentence roomy" }, blocks(view[name], study.text.lang)));
  return {
    node: element("div", {}, side("reference"), side("translation"), group.node),
    hint: word("choice_keys", { keys: "C I N" }),
    key: (event) => keyGroups([group], event, toNext),
    label: (choice) => labels[choice],
    draft: () => ({ choice: group.value() }),
    read() {
      if (group.value() === null) return { missing: word("please_answer", { question: group.legend }), focus: group.focus };
      return { answer: { choice: group.value() } };
    },
  };
}

/** Underline each part in its own style and with its number, so that colour is not needed. */
function blocks({ words, blocks: places }, lang) {
  const spaces = spacesBefore(words, lang);
  const owner = words.map((_, place) => places.findIndex((block) => block.includes(place)));
  const nodes = [];
  for (let start = 0; start < words.length; ) {
    let end = start + 1;
    while (end < words.length && owner[end] === owner[start]) end += 1;
    const content = writeWords(words, spaces, start, end);
    nodes.push(spaces[start]);
    if (owner[start] < 0) nodes.push(element("span", {}, content));
    else {
      const number = owner[start] + 1;
      nodes.push(element("span", { class: `block block${number}` },
        element("sup", { "aria-label": word("part", { n: number }) }, String(number)), element("span", { class: "line" }, content)));
    }
    start = end;
  }
  return nodes;
}
