// What is shown is said by the address after the #, so that a link shows a colleague the same thing.

const USUAL = {
  view: "overview",
  set: "",
  a: "",
  b: "",
  reference: "",
  metric: "",
  sort: "segment",
  down: "",
  find: "",
  within: "",
  document: "",
  bucket: "",
  shortest: "",
  longest: "",
  least: "",
  most: "",
  segment: "",
};
export const VIEWS = ["overview", "segments", "compare"];

/** Read the state from the address; what is not said is as usual. */
export function readState(hash = location.hash) {
  const said = new URLSearchParams(hash.slice(1));
  const state = {};
  for (const [key, usual] of Object.entries(USUAL)) state[key] = said.get(key) ?? usual;
  if (!VIEWS.includes(state.view)) state.view = USUAL.view;
  return state;
}

/** Write a state as the end of an address; what is as usual is left out. */
export function writeState(state) {
  const said = Object.entries(state).filter(([key, value]) => String(value) !== USUAL[key]);
  return `#${new URLSearchParams(said)}`;
}

/** Change what is shown. Small steps take the place of the last one in the history of the browser. */
export function go(change, { small = false } = {}) {
  const hash = writeState({ ...readState(), ...change });
  if (small) location.replace(hash);
  else location.hash = hash;
}

/** Settle what a state leaves open, or says of systems and metrics that a set does not have. */
export function settle(state, sets) {
  const set = sets.find((one) => one.name === state.set) ?? sets[0];
  const known = (name, usual) => (set.systems.includes(name) ? set.systems.indexOf(name) : usual);
  const a = known(state.a, 0);
  const compared = state.view === "compare" && set.systems.length > 1;
  const b = known(state.b, compared ? (a === 0 ? 1 : 0) : -1);
  const metric = Math.max(set.metrics.indexOf(state.metric), 0);
  const asked = Number.parseInt(state.segment, 10) - 1;
  const segment = asked >= 0 && asked < set.size ? asked : -1;
  const reference = Number.parseInt(state.reference, 10) - 1;
  const chosen = reference >= 0 && reference < set.references ? reference : closest(set, a, segment);
  return { set, a, b: b === a ? -1 : b, metric, reference: chosen, segment };
}

/** The reference of which a system has most words in a segment. */
function closest(set, system, segment) {
  const words = (reference) => (set.matches(system, reference, segment) ?? []).reduce((sum, chunk) => sum + chunk.secondSize, 0);
  const counts = segment < 0 ? [] : Array.from({ length: set.references }, (_, reference) => words(reference));
  return Math.max(counts.indexOf(Math.max(...counts)), 0);
}
