// The page of the researcher: the progress of the study, and actions such as closing it.

import { newUuid } from "./connection.js";
import { byId, element } from "./elements.js";

const EVERY = 5000;

/** Show the progress of the study, and update it regularly. */
export async function showAdmin(connection, say) {
  const act = async (action, more = {}) => {
    await connection.ask("POST", "admin", { uuid: newUuid(), time: Date.now(), action, ...more });
    await draw();
    say("Done", "good");
  };
  let known = "";
  const draw = async () => {
    const found = await connection.get("admin");
    const now = JSON.stringify(found);
    if (now === known) return; // nothing is redrawn under somebody's hands
    known = now;
    const focus = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.action;
    byId("main").replaceChildren(page(found, act, say));
    const again = focus && byId("main").querySelector(`[data-action="${CSS.escape(focus)}"]`);
    if (again) /** @type {HTMLElement} */ (again).focus();
  };
  await draw();
  setInterval(() => document.hidden || draw().catch(() => {}), EVERY);
}

function page(found, act, say) {
  document.title = found.title;
  document.body.className = "admin";
  const doing = (action, more) => () => act(action, more).catch((error) => say(error.message, "bad"));
  const toggle = found.closed ? "reopen" : "close";
  return element("div", {},
    element("h1", { tabindex: "-1" }, found.title),
    element("p", {}, `${found.kind}; ${found.closed ? "closed" : found.full ? "full" : "open"}; ${found.answers} answers; ${found.complete} of `
      + `${found.items} items have the ${found.per_item} answers wanted; fewest answers to an item: ${found.fewest}`),
    element("p", {}, element("button", { type: "button", "data-action": toggle, onclick: doing(toggle) },
      found.closed ? "Reopen the study" : "Close the study")),
    found.gold ? element("p", { class: "small" }, `${found.gold.needed} of ${found.gold.items} gold items must be right; `
      + `somebody who guesses passes with probability ${found.gold.chance.toFixed(3)}.`) : null,
    people(found.people, doing),
    element("p", { class: "small" }, "seconds: median time per answer; hidden: total seconds while the page was in a tab "
      + "that was not visible; gold, checks: right answers out of those given to gold items and attention checks."),
    table("Lists", ["list", "finished or active", "finished"], found.lists.map((row) => [row.list, row.occupied, row.finished])),
    found.objections.length
      ? table("Objections", ["person", "item", "what they say"], found.objections.map((row) => [row.person, row.item, row.text])) : null);
}

/** Format a local time as in ISO 8601, to the minute. */
function when(time) {
  if (!time) return "–";
  const local = new Date(time - new Date(time).getTimezoneOffset() * 60000);
  return local.toISOString().slice(0, 16).replace("T", " ");
}

function people(rows, doing) {
  const share = ([right, asked]) => (asked ? `${right}/${asked}` : "–");
  const heads = ["person", "status", "list", "answers", "seconds", "hidden", "gold", "checks", "objections", "last seen", ""];
  const cells = rows.map((row) => {
    const action = row.status === "excluded" ? "readmit" : "exclude";
    const reason = () => (action === "exclude" ? window.prompt(`Why do you exclude ${row.person}?`) : "");
    const button = element("button", {
      type: "button", "data-action": `${action} ${row.person}`, "aria-label": `${action} ${row.person}`,
      onclick: () => { const why = reason(); if (why !== null) doing(action, { person: row.person, reason: why })(); },
    }, action);
    return [
      row.person, row.status + (row.reason ? `: ${row.reason}` : "") + (row.failed ? " (fails checks)" : ""), row.list ?? "–",
      row.total ? `${row.answered}/${row.total}` : "–", row.seconds === null ? "–" : row.seconds.toFixed(1), row.hidden.toFixed(0),
      share(row.gold), share(row.attention), row.objections, when(row.last),
      row.role === "person" && row.status !== "withdrawn" ? button : "",
    ];
  });
  return table("Participants", heads, cells, rows.map((row) => (row.failed ? "failed" : null)));
}

function table(caption, heads, rows, classes = []) {
  return element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption }, element("table", {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, heads.map((head) => (head ? element("th", { scope: "col" }, head) : element("td", {}))))),
    element("tbody", {}, rows.map((row, place) => element("tr", { class: classes[place] },
      row.map((cell) => element("td", { class: typeof cell === "string" && cell.length > 40 ? "text" : null }, cell instanceof Node ? cell : String(cell))))))));
}
