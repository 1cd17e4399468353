// The state of the page is stored in the address after the #, so that a link always shows the same view.

const DEFAULTS = {
  view: "overview",
  set: "",
  a: "",
  b: "",
  reference: "",
  metric: "",
  sort: "",
  down: "",
  find: "",
  within: "",
  document: "",
  bucket: "",
  shortest: "",
  longest: "",
  least: "",
  most: "",
  low: "",
  high: "",
  pattern: "",
  segment: "",
};
const LARGEST_FIRST = ["loss", "gap"];
export const VIEWS = ["overview", "patterns", "segments", "compare"];

/** Read the state from the address; missing values have their defaults. */
export function readState(hash = location.hash) {
  const parameters = new URLSearchParams(hash.slice(1));
  const state = {};
  for (const [key, value] of Object.entries(DEFAULTS)) state[key] = parameters.get(key) ?? value;
  if (!VIEWS.includes(state.view)) state.view = DEFAULTS.view;
  return state;
}

/** Write a state as the end of an address, without default values. */
export function writeState(state) {
  const changed = Object.entries(state).filter(([key, value]) => String(value) !== DEFAULTS[key]);
  return `#${new URLSearchParams(changed)}`;
}

/** Change the state. Small changes replace the last entry in the history of the browser. */
export function go(change, { small = false } = {}) {
  const hash = writeState({ ...readState(), ...change });
  if (small) location.replace(hash);
  else location.hash = hash;
}

/** Complete a state: replace missing values, and names of systems and metrics that the set does not have. */
export function settle(state, sets) {
  const set = sets.find((one) => one.name === state.set) ?? sets[0];
  const known = (name, usual) => (set.systems.includes(name) ? set.systems.indexOf(name) : usual);
  const a = known(state.a, set.order[0]);
  const compared = state.view === "compare" && set.systems.length > 1;
  const other = known(state.b, compared ? set.order.find((system) => system !== a) : -1);
  const b = other === a ? -1 : other;
  const metric = set.metrics.includes(state.metric) ? set.metrics.indexOf(state.metric) : set.main;
  const worst = !set.directions[metric] ? "segment" : set.weighted[metric] ? "loss" : "a";
  const sort = state.sort || (compared && b >= 0 ? "gap" : worst);
  const largest = LARGEST_FIRST.includes(sort) || (sort === "a" && set.directions[metric] < 0);
  const down = state.down === "" ? largest : state.down === "1";
  const asked = Number.parseInt(state.segment, 10) - 1;
  const segment = asked >= 0 && asked < set.size ? asked : -1;
  const reference = Number.parseInt(state.reference, 10) - 1;
  const chosen = reference >= 0 && reference < set.references ? reference : closest(set, a, segment);
  const pattern = set.patterns[state.pattern - 1];
  return { set, a, b, metric, sort, down, reference: chosen, segment, pattern };
}

/** The reference with which a system shares the most words in a segment. */
function closest(set, system, segment) {
  const words = (reference) => (set.matches(system, reference, segment) ?? []).reduce((sum, chunk) => sum + chunk.secondSize, 0);
  const counts = segment < 0 ? [] : Array.from({ length: set.references }, (_, reference) => words(reference));
  return Math.max(counts.indexOf(Math.max(...counts)), 0);
}
