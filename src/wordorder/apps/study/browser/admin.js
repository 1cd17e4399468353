// The page of the researcher: the progress of the study, live, and actions such as closing it.

import { newUuid } from "./connection.js";
import { byId, drawn, element } from "./elements.js";

const EVERY = 5000;
const AGREEMENT_EVERY = 30000;
const WIDTH = 320;
const HEIGHT = 110;
const HOUR = 3600000;
const MOST_BARS = 60;

/** Show the progress of the study, and update it regularly. */
export async function showAdmin(connection, say) {
  const act = async (action, more = {}) => {
    await connection.ask("POST", "admin", { uuid: newUuid(), time: Date.now(), action, ...more });
    await draw();
    say("Done", "good");
  };
  const doing = (work) => () => work().catch((error) => say(error.message, "bad"));
  const tools = {
    act: (action, more) => doing(() => act(action, more)),
    download: doing(async () => {
      say("Packing …");
      await download(connection);
      say("Done", "good");
    }),
    refuse: () => say("Say why, so that the analysis can report it.", "bad"),
  };
  let known = "";
  /** @type {any} */
  let agreement = null;
  let measured = 0;
  const draw = async () => {
    const found = await connection.get("admin");
    if (Date.now() - measured > AGREEMENT_EVERY && (found.answers !== agreement?.answers)) {
      measured = Date.now();
      agreement = { answers: found.answers, ...await connection.get("agreement") };
    }
    const now = JSON.stringify([found, agreement]);
    if (now === known) return; // nothing is redrawn under somebody's hands
    known = now;
    keepPlace(() => byId("main").replaceChildren(page(found, agreement, tools)));
  };
  await draw();
  setInterval(() => document.hidden || draw().catch(() => {}), EVERY);
}

/** Redraw the page without losing the focus, open details and scrolled tables. */
function keepPlace(work) {
  const named = (node) => node.getAttribute("data-action") ?? node.getAttribute("aria-label");
  /** @type {(name: string) => HTMLElement | null} */
  const find = (name) => byId("main").querySelector(`[data-action="${CSS.escape(name)}"], [aria-label="${CSS.escape(name)}"]`);
  const focus = document.activeElement && named(document.activeElement);
  const open = [...byId("main").querySelectorAll("details[open] > summary")].map(named);
  const scrolled = [...byId("main").querySelectorAll(".wide")].map((node) => [named(node), node.scrollLeft, node.scrollTop]);
  work();
  for (const name of open) find(name)?.parentElement?.setAttribute("open", "");
  for (const [name, left, top] of scrolled) find(name)?.scrollTo(left, top);
  if (focus) find(focus)?.focus({ preventScroll: true });
}

async function download(connection) {
  const headers = { authorization: `Bearer ${connection.token}` };
  const reply = await fetch("api/everything", { headers, cache: "no-store", credentials: "omit" });
  if (!reply.ok) throw new Error((await reply.json()).error);
  const url = URL.createObjectURL(await reply.blob());
  element("a", { href: url, download: "study.zip" }).click();
  setTimeout(() => URL.revokeObjectURL(url), EVERY);
}

function page(found, agreement, tools) {
  document.title = found.title;
  document.body.className = "admin";
  const toggle = found.closed ? "reopen" : "close";
  const finished = found.people.filter((row) => row.status === "finished").length;
  const items = found.progress.filter((row) => row.role === "item");
  return element("div", {},
    element("h1", { tabindex: "-1" }, found.title),
    element("p", {}, `${found.kind}; ${found.closed ? "closed" : found.full ? "full" : "open"}; ${found.answers} answers; ${found.complete} of `
      + `${found.items} items have the ${found.per_item} answers wanted; fewest answers to an item: ${found.fewest}`),
    element("div", { class: "actions" },
      element("button", { type: "button", "data-action": toggle, onclick: tools.act(toggle) }, found.closed ? "Reopen the study" : "Close the study"),
      element("button", { type: "button", "data-action": "download", onclick: tools.download }, "Download everything")),
    element("div", { class: "charts" },
      chart("Answers over time", over(found.hours)),
      chart(`Answers to each item (wanted: ${found.per_item})`, items.map((row) => bar(row.answers, row.item, row.answers >= found.per_item)), found.per_item),
      chart("Seconds per answer", found.times.map((count, place) => bar(count, between(found.bounds, place)))),
      chart("People on each list", found.lists.map((row) => bar(row.occupied, `list ${row.list}`, true, row.finished)))),
    found.gold ? element("p", { class: "small" }, `${found.gold.needed} of ${found.gold.items} gold items must be right; `
      + `somebody who guesses passes with probability ${found.gold.chance.toFixed(3)}.`) : null,
    people(found.people, finished, tools),
    element("p", { class: "small" }, "Dashed: answers wanted. Lists: those who have finished, and paler those who are active. seconds: median time per answer; hidden: total seconds while the page was in a tab "
      + "that was not visible; gold, checks: right answers out of those given to gold items and attention checks."),
    agreement?.rows.length ? table("Agreement so far", agreement.heads, agreement.rows.map((row) => row.map(number))) : null,
    agreement ? element("p", { class: "small" }, agreement.notes.join("; ")) : null,
    folded(`Items (${found.progress.length})`, "items", table("Items", ["item", "sentence", "condition", "kind", "answers", "seconds"],
      found.progress.map((row) => [row.item, row.group, row.condition || "–", row.role, row.answers, number(row.seconds)]))),
    found.comments.length ? folded(`Comments (${found.comments.length})`, "comments", table("Comments", ["person", "item", "comment"], found.comments)) : null,
    found.objections.length
      ? table("Objections", ["person", "item", "what they say"], found.objections.map((row) => [row.person, row.item, row.text])) : null);
}

function folded(label, name, ...content) {
  return element("details", {}, element("summary", { "data-action": name }, label), ...content);
}

// --- charts ---------------------------------------------------------------------------------------------------------

/** A bar of a chart; `part` is the part of it that is drawn darker, and `good` whether enough is there. */
function bar(value, label, good = true, part = value) {
  return { value, label, good, part };
}

/** Describe a bin of the histogram of seconds. */
function between(bounds, place) {
  if (place === bounds.length) return `over ${bounds.at(-1)} s`;
  return `${place ? bounds[place - 1] : 0}–${bounds[place]} s`;
}

/** Return bars of answers per hour, or of longer times if there are too many hours. */
function over(hours) {
  if (!hours.length) return [];
  const first = hours[0][0];
  const span = hours.at(-1)[0] - first + HOUR;
  const step = HOUR * ([1, 3, 6, 24, 168].find((size) => span / (size * HOUR) <= MOST_BARS) ?? 1e6);
  const bars = Array.from({ length: Math.ceil(span / step) }, (_, place) => bar(0, when(first + place * step).slice(5)));
  for (const [hour, count] of hours) {
    const one = bars[Math.floor((hour - first) / step)];
    one.value += count;
    one.part = one.value;
  }
  return bars;
}

/** Draw bars; `wanted` is a height that is marked by a line. */
function chart(caption, bars, wanted = 0) {
  const most = Math.max(1, wanted, ...bars.map((one) => one.value));
  const step = WIDTH / Math.max(bars.length, 8);
  const high = (value) => HEIGHT * value / most;
  const box = (one, value, place, kind) => drawn("rect", {
    class: kind, x: place * step, y: HEIGHT - high(value), width: Math.max(step * 0.85, 0.5), height: high(value),
  }, drawn("title", {}, `${one.label}: ${one.value}`));
  return element("figure", {},
    element("figcaption", {}, caption),
    drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": `${caption}: ${bars.map((one) => `${one.label}: ${one.value}`).join(", ") || "none"}` },
      bars.flatMap((one, place) => [box(one, one.value, place, one.part < one.value ? "bar pale" : one.good ? "bar" : "bar lacking"), one.part < one.value ? box(one, one.part, place, "bar") : []]),
      wanted ? drawn("line", { class: "wanted", x1: 0, x2: WIDTH, y1: HEIGHT - high(wanted), y2: HEIGHT - high(wanted) }) : null),
    element("div", { class: "ends" }, element("span", {}, bars[0]?.label ?? "–"), element("span", {}, `most: ${Math.max(0, ...bars.map((one) => one.value))}`),
      element("span", {}, bars.length > 1 ? bars.at(-1).label : "")));
}

// --- tables ---------------------------------------------------------------------------------------------------------

function number(value) {
  return value === null ? "–" : typeof value === "number" && !Number.isInteger(value) ? value.toFixed(3).replace(/0{1,2}$/u, "") : value;
}

/** Format a local time as in ISO 8601, to the minute. */
function when(time) {
  if (!time) return "–";
  const local = new Date(time - new Date(time).getTimezoneOffset() * 60000);
  return local.toISOString().slice(0, 16).replace("T", " ");
}

function people(rows, finished, tools) {
  const share = ([right, asked]) => (asked ? `${right}/${asked}` : "–");
  const heads = ["person", "status", "list", "answers", "seconds", "hidden", "gold", "checks", "objections", "last seen", ""];
  const cells = rows.map((row) => {
    const action = row.status === "excluded" ? "readmit" : "exclude";
    const decide = () => {
      const reason = action === "exclude" ? window.prompt(`Why do you exclude ${row.person}?`) : "";
      if (action === "exclude" && reason?.trim() === "") tools.refuse();
      else if (reason !== null) tools.act(action, { person: row.person, reason })();
    };
    const button = element("button", {
      type: "button", "data-action": `${action} ${row.person}`, "aria-label": `${action} ${row.person}`, onclick: decide,
    }, action);
    return [
      row.person, row.status + (row.reason ? `: ${row.reason}` : "") + (row.fails ? ` (fails: ${row.fails})` : ""), row.list ?? "–",
      row.total ? `${row.answered}/${row.total}` : "–", row.seconds === null ? "–" : row.seconds.toFixed(1), row.hidden.toFixed(0),
      share(row.gold), share(row.attention), row.objections, when(row.last),
      row.role === "person" && row.status !== "withdrawn" ? button : "",
    ];
  });
  const classes = rows.map((row) => (row.fails ? "failed" : null));
  return table(`Participants (${rows.length}, ${finished} finished)`, heads, cells, classes);
}

function table(caption, heads, rows, classes = []) {
  return element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption }, element("table", {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, heads.map((head) => (head ? element("th", { scope: "col" }, head) : element("td", {}))))),
    element("tbody", {}, rows.map((row, place) => element("tr", { class: classes[place] },
      row.map((cell) => element("td", { class: typeof cell === "string" && cell.length > 40 ? "text" : null }, cell instanceof Node ? cell : String(cell))))))));
}
