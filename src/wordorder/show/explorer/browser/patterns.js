// Patterns: sentences about words that are out of place, each with examples and a way to all of its segments.

import { element, isRightToLeft } from "./elements.js";
import { readState, writeState } from "./state.js";

/** All patterns in one list; the address of a page counts them from 1. */
export function listPatterns({ patterns }) {
  return patterns ? patterns.groups.flatMap((group) => group.patterns) : [];
}

/** Show the patterns of every system, and the differences between systems. */
export function showPatterns(page) {
  const all = listPatterns(page);
  const largest = Math.max(...all.map((one) => Math.max(one.rate, one.elsewhere)));
  const groups = page.patterns.groups.map(({ heading, patterns }) =>
    element("section", {}, element("h2", {}, heading), patterns.map((one) => showPattern(one, all.indexOf(one) + 1, largest))),
  );
  const notes = page.patterns.notes.map((note) => element("p", {}, note));
  return element("div", { class: "patterns" }, groups, element("div", { class: "notes" }, notes));
}

function showPattern(one, number, largest) {
  const width = (rate) => `${(100 * rate) / largest}%`;
  const bars = element(
    "span",
    { class: `rates ${one.direction === "early" ? "leftwards" : "rightwards"}`, "aria-hidden": "true" },
    element("span", { class: "rate", style: { width: width(one.rate) } }),
    element("span", { class: "rate other", style: { width: width(one.elsewhere) } }),
  );
  const count = `${one.segments.length} segment${one.segments.length === 1 ? "" : "s"}`;
  return element(
    "details",
    { class: "pattern" },
    element("summary", { "data-key": `pattern ${number}` }, bars, element("span", {}, one.sentence)),
    element(
      "p",
      { class: "small" },
      one.mostly.length ? `mostly ${one.mostly.map(([word, count]) => `${word} (${Math.round(count)})`).join(", ")} · ` : null,
      element("a", { href: linkTo(one, number), "data-key": `segments ${number}` }, `all ${count}`),
    ),
    element("ol", {}, one.examples.map((example) => showExample(one, number, example))),
  );
}

function showExample(one, number, { segment, reference, pieces, other }) {
  const kinds = { move: "move colour2", place: "arrow" };
  const shown = pieces.flatMap(([kind, text]) => [kinds[kind] ? element("span", { class: kinds[kind] }, text) : text, " "]);
  const line = (label, text, content) => element("div", { class: "line" }, element("span", { class: "small" }, label), element("p", { class: "sentence", dir: isRightToLeft(text) ? "rtl" : "ltr" }, content));
  return element(
    "li",
    {},
    element("a", { href: linkTo(one, number, segment), "data-key": `example ${number} ${segment}` }, `Segment ${segment}`),
    element("div", {}, line("ref", reference, reference), line("hyp", reference, shown), other ? line("other", other, other) : null),
  );
}

/** The address of the segments of a pattern: those of its system, or the comparison of two systems. */
function linkTo(one, number, segment = "") {
  const view = one.baseline ? "compare" : "segments";
  return writeState({ ...readState(""), view, a: one.system, b: one.baseline ?? "", pattern: number, segment });
}
