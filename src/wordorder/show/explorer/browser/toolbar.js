// The controls for listed systems, metric, order and filters.

import { element } from "./elements.js";
import { go } from "./state.js";

const FILTERS = ["pattern", "within", "document", "bucket", "shortest", "longest", "least", "most", "low", "high"];

/** Controls for one set; they display the state and change it. */
export class Toolbar {
  #inputs = new Map();
  #count = element("output", { class: "count" });
  #basis = element("p", { class: "basis", hidden: true });
  #filters;

  constructor(set, sets) {
    const names = set.order.map((system) => [set.systems[system], set.short[system]]);
    const several = set.systems.length > 1;
    const nameOf = (one, place) => [place + 1, `${set.short[set.systems.indexOf(one.system)] ?? one.system}: ${one.sentence}`];
    const find = this.#field("find", "Find words", element("input", { type: "search", placeholder: 'words or "a phrase"', title: "Press / to jump here", size: 16 }));
    this.#filters = element("details", { class: "filters" }, element("summary", {}, "Filter"), element("div", { class: "fields" }, this.#filterFields(set)));
    this.node = element(
      "form",
      { class: "toolbar", role: "search", "aria-label": "Segments", onsubmit: (event) => event.preventDefault() },
      sets.length > 1 ? this.#choice("set", "Set", sets.map((one) => [one.name, one.name]), { a: "", b: "", segment: "" }) : null,
      several ? this.#choice("a", "System", names) : null,
      several ? this.#choice("b", "and", [["", "—"], ...names]) : null,
      set.metrics.length > 1 ? this.#choice("metric", "Metric", set.metrics.map((name) => [name, name])) : null,
      this.#choice("sort", "Sort by", sortsOf(set), { down: "" }),
      this.#choice("down", "Order", [["0", "lowest first"], ["1", "highest first"]]),
      find,
      set.patterns.length ? this.#choice("pattern", "Pattern", [["", "all segments"], ...set.patterns.map(nameOf)]) : null,
      this.#filters,
      this.#count,
      this.#basis,
    );
  }

  #filterFields(set) {
    const texts = [["", "all texts"]];
    if (set.has("source")) texts.push(["source", "source"]);
    if (set.has("references")) texts.push(["references", "references"]);
    if (set.has("systems")) texts.push(...set.systems.map((name, place) => [`system ${name}`, set.short[place]]));
    const number = (key, label, most, step = 1) => this.#field(key, label, element("input", { type: "number", min: 0, max: most, step }));
    return [
      texts.length > 1 ? this.#choice("within", "Find in", texts) : null,
      ...set.groups.map((name) => this.#choice(name, name, [["", "all"], ...set.groupNames(name).map((one) => [one, one])])),
      number("shortest", "Words from", null),
      number("longest", "to", null),
      ...(set.matched(0) ? [number("least", "Matched % from", 100), number("most", "to %", 100)] : []),
      number("low", "Score from", null, "any"),
      number("high", "to below", null, "any"),
      element("button", { type: "button", onclick: () => go(Object.fromEntries([...FILTERS, "find"].map((key) => [key, ""])), { small: true }) }, "Clear"),
    ];
  }

  #choice(key, label, options, also = {}) {
    const select = element("select", {}, options.map(([value, text]) => element("option", { value }, text)));
    return this.#field(key, label, select, also);
  }

  #field(key, label, input, also = {}) {
    this.#inputs.set(key, input);
    input.id = `field-${key}`;
    input.addEventListener("input", () => go({ ...also, [key]: input.value }, { small: true }));
    return element("span", { class: "field" }, element("label", { for: input.id }, label), input);
  }

  /** Display the state, except in a field that the user is typing into. */
  show(state, settled, count, size) {
    const shown = { ...state, set: settled.set.name, a: settled.set.systems[settled.a], b: settled.set.systems[settled.b] ?? "", metric: settled.set.metrics[settled.metric], sort: settled.sort, down: settled.down ? "1" : "0" };
    for (const [key, input] of this.#inputs) if (input !== document.activeElement || input.type !== "search") input.value = shown[key];
    const active = FILTERS.filter((key) => this.#inputs.has(key) && state[key] !== "").length;
    this.#filters.querySelector("summary").textContent = active ? `Filter (${active})` : "Filter";
    this.#basis.hidden = !settled.set.onCommonWords(settled.metric, settled.a, settled.b);
    this.#basis.textContent = `Scores and differences on the words that both match${settled.sort === "loss" ? "; loss on all matched words" : ""}`;
    const noun = size === 1 ? "segment" : "segments";
    this.#count.textContent = count === size ? `${size} ${noun}` : `${count} of ${size} ${noun}`;
  }

  focus() {
    this.#inputs.get("find").focus();
    this.#inputs.get("find").select();
  }
}

function sortsOf(set) {
  const several = set.systems.length > 1;
  return [
    ...(set.weighted.some(Boolean) ? [["loss", several ? "worst of the system" : "worst"]] : []),
    ["segment", "number"],
    ["a", several ? "score of the system" : "score"],
    ...(several ? [["b", "score of the second system"], ["gap", "size of the difference"], ["difference", "difference between the two"], ["mean", "mean of all systems"], ["spread", "spread of all systems"]] : []),
    ["length", "words"],
    ...(set.matched(0) ? [["matched", "share matched"]] : []),
  ];
}
