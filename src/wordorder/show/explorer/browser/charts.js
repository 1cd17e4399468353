// The charts of the overview: systems with their intervals, differences between all pairs, and segment scores.

import { drawn, element, figure, signed } from "./elements.js";
import { readState, writeState } from "./state.js";

const CLASSES = 20;
const WRITTEN = 6;
const MOST_RIVALS = 3;
const pairsOf = new WeakMap();

/** A table of systems, best first: rank, score as a dot with its interval, and share of matched words. */
export function drawSystems(ranking, chosen) {
  const { systems, metric } = ranking;
  const scale = scaleOf(systems);
  const matched = systems.some((system) => system.matched !== null);
  const ranked = systems.some((system) => system.rank);
  const head = [ranked ? "rank" : null, "system", metric, "", matched ? "matched" : null].filter((name) => name !== null);
  const rows = systems.map((system) => {
    const here = system.name === chosen;
    const choose = element("a", { href: writeState({ ...readState(), a: system.name }), title: system.name, "data-key": `choose ${system.name}`, "aria-current": here ? "true" : null }, system.short);
    return element(
      "tr",
      { class: here ? "chosen" : null },
      ranked ? element("td", { class: "rank" }, system.rank) : null,
      element("th", { scope: "row", class: "left name" }, choose),
      element("td", { class: "plot" }, drawDot(system, scale)),
      element("td", { class: "value" }, system.value === null ? "–" : figure(system.value)),
      matched ? element("td", { class: "matched" }, system.matched === null ? "–" : drawShare(system.matched)) : null,
    );
  });
  const ticks = scale.ticks.map((tick) => element("span", { style: { left: `${scale.at(tick)}%` } }, tick.toFixed(scale.digits)));
  const foot = element("tr", {}, element("td", { colspan: ranked ? 2 : 1 }), element("td", { class: "plot" }, element("div", { class: "ticks" }, ticks)), element("td", { colspan: matched ? 2 : 1 }));
  return element(
    "table",
    { class: "dots" },
    element("thead", {}, element("tr", {}, head.map((name) => element(name ? "th" : "td", name ? { scope: "col", class: name === "system" || name === metric ? "left" : name } : {}, name)))),
    element("tbody", {}, rows),
    element("tfoot", { "aria-hidden": "true" }, foot),
  );
}

/** A scale that contains all scores and intervals, with a few round numbers as ticks. */
function scaleOf(systems) {
  const ends = systems.flatMap(({ value, low, high }) => [value, low, high]).filter((end) => end !== null);
  const [low, high] = ends.length ? [Math.min(...ends), Math.max(...ends)] : [0, 1];
  const span = high - low || Math.abs(high) || 1;
  const rough = span / 4;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].find((factor) => factor * unit >= rough);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9; k++) ticks.push(k * step);
  return { at: (value) => 4 + (92 * (value - low)) / span, ticks, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}

function drawDot({ value, low, high }, { at, ticks }) {
  const line = (kind, from, to, y = 12) => drawn("line", { class: kind, x1: from, x2: to, y1: y, y2: y });
  return drawn(
    "svg",
    { viewBox: "0 0 100 24", preserveAspectRatio: "none", "aria-hidden": "true" },
    ticks.map((tick) => drawn("line", { class: "grid", x1: at(tick), x2: at(tick), y1: 0, y2: 24 })),
    low === null ? null : line("whisker", at(low), at(high)),
    value === null ? null : line("dot", at(value), at(value)),
  );
}

function drawShare(share) {
  const bar = drawn("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, drawn("rect", { class: "bar", width: Math.min(100 * share, 100), height: 10 }));
  return [bar, element("span", {}, `${Math.round(100 * share)}%`)];
}

/** A matrix of the differences between all pairs of systems; each cell leads to the segments behind it. */
export function drawMatrix(ranking) {
  const { metric } = ranking;
  const pairs = ranking.tests[metric];
  const tested = new Set(pairs.flatMap(({ a, b }) => [a, b]));
  const systems = ranking.systems.filter(({ name }) => tested.has(name));
  const most = Math.max(...pairs.map((pair) => Math.abs(pair.difference ?? 0))) || 1;
  const words = systems.length <= WRITTEN;
  const start = readState("");
  const cell = (row, column) => {
    const found = findTest(ranking, metric, systems[row].name, systems[column].name);
    if (!found) return element("td", { class: "none" });
    const { test, sign } = found;
    const difference = test.difference === null ? null : sign * test.difference;
    const state = { ...start, view: "compare", a: systems[row].name, b: systems[column].name, metric };
    const kind = [difference > 0 ? "higher" : difference < 0 ? "lower" : "", test.significant ? "" : "unsure"].join(" ");
    const [one, two] = [row, column].map((place) => systems[place].name);
    const text = `${one} against ${two}: ${describePair(ranking, metric, one, two) || "not compared"}`;
    const link = element("a", { href: writeState(state), class: kind, title: text, "aria-label": text, tabindex: row === 0 && column === 1 ? 0 : -1, "data-key": `cell ${row} ${column}` }, words && difference !== null ? signed(difference) : "");
    link.style.setProperty("--size", `${Math.round(12 + ((words ? 30 : 48) * Math.abs(difference ?? 0)) / most)}%`);
    return element("td", {}, link);
  };
  const heads = systems.map((system) => element("th", { scope: "col", title: system.name }, element("span", {}, system.short)));
  const rows = systems.map((system, row) => element("tr", {}, element("th", { scope: "row", class: "left", title: system.name }, system.short), systems.map((_, column) => cell(row, column))));
  const key = (kind, text) => element("span", {}, element("span", { class: `key ${kind}` }), ` ${text}`);
  return [
    element("table", { class: words ? "matrix words" : "matrix", onkeydown: moveFocus }, element("thead", {}, element("tr", {}, element("td"), heads)), element("tbody", {}, rows)),
    element("p", { class: "small legend" }, key("higher", "row better"), key("lower", "column better"), key("higher unsure", "not significant")),
  ];
}

/** Move the focus from cell to cell with the arrow keys; the Tab key leaves the matrix. */
function moveFocus(event) {
  const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
  if (!step) return;
  event.preventDefault();
  const cell = event.target.closest("td");
  let [row, column] = [cell.parentNode.rowIndex, cell.cellIndex];
  let next = cell;
  do {
    [row, column] = [row + step[0], column + step[1]];
    next = event.currentTarget.rows[row]?.cells[column];
  } while (next?.className === "none");
  const link = next?.querySelector("a");
  if (!link) return;
  event.target.tabIndex = -1;
  link.tabIndex = 0;
  link.focus();
}

/** Find the test of two systems under a metric, and the sign that turns its difference into a minus b. */
function findTest({ tests }, metric, a, b) {
  const made = tests[metric];
  if (!made) return null;
  if (!pairsOf.has(made)) pairsOf.set(made, new Map(made.map((test) => [`${test.a}\n${test.b}`, test])));
  const [there, back] = [`${a}\n${b}`, `${b}\n${a}`].map((pair) => pairsOf.get(made).get(pair));
  return there ? { test: there, sign: 1 } : back ? { test: back, sign: -1 } : null;
}

/** Say which of two systems is better under a metric, and how certain that is; empty if they were not tested. */
export function describePair(ranking, metric, a, b) {
  const found = findTest(ranking, metric, a, b);
  if (!found || found.test.difference === null) return "";
  const { test } = found;
  const ahead = (test.difference < 0) !== (found.sign < 0) ? [b, a] : [a, b];
  const [one, two] = ahead.map((name) => ranking.systems.find((system) => system.name === name).short);
  const same = Math.abs(test.difference) < 1e-9;
  const head = same ? `${one} and ${two} score the same` : test.significant ? `${one} is better than ${two}` : `${one} and ${two} cannot be told apart`;
  const common = test.common && test.common.difference !== null ? `; on the words that both match, ${writeSize(test.common, test.difference < 0)}${test.common.may_come_from_matching ? ", so it may come from which words match" : ""}` : "";
  return same ? `${head} by ${metric}.` : `${head} by ${metric}: difference ${writeSize(test, test.difference < 0)}${common}.`;
}

/** Say which systems could be as good as the best one or, if there is none, which one comes closest. */
export function describeRivals(ranking) {
  const best = ranking.systems[0]?.name;
  const tests = (ranking.tests[ranking.metric] ?? []).filter((test) => test.a === best && test.difference !== null);
  const place = (test) => ranking.systems.findIndex((system) => system.name === test.b);
  const rivals = tests.filter((test) => !test.significant).sort((one, two) => place(one) - place(two));
  if (tests.length < 2) return "";
  if (!rivals.length) return describePair(ranking, ranking.metric, best, ranking.systems[1].name);
  const named = rivals.slice(0, MOST_RIVALS).map((test) => `${ranking.systems[place(test)].short} (p ${writeP(test.p_corrected)})`);
  const more = rivals.length > named.length ? [`${rivals.length - named.length} more`] : [];
  const list = [...named, ...more];
  return `Could be as good: ${list.length > 1 ? `${list.slice(0, -1).join(", ")} and ${list.at(-1)}` : list[0]}.`;
}

/** Write a difference with its interval and p-value; `back` subtracts the first system from the second. */
function writeSize({ difference, low, high, p_corrected: p, decidable }, back) {
  const write = (value) => (back ? -value : value).toFixed(3).replace("-", "−").replace("−0.000", "0.000");
  const ends = low === null ? "" : ` (${(back ? [high, low] : [low, high]).map(write).join(" to ")})`;
  return `${write(difference)}${ends}, ${decidable ? `p ${writeP(p)}` : "too little data to test"}`;
}

function writeP(p) {
  return p === null ? "not tested" : p < 0.0001 ? "< 0.0001" : `= ${Number(p.toPrecision(2))}`;
}

/** A histogram of the segment scores of a system, over the outline of another; each bar leads to its segments. */
export function drawHistogram(set, metric, system, other) {
  const columns = [system, other].filter((one) => one >= 0).map((one) => set.scores(metric, one));
  let [low, high] = [0, 1];
  for (const column of columns) for (const value of column) if (!Number.isNaN(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const width = (high - low) / CLASSES;
  const counted = columns.map((column) => {
    const counts = new Array(CLASSES).fill(0);
    for (const value of column) if (!Number.isNaN(value)) counts[Math.min(Math.floor((value - low) / width + 1e-6), CLASSES - 1)]++;
    return counts;
  });
  const most = Math.max(...counted.flat(), 1);
  const at = (place) => (100 * place) / CLASSES;
  const start = readState("");
  const bars = counted[0].map((count, place) => {
    const [from, to] = [low + place * width, low + (place + 1) * width];
    const state = { ...start, view: "segments", set: set.name, a: set.systems[system], metric: set.metrics[metric], low: from.toFixed(4), high: place < CLASSES - 1 ? to.toFixed(4) : "" };
    const text = `${count} segments from ${from.toFixed(2)} to ${to.toFixed(2)}`;
    const bar = drawn("rect", { class: "bar", x: at(place) + 0.3, width: 100 / CLASSES - 0.6, y: 100 - (100 * count) / most, height: (100 * count) / most });
    const room = drawn("rect", { class: "room", x: at(place), width: 100 / CLASSES, y: 0, height: 100 });
    return drawn("a", { href: writeState(state), "aria-label": text }, drawn("title", {}, text), room, bar);
  });
  const line = counted[1] ? drawn("path", { class: "outline", d: `M0 100${counted[1].map((count, place) => `V${100 - (100 * count) / most}H${at(place + 1)}`).join("")}V100` }) : null;
  const undefinedScores = columns[0].reduce((sum, value) => sum + Number.isNaN(value), 0);
  const key = (kind, name) => element("span", {}, element("span", { class: `key ${kind}` }), ` ${name}`);
  const chart = element(
    "div",
    { class: "histogram" },
    drawn("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", role: "group", "aria-label": "Segment scores" }, bars, line),
    element("div", { class: "ticks", "aria-hidden": "true" }, [0, 0.25, 0.5, 0.75, 1].map((part) => element("span", { style: { left: `${100 * part}%` } }, (low + part * (high - low)).toFixed(2)))),
  );
  const rest = element("span", {}, `highest bar: ${most} segments${undefinedScores ? `; ${undefinedScores} have no score` : ""}`);
  return [chart, element("p", { class: "small legend" }, key("filled", set.short[system]), other >= 0 ? key("outlined", set.short[other]) : null, rest)];
}
