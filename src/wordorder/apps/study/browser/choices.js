// Radio groups for scales and choices, operated by mouse, touch, arrow keys and shortcut keys.

import { element } from "./elements.js";

let count = 0;

/**
 * Make a group. Each option has a `value`, a `label` and a shortcut `key`; `ends` are the labels of the two ends.
 * @param {{
 *   field: string, legend: string, heading?: any, chosen: any, ends?: string[], disabled?: boolean,
 *   options: { value: any, label: string, key: string, note?: string }[],
 * }} group
 */
export function choiceGroup({ field, legend, heading, options, chosen, ends, disabled }) {
  count += 1;
  const name = `group${count}`;
  const inputs = options.map(({ value, key }, place) =>
    element("input", {
      type: "radio", name, value, id: `${name}-${place}`, checked: value === chosen, disabled,
      "aria-keyshortcuts": key || null, "aria-describedby": ends ? `${name}-ends` : null,
    }));
  const labels = options.map(({ label, note }, place) =>
    element("label", { class: "option" }, inputs[place], element("span", { dir: "auto" }, label, note ? element("small", {}, note) : null)));
  const node = element("fieldset", { class: ends ? "scale" : "choices", "data-field": field },
    element("legend", { dir: "auto" }, heading ?? legend),
    element("div", { class: "options" }, labels),
    ends ? element("div", { class: "ends", id: `${name}-ends` }, ...ends.map((end) => element("span", { dir: "auto" }, end))) : null);
  const place = () => inputs.findIndex((input) => input.checked);
  return {
    node,
    field,
    legend,
    value: () => (place() < 0 ? null : options[place()].value),
    focus: () => (inputs[Math.max(place(), 0)]).focus(),
    holds: (other) => node.contains(other),
    choose(key) {
      const found = disabled ? -1 : options.findIndex((option) => option.key === key);
      if (found < 0) return false;
      inputs[found].checked = true;
      inputs[found].focus();
      for (const name of ["input", "change"]) inputs[found].dispatchEvent(new Event(name, { bubbles: true }));
      return true;
    },
  };
}

/**
 * Make a group with the numbers of the scale of a question.
 * @param {import("./types.js").Question} question
 * @param {{ field: string, legend: string, heading?: any, chosen: any, disabled?: boolean }} group
 */
export function scaleGroup(question, { field, legend, heading, chosen, disabled }) {
  const options = question.values.map((value) => ({ value, label: String(value), key: value < 10 ? String(value) : "" }));
  const ends = question.ends?.map((end, place) => `${question.values.at(place && -1)} ${end}`) ?? [];
  return choiceGroup({ field, legend, heading, options, chosen, ends, disabled });
}

/** Write the expected numbers of questions, such as "How fluent is it? 6–7". */
export function rangesOf(questions, expected) {
  const asked = questions.filter(({ name }) => name in expected);
  return asked.map(({ name, text }) => `${text} ${[...new Set(expected[name])].join("–")}`).join(" ");
}

/** Return the values of all groups; a group without a value has null. */
export const valuesOf = (groups) => groups.map((group) => group.value());

/** Return the values of all groups, and the first group without a value. */
export function readGroups(groups) {
  const missing = groups.find((group) => group.value() === null);
  return missing ? { missing, values: null } : { missing: null, values: valuesOf(groups) };
}

/** Use a key for the focused group, or for the first group without an answer; then focus the next group. */
export function keyGroups(groups, event, done) {
  const current = groups.find((group) => group.holds(document.activeElement)) ?? groups.find((group) => group.value() === null) ?? groups[0];
  if (!current.choose(event.key.length === 1 ? event.key.toUpperCase() : event.key)) return false;
  const later = groups.slice(groups.indexOf(current) + 1).find((group) => group.value() === null);
  const next = later ?? groups.find((group) => group.value() === null);
  if (next) next.focus();
  else done();
  return true;
}
