// The overview: the answer, charts of systems and of their differences, the worst segments, and all tables.

import { describePair, describeRivals, drawHistogram, drawMatrix, drawSystems } from "./charts.js";
import { sortWorst } from "./choosing.js";
import { drawn, element } from "./elements.js";
import { markMoves, showWords } from "./marking.js";
import { orderOf } from "./orders.js";
import { readState, settle, writeState } from "./state.js";

const WORST = 5;
let tables;

/** Show the overview; `sets` is null until the segments have been unpacked. */
export function showOverview(page, sets) {
  tables ??= showTables(page);
  const charts = page.ranking ? showRanking(page, sets) : [];
  return element("div", { class: "overview" }, charts, tables);
}

function showRanking({ ranking, sets: described }, sets) {
  const known = ranking.systems.map((system) => system.name);
  const asked = readState().a;
  const chosen = known.includes(asked) ? asked : known[0];
  const short = ranking.systems.find((system) => system.name === chosen).short;
  const trust = chosen === known[0] ? describeRivals(ranking) : known.length > 2 ? describePair(ranking, ranking.metric, known[0], chosen) : "";
  const section = (kind, title, content) => {
    const [chart, legend] = [content].flat();
    return element("section", { class: kind, "aria-label": title }, element("div", { class: "heading" }, element("h2", {}, title), legend), chart);
  };
  const waiting = described.length && !sets ? element("p", { class: "small" }, "Opening the segments …") : null;
  const settled = sets ? settle({ ...readState(""), a: chosen, metric: ranking.metric }, sets) : null;
  const best = settled ? settled.set.systems.indexOf(known[0]) : -1;
  return [
    ranking.answer ? element("p", { class: "answer" }, ranking.answer) : null,
    trust ? element("p", { class: "trust", "aria-live": "polite" }, trust) : null,
    element("p", { class: "small" }, ranking.basis),
    element(
      "div",
      { class: "charts" },
      section("systems", known.length > 1 ? "Systems" : "System", drawSystems(ranking, chosen)),
      described.length ? section("worst", `${ranking.ranked ? "The worst segments" : "The lowest scores"} of ${short}`, waiting ?? showWorst(settled)) : null,
      ranking.tests[ranking.metric] ? section("pairs", "Differences", drawMatrix(ranking)) : null,
      described.length ? section("spread", `Segments of ${short}`, waiting ?? drawHistogram(settled.set, settled.metric, settled.a, settled.a === best ? -1 : best)) : null,
    ),
    ...ranking.notes.map((note) => element("p", { class: "small" }, note)),
  ];
}

/** The segments that lose most: the reference and the hypothesis, with the words that must move. */
function showWorst({ set, a, metric }) {
  const scores = set.scores(metric, a);
  const perfect = set.directions[metric] > 0 ? 1 : 0;
  const worst = [...sortWorst(set, metric, a).subarray(0, WORST)].filter((row) => Math.abs(scores[row] - perfect) > 1e-6);
  if (!worst.length) return element("p", {}, "Nothing is out of order.");
  const items = worst.map((segment) => {
    const settled = settle({ ...readState(""), a: set.systems[a], set: set.name, metric: set.metrics[metric], segment: segment + 1 }, [set]);
    const link = { ...readState(""), view: "segments", set: set.name, a: set.systems[a], metric: set.metrics[metric], segment: segment + 1 };
    const facts = element("div", {}, element("a", { href: writeState(link), "data-key": `worst ${segment}` }, `Segment ${segment + 1}`), element("div", { class: "small" }, set.write(metric, scores[segment])));
    return element("li", {}, facts, element("div", {}, showMoves(settled)));
  });
  const sort = set.directions[metric] ? "" : "a";
  const all = { ...readState(""), view: "segments", set: set.name, a: set.systems[a], metric: set.metrics[metric], sort };
  return element("div", {}, element("ol", {}, items), element("a", { href: writeState(all), "data-key": "all worst" }, "All segments in this order"));
}

function showMoves({ set, a, reference, segment }) {
  const chunks = set.chunks(a, reference, segment);
  const own = set.words("systems", a, segment) ?? orderOf(chunks).ranks.map((rank) => String(rank + 1));
  const other = set.matches(a, reference, segment) ? set.words("references", reference, segment) : set.words("source", 0, segment);
  const line = (label, words, content) => element("div", { class: "line" }, element("span", { class: "small" }, label), showWords(words, content));
  const marked = chunks && set.matches(a, reference, segment);
  return [
    other ? line(marked ? "ref" : "src", other, marked ? markMoves(other, chunks, "second") : undefined) : null,
    line("hyp", own, chunks ? markMoves(own, chunks, "first") : undefined),
  ].filter(Boolean);
}

function showTables(page) {
  const known = new Map(page.sets.flatMap((set) => set.systems.map((system, place) => [system, { set: set.name, short: set.short[place] }])));
  return [
    ...page.tables.map((table) => showTable(table, known)),
    page.command ? element("section", {}, element("h2", {}, "Reproduce this page"), element("pre", { tabindex: 0 }, element("code", {}, page.command))) : null,
    element("p", { class: "small" }, `Written by wordorder ${page.version}. Everything is in this file; nothing is loaded from elsewhere.`),
  ];
}

function showTable(table, known) {
  const scales = table.columns.map((_, place) => rangeOf(table.rows.map((row) => row[place])));
  const head = table.columns.map((column) => element("th", { scope: "col", class: column.left ? "left" : null }, column.name));
  const rows = table.rows.map((row) =>
    element("tr", {}, row.map((cell, place) => showCell(cell, table.columns[place], place, scales[place], known))),
  );
  const name = table.title || "All numbers";
  return element(
    "section",
    {},
    element("h2", {}, name),
    element(
      "div",
      { class: "wide", tabindex: 0, role: "group", "aria-label": name },
      element("table", { class: "numbers" }, element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows)),
    ),
    table.notes.length ? element("div", { class: "notes" }, table.notes.map((note) => element("p", { class: note.includes("|version:") ? "signature" : null }, note))) : null,
  );
}

function showCell(cell, column, place, scale, known) {
  const best = cell.marks.includes("*");
  const system = column.left ? known.get(cell.value) : undefined;
  const value = element(best ? "strong" : "span", system ? { title: cell.value } : {}, system?.short ?? cell.value);
  if (place === 0) {
    const link = system === undefined ? value : linkToSegments(cell.value, system);
    return element("th", { scope: "row", class: "left" }, link);
  }
  const marks = cell.marks ? element("span", { class: "marks", title: cell.labels.join("; ") }, ` ${cell.marks}`) : null;
  const interval = cell.interval ? element("span", { class: "interval" }, ` ${cell.interval}`) : null;
  const whisker = cell.bounds && cell.number !== null ? drawWhisker(cell, scale) : null;
  return element("td", { class: column.left ? "left" : null }, value, interval, marks, whisker);
}

function linkToSegments(name, { set, short }) {
  const state = { ...readState(""), view: "segments", set, a: name };
  return element("a", { href: writeState(state), title: `${name}: its segments, worst first` }, short);
}

/** Return a range that contains all intervals of a column. */
function rangeOf(cells) {
  const bounds = cells.flatMap((cell) => (cell.bounds && cell.number !== null ? [...cell.bounds, cell.number] : []));
  const [low, high] = [Math.min(...bounds), Math.max(...bounds)];
  return { low, span: high - low || 1 };
}

function drawWhisker(cell, { low, span }) {
  const at = (value) => 3 + (94 * (value - low)) / span;
  const [from, to] = cell.bounds.map(at);
  return drawn(
    "svg",
    { class: "whisker", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    drawn("line", { x1: from, x2: to, y1: 5, y2: 5 }),
    drawn("rect", { x: at(cell.number) - 1.5, y: 1, width: 3, height: 8 }),
  );
}
