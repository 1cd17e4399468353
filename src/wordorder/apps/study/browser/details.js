// The fields that people fill in about themselves: text, whole numbers and choices.

import { choiceGroup } from "./choices.js";
import { element } from "./elements.js";
import { word } from "./words.js";

/** @typedef {{ name: string, numbers: [number, number] | null, choices: string[] }} Field */

/**
 * Make the input of a field; `problem` says what is wrong with its value, and is empty if nothing is.
 * @param {Field} field
 * @param {number} place
 * @param {string} before what was filled in earlier
 */
export function detailInput(field, place, before) {
  const needed = field.name.endsWith("*");
  const label = field.name.replace(/[* ]+$/u, "");
  const { node, value, focus } = field.choices.length ? choices(field, before) : line(field, place, before, needed);
  const problem = () => {
    const given = value();
    if (!given) return needed ? word("please_fill", { question: label }) : "";
    const [low, high] = field.numbers ?? [-Infinity, Infinity];
    const fits = !field.numbers || (/^-?\d{1,9}$/u.test(given) && Number(given) >= low && Number(given) <= high);
    return fits ? "" : word("please_number", { question: label, low, high });
  };
  return { field, node, value, focus, problem };
}

/** @param {Field} field @param {string} before */
function choices(field, before) {
  const options = field.choices.map((choice) => ({ value: choice, label: choice, key: "" }));
  const group = choiceGroup({ field: field.name, legend: field.name, options, chosen: before });
  return { node: element("div", { class: "field" }, group.node), value: () => group.value() ?? "", focus: () => group.focus() };
}

/** @param {Field} field @param {number} place @param {string} before @param {boolean} needed */
function line(field, place, before, needed) {
  const input = element("input", {
    id: `field${place}`, type: "text", maxlength: "500", required: needed, autocomplete: "off",
    inputmode: field.numbers ? "numeric" : null, class: field.numbers ? "number" : null,
  });
  input.value = before;
  return {
    node: element("div", { class: "field" }, element("label", { for: `field${place}`, dir: "auto" }, field.name), input),
    value: () => input.value.trim(),
    focus: () => input.focus(),
  };
}
