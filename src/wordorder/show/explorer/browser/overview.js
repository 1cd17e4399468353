// The overview: tables with intervals and marks, the command that creates the page, and links to segments.

import { drawn, element } from "./elements.js";
import { writeState, readState } from "./state.js";

/** Show all tables of the page; system names in the first column link to their segments. */
export function showOverview(page) {
  const known = new Map(page.sets.flatMap((set) => set.systems.map((system) => [system, set.name])));
  return element(
    "div",
    { class: "overview" },
    page.tables.map((table) => showTable(table, known)),
    page.command ? element("section", {}, element("h2", {}, "Reproduce this page"), element("pre", { tabindex: 0 }, element("code", {}, page.command))) : null,
    element("p", { class: "small" }, `Written by wordorder ${page.version}. Everything is in this file; nothing is loaded from elsewhere.`),
  );
}

function showTable(table, known) {
  const scales = table.columns.map((_, place) => scaleOf(table.rows.map((row) => row[place])));
  const head = table.columns.map((column) => element("th", { scope: "col", class: column.left ? "left" : null }, column.name));
  const rows = table.rows.map((row) =>
    element("tr", {}, row.map((cell, place) => showCell(cell, table.columns[place], place, scales[place], known))),
  );
  const name = table.title || "Overview";
  return element(
    "section",
    {},
    element("h2", {}, name),
    element(
      "div",
      { class: "wide", tabindex: 0, role: "group", "aria-label": name },
      element("table", {}, element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows)),
    ),
    table.notes.length ? element("div", { class: "notes" }, table.notes.map((note) => element("p", { class: note.includes("|version:") ? "signature" : null }, note))) : null,
  );
}

function showCell(cell, column, place, scale, known) {
  const best = cell.marks.includes("*");
  const value = element(best ? "strong" : "span", {}, cell.value);
  if (place === 0) {
    const set = known.get(cell.value);
    const link = set === undefined ? value : linkToSegments(cell.value, set);
    return element("th", { scope: "row", class: "left" }, link);
  }
  const marks = cell.marks ? element("span", { class: "marks", title: cell.labels.join("; ") }, ` ${cell.marks}`) : null;
  const interval = cell.interval ? element("span", { class: "interval" }, ` ${cell.interval}`) : null;
  const whisker = cell.bounds && cell.number !== null ? drawWhisker(cell, scale) : null;
  return element("td", { class: column.left ? "left" : null }, value, interval, marks, whisker);
}

function linkToSegments(system, set) {
  const state = { ...readState(""), view: "segments", set, a: system, sort: "a" };
  return element("a", { href: writeState(state), title: "Its segments, worst first" }, system);
}

/** Return a range that contains all intervals of a column. */
function scaleOf(cells) {
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
