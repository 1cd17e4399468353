// One segment: its texts, the output of every system, chunks, lines, trees and all scores.

import { element, figure } from "./elements.js";
import { drawLines, drawTree } from "./drawing.js";
import { markChunks, showWords } from "./marking.js";
import { countCrossings, numberChunks, orderOf, permutationTree } from "./orders.js";
import { go } from "./state.js";

/** Show a segment; `step` moves to the next or previous one in the list; `open` says whether all systems are shown. */
export function showSegment(set, settled, step, open) {
  const { segment, a, b } = settled;
  const button = (label, name, act) => element("button", { type: "button", "aria-label": name, title: name, "data-key": name, onclick: act }, label);
  const facts = [...set.groups.map((name) => `${name} ${set.group(name, segment)}`), `${set.lengths[segment]} words`];
  const rest = set.systems.map((_, system) => system).filter((system) => system !== a && system !== b);
  const others = rest.length
    ? element("details", { open: open ?? rest.length < 4 }, element("summary", { "data-key": "others" }, `${rest.length} more system${rest.length > 1 ? "s" : ""}`), rest.map((system) => showSystem(set, settled, system)))
    : null;
  return element(
    "article",
    { class: "segment", "aria-labelledby": "segment-title" },
    element(
      "div",
      { class: "bar" },
      element("h2", { id: "segment-title", tabindex: -1 }, `Segment ${segment + 1}`),
      element("span", { class: "small" }, facts.join(" · ")),
      button("‹", "Previous segment (k)", () => step(-1)),
      button("›", "Next segment (j)", () => step(1)),
      button("×", "Close (Esc)", () => go({ segment: "" })),
    ),
    namePattern(settled),
    showTexts(set, settled),
    showSystem(set, settled, a),
    b >= 0 ? showSystem(set, settled, b) : null,
    showDrawings(set, settled, a),
    b >= 0 ? showDrawings(set, settled, b) : null,
    others,
    showScores(set, settled),
  );
}

/** Name the pattern that led here, and its words in this segment. */
function namePattern({ pattern, segment }) {
  const words = pattern?.segments.find(([number]) => number === segment + 1)?.[1];
  return words ? element("p", { class: "small" }, `${pattern.sentence}; here: `, element("strong", {}, words)) : null;
}

function labelled(name, ...content) {
  return element("div", { class: "text" }, element("h3", {}, name), ...content);
}

function showTexts(set, { segment, a, reference }) {
  const parts = [];
  if (set.has("source")) parts.push(labelled("Source", showWords(set.words("source", 0, segment))));
  for (let number = 0; number < set.count("references"); number++) {
    const words = set.words("references", number, segment);
    const name = set.count("references") > 1 ? `Reference ${number + 1}` : "Reference";
    const chunks = number === reference ? set.matches(a, number, segment) : null;
    const shown = chunks ? markChunks(words, chunks, "second") : undefined;
    const choice = set.count("references") > 1 && number !== reference;
    const button = choice ? element("button", { type: "button", class: "plain", onclick: () => go({ reference: number + 1 }, { small: true }) }, "compare with this one") : null;
    const whose = chunks && set.systems.length > 1 ? element("span", { class: "small" }, ` with the chunks of ${set.short[a]}`) : null;
    parts.push(labelled(name, whose, showWords(words, shown), button));
  }
  return element("div", { class: "texts" }, parts);
}

function showSystem(set, { segment, metric, reference, a, b }, system) {
  const words = set.words("systems", system, segment);
  const on = set.onCommonWords(metric, a, b) ? " on all matched words" : "";
  const score = `${set.metrics[metric]} ${set.write(metric, set.scores(metric, system)[segment])}${on}`;
  const heading = element("span", { class: "small" }, ` ${score}`);
  if (!words) {
    const chunks = set.orders(system, reference, segment);
    if (!chunks) return labelled(set.short[system], heading);
    const { ranks } = orderOf(chunks);
    const shown = ranks.length ? markChunks(ranks.map((rank) => String(rank + 1)), chunks, "first") : ["(no order)"];
    return labelled(set.short[system], heading, showWords([], shown));
  }
  const chunks = set.chunks(system, reference, segment);
  const matched = set.matched(system);
  const share = matched ? `, matched ${figure(matched[segment])}` : "";
  heading.append(share);
  const shown = chunks ? markChunks(words, chunks, "first") : undefined;
  return labelled(set.short[system], heading, showWords(words, words.length ? shown : ["(empty)"]));
}

function showDrawings(set, settled, system) {
  const { segment, reference } = settled;
  const name = set.short[system];
  const parts = [];
  const add = (title, picture) => parts.push(element("figure", {}, element("figcaption", {}, title), element("div", { class: "wide", tabindex: 0, role: "group", "aria-label": title }, picture)));
  const { rows, lines, crossings } = linesOf(set, settled, system);
  if (lines.length) add(`${name}: ${crossings} crossing${crossings === 1 ? "" : "s"} in ${lines.length} lines`, drawLines(rows, lines, `Lines of ${name}, segment ${segment + 1}`, `${rows.map((row) => row.name).join(", ")}; ${lines.length} lines, ${crossings} pairs of them cross.`));
  const linked = set.links("systems", system, segment) !== null;
  const { ranks, words } = orderOf(set.orders(system, reference, segment) ?? set.matches(system, reference, segment) ?? []);
  const tree = permutationTree(ranks);
  if (tree && tree.kind !== "word") {
    const own = linked ? null : set.words("systems", system, segment);
    const labels = ranks.map((_, place) => (own ? own[words[place]] : "·"));
    add(`${name}: permutation tree`, drawTree(tree, labels, `Permutation tree of ${name}, segment ${segment + 1}`, `The order is ${ranks.map((rank) => rank + 1).join(" ")}.`));
  }
  return element("div", { class: "drawings" }, parts);
}

/** Return the rows of words to compare, and the lines between them. */
function linesOf(set, { segment, reference }, system) {
  const links = set.links("systems", system, segment);
  const own = { name: set.short[system], words: set.words("systems", system, segment) };
  if (links) {
    const source = { name: "source", words: set.words("source", 0, segment) ?? numbered(links.map((link) => link[0])) };
    own.words ??= numbered(links.map((link) => link[1]));
    const gold = set.links("references", reference, segment);
    const lines = links.map(([from, to]) => ({ row: 0, from: to, to: from, number: 0 }));
    if (!gold) return { rows: [own, source], lines, crossings: countCrossings(links) };
    const words = set.words("references", reference, segment) ?? numbered(gold.map((link) => link[1]));
    const more = gold.map(([from, to]) => ({ row: 1, from, to, number: 0 }));
    return { rows: [own, source, { name: "reference", words }], lines: [...lines, ...more], crossings: countCrossings(links) + countCrossings(gold) };
  }
  const chunks = set.chunks(system, reference, segment) ?? [];
  const numbers = numberChunks(chunks);
  const lines = chunks.flatMap(({ first, size, second, secondSize }, place) =>
    Array.from({ length: Math.max(size, secondSize) }, (_, k) => ({ row: 0, from: first + Math.min(k, size - 1), to: second + Math.min(k, secondSize - 1), number: numbers[place] })),
  );
  const { ranks } = orderOf(chunks);
  own.words ??= ranks.map((rank) => String(rank + 1));
  const inOrder = [];
  ranks.forEach((rank, place) => (inOrder[rank] = own.words[place]));
  const words = set.matches(system, reference, segment) ? set.words("references", reference, segment) : inOrder;
  return { rows: [own, { name: "reference", words }], lines, crossings: countCrossings(lines.map((line) => [line.from, line.to])) };
}

function numbered(places) {
  return Array.from({ length: Math.max(-1, ...places) + 1 }, (_, place) => String(place + 1));
}

function showScores(set, { segment, a, b, metric }) {
  const columns = set.metrics.map((_, m) => set.systems.map((_, system) => set.scores(m, system)[segment]));
  const best = columns.map((values, m) => {
    const known = values.filter((value) => !Number.isNaN(value));
    if (set.systems.length < 2 || !set.directions[m]) return Number.NaN;
    return set.directions[m] > 0 ? Math.max(...known) : Math.min(...known);
  });
  const rows = set.systems.map((name, system) => {
    const choose = element("button", { type: "button", class: "plain", title: `Look at ${name}`, "data-key": `look ${name}`, onclick: () => go({ a: name }, { small: true }) }, set.short[system]);
    const cells = columns.map((values, m) => element("td", { class: m === metric ? "chosen" : null }, element(values[system] === best[m] ? "strong" : "span", {}, set.write(m, values[system]))));
    return element("tr", { class: system === a || system === b ? "chosen" : null }, element("th", { scope: "row", class: "left" }, choose), cells);
  });
  const head = [element("th", { scope: "col", class: "left" }, "system"), ...set.metrics.map((name) => element("th", { scope: "col" }, name))];
  return element(
    "section",
    {},
    element("h3", {}, "All scores"),
    element("div", { class: "wide", tabindex: 0, role: "group", "aria-label": "All scores" }, element("table", {}, element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows))),
  );
}
