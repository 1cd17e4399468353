// Rate one sentence on a scale for each question.

import { keyGroups, rangesOf, readGroups, scaleGroup, valuesOf } from "../choices.js";
import { element } from "../elements.js";
import { sentence } from "../sentences.js";
import { word } from "../words.js";

export function show(view, { study, answer, fixed, text, toNext }) {
  const groups = study.questions.map((question) =>
    scaleGroup(question, { field: question.name, legend: question.text, chosen: answer?.[question.name], disabled: fixed }));
  const answerOf = (found) => Object.fromEntries(study.questions.map((question, place) => [question.name, found[place]]));
  const values = study.questions[0].values;
  return {
    node: element("div", {},
      text("p", { class: "sentence stimulus" }, sentence(view.text, study.text.lang)),
      ...groups.map((group) => group.node)),
    hint: word("scale_keys", { first: values[0], last: values.at(-1) }),
    key: (event) => keyGroups(groups, event, toNext),
    label: (right) => rangesOf(study.questions, right),
    draft: () => answerOf(valuesOf(groups)),
    read() {
      const { missing, values: found } = readGroups(groups);
      if (missing) return { missing: word("please_answer", { question: missing.legend }), focus: missing.focus };
      return { answer: answerOf(found) };
    },
  };
}
