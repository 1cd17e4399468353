// Rate several translations below the source and the reference, on one or more scales.

import { keyGroups, rangesOf, readGroups, scaleGroup, valuesOf } from "../choices.js";
import { element } from "../elements.js";
import { sentence } from "../sentences.js";
import { word } from "../words.js";

export function show(view, { study, answer, fixed, text, given, toNext }) {
  const groups = [];
  const cards = view.texts.map((translation, place) => {
    const number = word("number_of", { n: place + 1 });
    const scales = study.questions.map((question) =>
      scaleGroup(question, {
        field: `${question.name}-${place}`, legend: `${question.text} (${number})`, chosen: answer?.[question.name]?.[place], disabled: fixed,
        heading: [question.text, element("span", { class: "unseen" }, ` ${number}`)],
      }));
    groups.push(...scales);
    return element("section", { class: "card", "aria-label": number },
      element("h2", {}, number), text("p", { class: "sentence" }, sentence(translation, study.text.lang)), scales.map((scale) => scale.node));
  });
  const answerOf = (found) => Object.fromEntries(study.questions.map((question, column) =>
    [question.name, found.filter((_, place) => place % study.questions.length === column)]));
  const values = study.questions[0].values;
  return {
    node: element("div", {}, given(view), cards),
    hint: word("scale_keys", { first: values[0], last: values.at(-1) }),
    key: (event) => keyGroups(groups, event, toNext),
    label: (right) => (typeof right === "number" ? word("number_of", { n: right }) : rangesOf(study.questions, right)),
    draft: () => answerOf(valuesOf(groups)),
    read() {
      const { missing, values: found } = readGroups(groups);
      if (missing) return { missing: word("please_answer", { question: missing.legend }), focus: missing.focus };
      return { answer: answerOf(found) };
    },
  };
}
