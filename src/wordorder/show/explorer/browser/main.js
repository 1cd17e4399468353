// The page: its views and keyboard shortcuts, and the rendering of the state in the address.

import { byId, element } from "./elements.js";
import { readPage, readSets } from "./data.js";
import { go, readState, settle, VIEWS, writeState } from "./state.js";
import { choose, prepareSearch } from "./choosing.js";
import { showOverview } from "./overview.js";
import { listPatterns, showPatterns } from "./patterns.js";
import { SegmentList } from "./list.js";
import { showSegment } from "./segment.js";
import { Scatter } from "./scatter.js";
import { Toolbar } from "./toolbar.js";

const NAMES = { overview: "Overview", patterns: "Patterns", segments: "Segments", compare: "Compare two" };
const KEYS = [
  ["j, k", "next, previous segment"],
  ["/", "find words"],
  ["1, 2, …", "overview and the other views"],
  ["Esc", "close the segment"],
  ["d", "dark or light"],
  ["?", "this help"],
];
const SELECTION_KEYS = ["set", "a", "b", "metric", "sort", "down", "find", "within", "document", "bucket", "shortest", "longest", "least", "most", "low", "high", "pattern"];

const open = (segment) => go({ segment: segment + 1 }, { small: readState().segment !== "" });
const list = new SegmentList(open);
const detail = element("div", { class: "detail" });
const page = readDescription();
const scatter = new Scatter(open, page.ranking);
const views = VIEWS.filter(isThere);
let sets = null;
let damage = null;
let toolbar = null;
let chosen = { key: null, rows: null };

function render() {
  keepFocus(() => {
    const state = readState();
    showViews(state);
    const work = ["segments", "compare"].includes(state.view) && page.sets.length > 0;
    document.body.classList.toggle("work", work && sets !== null);
    if (work && sets) return showWork(state);
    byId("tools").replaceChildren();
    byId("main").className = "";
    const shown = () => (state.view === "patterns" && page.patterns ? showPatterns(page) : showOverview(page, damage ? null : sets));
    if (!work) byId("main").replaceChildren(...(damage ? [warn(damage)] : []), shown());
    else byId("main").replaceChildren(damage ? warn(damage) : element("p", { role: "status" }, "Opening the segments …"));
  });
}

/** Draw, and give the focus back to what had it before. */
function keepFocus(draw) {
  const key = document.activeElement?.dataset?.key;
  draw();
  if (key && document.activeElement?.dataset?.key !== key) document.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

/** Whether the page has something to show in a view. */
function isThere(view) {
  if (view === "overview") return true;
  if (view === "patterns") return Boolean(page.patterns);
  return page.sets.length > 0 && (view !== "compare" || page.sets.some((set) => set.systems.length > 1));
}

function warn(text) {
  return element("p", { role: "status", class: "damaged" }, text);
}

/** Read the description; a page that has none says so. */
function readDescription() {
  try {
    return readPage();
  } catch {
    byId("main").replaceChildren(warn("This file is damaged or incomplete, and nothing in it can be read. Copy it again, or write the page anew."));
    throw new Error("the description of the page cannot be read");
  }
}

function showWork(state) {
  const settled = settle(state, sets);
  if (toolbar?.set !== settled.set) toolbar = Object.assign(new Toolbar(settled.set, sets), { set: settled.set });
  const key = JSON.stringify([SELECTION_KEYS.map((name) => state[name]), state.view === "compare"]);
  if (chosen.key !== key) chosen = { key, rows: choose(settled.set, state, settled) };
  if (toolbar.node.parentNode !== byId("tools")) byId("tools").replaceChildren(toolbar.node);
  toolbar.show(state, settled, chosen.rows.length, settled.set.size);
  const compared = state.view === "compare" && settled.b >= 0;
  const opened = settled.segment >= 0;
  const wanted = [compared ? scatter.node : null, list.node, opened ? detail : null].filter(Boolean);
  const main = byId("main");
  if (wanted.length !== main.children.length || wanted.some((node, place) => node !== main.children[place])) main.replaceChildren(...wanted);
  main.className = [compared ? "compared" : "", opened ? "opened" : ""].join(" ");
  list.show(chosen.rows, settled.set, settled);
  if (compared) scatter.show(chosen.rows, settled.set, settled);
  if (!opened) return;
  const scrolled = detail.scrollTop;
  const folded = detail.querySelector("details");
  detail.replaceChildren(showSegment(settled.set, settled, step, folded?.open));
  detail.scrollTop = detail.dataset.segment === state.segment ? scrolled : 0;
  detail.dataset.segment = state.segment;
}

function showViews(state) {
  const links = views.map((view) => {
    const here = view === state.view;
    return element("a", { href: writeState({ ...state, view }), "data-key": `view ${view}`, "aria-current": here ? "page" : null }, NAMES[view]);
  });
  const help = element("button", { type: "button", title: "Keys (?)", "aria-label": "Keys", "data-key": "keys", onclick: showHelp }, "?");
  const theme = element("button", { type: "button", title: "Dark or light (d)", "aria-label": "Dark or light", "data-key": "theme", onclick: changeTheme }, "◐");
  byId("views").replaceChildren(...links, theme, help);
}

function step(by) {
  const segment = list.near(by);
  if (segment >= 0) open(segment);
}

function changeTheme() {
  const root = document.documentElement;
  const now = root.style.colorScheme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  root.style.colorScheme = now === "dark" ? "light" : "dark";
}

function showHelp() {
  const rows = KEYS.map(([key, meaning]) => element("div", {}, element("dt", {}, element("kbd", {}, key)), element("dd", {}, meaning)));
  const close = element("button", { type: "button", onclick: () => byId("help").close() }, "Close");
  const marks = "Chunks are numbered in the order of the reference; a dashed frame marks chunks that have to move, an arrow where to. The address of the page is a link to the current view.";
  byId("help").replaceChildren(element("h2", { id: "help-title" }, "Keys"), element("dl", {}, rows), element("p", {}, marks), close);
  byId("help").showModal();
}

function press(event) {
  const typing = event.target.closest("input, select, textarea, dialog[open]");
  if (event.key === "Escape" && !byId("help").open) {
    if (typing) event.target.blur();
    else if (readState().segment) go({ segment: "" });
    return;
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const listed = sets && document.body.classList.contains("work");
  const inList = event.target === list.node;
  const acts = {
    "?": showHelp,
    d: changeTheme,
    ...Object.fromEntries(views.map((view, place) => [place + 1, () => go({ view })])),
    ...(page.sets.length ? { "/": find } : {}),
    ...(listed ? { j: () => step(1), k: () => step(-1) } : {}),
    ...(listed && inList ? { ArrowDown: () => step(1), ArrowUp: () => step(-1), Enter: () => detail.querySelector("h2")?.focus() } : {}),
  };
  if (!Object.hasOwn(acts, event.key)) return;
  event.preventDefault();
  acts[event.key]();
}

function find() {
  if (document.body.classList.contains("work") && toolbar) toolbar.focus();
  else {
    addEventListener("hashchange", () => toolbar?.focus(), { once: true });
    go({ view: "segments" });
  }
}

/** Unpack the segments when the whole file is there; the overview does not wait for them. */
async function openSegments() {
  if (document.readyState === "loading") await new Promise((done) => addEventListener("DOMContentLoaded", done));
  try {
    sets = await readSets(page);
    for (const set of sets) set.patterns = listPatterns(page);
  } catch {
    damage = "The segments in this file are damaged or incomplete and cannot be shown. The numbers of the overview were read in full. Copy the file again, or write the page anew.";
  }
  render();
  document.documentElement.dataset.ready = "true";
  if (sets) prepareSearch(sets);
}

byId("title").textContent = page.title;
if (page.patterns && !location.hash) location.replace("#view=patterns");
addEventListener("hashchange", render);
addEventListener("keydown", press);
render();
openSegments();
