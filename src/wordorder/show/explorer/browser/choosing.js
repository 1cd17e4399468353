// Selecting and sorting the listed segments.

import { runsOn } from "./elements.js";

const lowered = new WeakMap();
const orders = new Map();
const KEPT_ORDERS = 8;

/** Return the numbers of the segments that a state selects, in the order that it requests. */
export function choose(set, state, settled) {
  const kept = filterSegments(set, state, settled);
  return orderSegments(set, settled).filter((row) => kept[row]);
}

/** Return all segments in the requested order; the latest orders are kept, because most changes are to the filter. */
function orderSegments(set, settled) {
  const key = JSON.stringify([set.name, settled.a, settled.b, settled.metric, settled.sort, settled.down]);
  if (!orders.has(key)) {
    if (orders.size === KEPT_ORDERS) orders.clear();
    orders.set(key, sortSegments(allSegments(set), sortKeys(set, settled), settled.down));
  }
  return orders.get(key);
}

function allSegments(set) {
  return new Uint32Array(set.size).map((_, row) => row);
}

/** Mark the segments with the requested words, group, length, matched share and score. */
function filterSegments(set, state, settled) {
  const kept = new Uint8Array(set.size).fill(1);
  for (const term of termsOf(state.find)) {
    const found = findTerm(set, term, state.within);
    for (let row = 0; row < kept.length; row++) kept[row] &= found[row];
  }
  if (settled.pattern) {
    const wanted = new Set(settled.pattern.segments.map(([segment]) => segment));
    for (let row = 0; row < kept.length; row++) kept[row] &= wanted.has(row + 1);
  }
  for (const name of set.groups) {
    const wanted = state[name] === "" ? -1 : set.groupNames(name).indexOf(state[name]);
    if (wanted >= 0) keepIf(kept, set.groupColumn(name), (number) => number === wanted);
  }
  keepRange(kept, set.lengths, state.shortest, state.longest, 1);
  const matched = set.matched(settled.a);
  if (matched) keepRange(kept, matched, state.least, state.most, 0.01);
  keepScores(kept, set.scoresBeside(settled.metric, settled.a, settled.b), state.low, state.high);
  return kept;
}

function keepIf(kept, column, test) {
  for (let row = 0; row < kept.length; row++) if (kept[row] && !test(column[row])) kept[row] = 0;
}

function keepRange(kept, column, least, most, unit) {
  const [low, high] = [Number.parseFloat(least) * unit, Number.parseFloat(most) * unit];
  if (!Number.isNaN(low)) keepIf(kept, column, (value) => value >= low - 1e-6);
  if (!Number.isNaN(high)) keepIf(kept, column, (value) => value <= high + 1e-6);
}

/** Keep scores from one bound to below the other, so that each score is in one class of the histogram. */
function keepScores(kept, column, least, below) {
  const [low, high] = [Number.parseFloat(least), Number.parseFloat(below)];
  if (!Number.isNaN(low)) keepIf(kept, column, (value) => value >= low - 1e-6);
  if (!Number.isNaN(high)) keepIf(kept, column, (value) => value < high - 1e-6);
}

/** Return the sort key of each segment, or null for the original order. */
function sortKeys(set, { a, b, metric, sort }) {
  switch (sort) {
    case "loss":
      return set.losses(metric, a);
    case "gap":
      return b < 0 ? null : set.gaps(metric, a, b);
    case "a":
      return set.scoresBeside(metric, a, b);
    case "b":
      return b < 0 ? null : set.scoresBeside(metric, b, a);
    case "difference":
      return b < 0 ? null : set.differences(metric, a, b);
    case "mean":
      return overSystems(set, metric, (values) => values.reduce((sum, value) => sum + value, 0) / values.length);
    case "spread":
      return overSystems(set, metric, (values) => Math.max(...values) - Math.min(...values));
    case "length":
      return set.lengths;
    case "matched":
      return set.matched(a);
    default:
      return null;
  }
}

function overSystems(set, metric, fold) {
  const columns = set.systems.map((_, system) => set.scores(metric, system));
  const result = new Float32Array(set.size);
  for (let row = 0; row < set.size; row++) {
    const values = columns.map((column) => column[row]).filter((value) => !Number.isNaN(value));
    result[row] = values.length ? fold(values) : Number.NaN;
  }
  return result;
}

/** Return the segments of a system, worst first. */
export function sortWorst(set, metric, a) {
  const weighted = set.weighted[metric] && set.directions[metric] !== 0;
  return orderSegments(set, { a, b: -1, metric, sort: weighted ? "loss" : "a", down: weighted || set.directions[metric] < 0 });
}

/** Sort rows by key, ascending or (`down`) descending; undefined keys come last, and ties keep their order. */
function sortSegments(rows, keys, down) {
  if (!keys) return down ? rows.slice().reverse() : rows;
  const sign = down ? -1 : 1;
  const known = rows.filter((row) => !Number.isNaN(keys[row]));
  const unknown = rows.filter((row) => Number.isNaN(keys[row]));
  known.sort((one, two) => sign * (keys[one] - keys[two]) || one - two);
  const result = new Uint32Array(rows.length);
  result.set(known);
  result.set(unknown, known.length);
  return result;
}

/** Split search text into terms at spaces; quotes keep words together. */
function termsOf(text) {
  return [...text.toLowerCase().matchAll(/"([^"]+)"|([^\s"]+)/g)].map((found) => found[1] ?? found[2]);
}

/** Mark the segments that contain a term in any text, or in a text of the given kind. */
function findTerm(set, term, within) {
  const found = new Uint8Array(set.size);
  const next = searcher(term);
  for (const [kind, number] of searchedTexts(set, within)) {
    const { text, starts } = loweredText(set, kind, number);
    let row = 0;
    for (let place = next(text, 0); place >= 0; ) {
      while (starts[row + 1] <= place) row++;
      found[row] = 1;
      place = next(text, starts[row + 1]);
    }
  }
  return found;
}

function searchedTexts(set, within) {
  const system = set.systems.indexOf(within.replace(/^system /, ""));
  const texts = [];
  for (const kind of ["source", "references", "systems"])
    for (let number = 0; number < set.count(kind); number++) {
      const wanted = within === "" || within === kind || (kind === "systems" && within.startsWith("system ") && number === system);
      if (wanted) texts.push([kind, number]);
    }
  return texts;
}

/** Return a text in lower case with the start of each line; cached for each text. */
function loweredText(set, kind, number) {
  if (!lowered.has(set)) lowered.set(set, new Map());
  const texts = lowered.get(set);
  const key = `${kind} ${number}`;
  if (!texts.has(key)) {
    const text = set.whole(kind, number).toLowerCase();
    const starts = new Uint32Array(set.size + 1);
    for (let row = 0, place = 0; row < set.size; row++) {
      place = text.indexOf("\n", place) + 1;
      starts[row + 1] = place;
    }
    texts.set(key, { text, starts });
  }
  return texts.get(key);
}

/** Prepare texts for searching while the browser is idle. */
export function prepareSearch(sets) {
  const pending = sets.flatMap((set) => searchedTexts(set, "").map((text) => [set, ...text]));
  const prepare = () => {
    if (pending.length) loweredText(...pending.shift());
    if (pending.length) later(prepare);
  };
  const later = globalThis.requestIdleCallback ?? setTimeout;
  later(prepare);
}

/** Return a function that finds a term from a position on; it allows for spaces that a tokeniser has inserted. */
function searcher(term) {
  const signs = [...term];
  const parted = (left, right) => runsOn(left, right) || /[\p{P}\p{S}]/u.test(left) !== /[\p{P}\p{S}]/u.test(right);
  if (!signs.some((sign, place) => place && parted(signs[place - 1], sign))) return (text, from) => text.indexOf(term, from);
  const escaped = (sign) => sign.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const pattern = new RegExp(signs.map((sign, place) => (place && parted(signs[place - 1], sign) ? " ?" : "") + escaped(sign)).join(""), "g");
  return (text, from) => {
    pattern.lastIndex = from;
    return pattern.exec(text)?.index ?? -1;
  };
}
