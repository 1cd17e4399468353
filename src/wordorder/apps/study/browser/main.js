// The course of a study for a participant: consent, details, instructions, items, thanks.

import { Connection, Refused, newUuid } from "./connection.js";
import { detailInput } from "./details.js";
import { byId, element, paragraphs } from "./elements.js";
import { previewBar } from "./preview.js";
import { sentence } from "./sentences.js";
import { Timing } from "./timing.js";
import { useWords, word } from "./words.js";

const DRAFT_EVERY = 10000;
const GOOD_NEWS = 1500;
const ABOVE_STATUS = 8;
const SECOND = 1000;
const FEW_MINUTES = 15;

/** @typedef {import("./types.js").Study} Study */
/** @typedef {import("./types.js").Item} Item */
/** @typedef {import("./types.js").Part} Part */
/** @typedef {import("./types.js").Progress} Progress */

/**
 * What is on the screen. It is `busy` while its answer is sent, `dirty` while the server lacks a part of it, and
 * `answered` once there is feedback.
 * @typedef {{
 *   item: Item, part: Part, form: HTMLFormElement, next: HTMLButtonElement, alert: HTMLElement, timing: Timing,
 *   comment: HTMLTextAreaElement, busy: boolean, dirty: boolean, answered: boolean, drafts: number | undefined,
 * }} Task
 */

/** @type {Connection} */
let connection;
/** @type {Study} */
let study;
/** @type {Task | null} */
let task = null;
/** @type {number | undefined} */
let fading;
let deadline = Infinity; // when the time for taking part is over, by this browser's clock
/** @type {number | undefined} */
let clock;

// --- pages ----------------------------------------------------------------------------------------------------------

function say(message, state = "") {
  const status = byId("status");
  status.textContent = message;
  status.className = state;
  clearTimeout(fading);
  const covered = task && message ? task.form.getBoundingClientRect().bottom - status.getBoundingClientRect().top : 0;
  if (covered > 0 && state !== "good") window.scrollBy(0, covered + ABOVE_STATUS); // below the form there is room
  if (state === "good") fading = setTimeout(() => say(""), GOOD_NEWS);
}

function showPage(title, ...content) {
  leaveTask();
  const heading = element("h1", { tabindex: "-1", dir: "auto" }, title);
  byId("main").replaceChildren(element("div", { class: "page" }, heading, ...content));
  window.scrollTo(0, 0);
  heading.focus();
}

function primary(label, action) {
  const button = element("button", { class: "primary", type: "button", onclick: () => run(button, action) }, label);
  return element("div", { class: "actions" }, button);
}

/** Run an action once even if a button is pressed repeatedly, and show its errors. */
async function run(button, action) {
  if (button.getAttribute("aria-disabled")) return;
  button.setAttribute("aria-disabled", "true");
  try {
    await action();
  } catch (error) {
    await complain(error);
  } finally {
    button.removeAttribute("aria-disabled");
  }
}

async function complain(error) {
  if (error instanceof Refused && error.status === 403 && study?.progress && (await hasEnded())) {
    showEnd();
  } else if (error instanceof Refused && [401, 403].includes(error.status)) {
    byId("header").hidden = true;
    showPage(study?.title || document.title, element("p", { role: "alert" }, error.message),
      connection.hasPending() ? element("p", {}, word("not_stored")) : null);
  } else if (!byId("main").childElementCount) {
    showPage(document.title, element("p", { role: "alert" }, error instanceof Refused ? error.message : word("wrong", { message: error.message })));
  } else say(error instanceof Refused ? error.message : word("wrong", { message: error.message }), "bad");
}

/** Return whether the part of the person has ended in a way that has a page, such as when the time is over. */
async function hasEnded() {
  try {
    setProgress((await connection.get("study")).progress);
  } catch {
    return false;
  }
  return study.progress.end !== null;
}

/** @param {Progress} progress */
function setProgress(progress) {
  study.progress = progress;
  deadline = progress.left === null ? Infinity : performance.now() + progress.left;
}

/** Show how many minutes are left when they are few, and the last page when the time is over. */
function timeLeft() {
  const shown = element("span", { class: "time-left", dir: "auto" });
  const tick = () => {
    const left = deadline - performance.now();
    const minutes = Math.max(0, Math.ceil(left / 60 / SECOND));
    shown.textContent = minutes > FEW_MINUTES ? "" : word("minutes_left", { n: minutes });
    if (left <= 0) complain(new Refused(403, { error: word("late") }));
    else clock = setTimeout(tick, Math.min(left, 10 * SECOND));
  };
  clearTimeout(clock);
  tick();
  return shown;
}

/** Show the title and the progress of the person. */
function showHeader({ done, total }, item) {
  const header = byId("header");
  header.hidden = false;
  header.replaceChildren(...[
    element("span", { class: "title", dir: "auto" }, study.title),
    item ? element("span", { class: "where" },
      item.practice ? element("strong", { class: "practice" }, word("practice")) : null,
      element("span", { id: "progress-text", dir: "auto" }, word("progress", { n: item.place + 1, done, total })),
      element("progress", { max: String(total || 1), value: String(done), "aria-labelledby": "progress-text" })) : null,
    item && deadline < Infinity ? timeLeft() : null,
    item ? keySwitch() : null,
    study.pages.instructions
      ? element("button", { type: "button", class: "quiet", onclick: openInstructions }, word("instructions")) : item && withdrawal(),
  ].filter(Boolean));
}

/** Make a button that switches single keys off and on, for people who press them by accident or speak to their computer. */
function keySwitch() {
  const button = element("button", { type: "button", class: "quiet key-switch", onclick: () => {
    connection.storage.write("keys", hasKeys() ? "off" : null);
    paintKeys();
  } });
  const paintKeys = () => {
    button.textContent = word(hasKeys() ? "keys_on" : "keys_off");
    document.body.classList.toggle("keys-off", !hasKeys());
  };
  paintKeys();
  return button;
}

const hasKeys = () => connection.storage.read("keys") !== "off";

function openInstructions() {
  const dialog = element("dialog", { "aria-label": word("instructions"), onclose: () => dialog.remove() },
    element("h2", {}, word("instructions")), paragraphs(study.pages.instructions),
    study.pages.examples ? [element("h2", {}, word("examples")), paragraphs(study.pages.examples)] : null,
    element("div", { class: "actions" }, withdrawal()),
    element("form", { method: "dialog" }, element("button", { class: "primary" }, word("close"))));
  document.body.append(dialog);
  dialog.showModal();
}

/** Make a button with which people delete everything that is stored about them, here and on the server. */
function withdrawal() {
  if (study.role !== "person") return null;
  const withdraw = async () => {
    if (!window.confirm(word("withdraw_sure"))) return;
    await connection.ask("POST", "withdraw", {});
    document.querySelector("dialog")?.close();
    showPage(study.title, element("p", { role: "status" }, word("withdrawn")));
    byId("header").hidden = true;
    connection.storage.clear();
  };
  const button = element("button", { type: "button", class: "quiet", onclick: () => run(button, withdraw) }, word("withdraw"));
  return button;
}

// --- course ---------------------------------------------------------------------------------------------------------

/** Return a parameter of the address, which services put before or after the `#`. */
function parameter(/** @type {string} */ name) {
  const parts = `${location.search.slice(1)}&${location.hash.slice(1).replace("?", "&")}`;
  return new URLSearchParams(parts).get(name);
}

async function start() {
  useWords(JSON.parse(byId("page-words").textContent));
  const token = parameter("t");
  if (!token || /[^!-~]/u.test(token)) { // a header cannot contain other characters
    showPage(document.title, element("p", {}, word("no_link")));
    return;
  }
  connection = new Connection(token, say);
  try {
    study = await connection.get("study");
    document.title = study.title || document.title;
    if (study.role === "open") await join();
    else if (study.role === "admin") await (await import("./admin.js")).showAdmin(connection, say);
    else {
      await connection.flush();
      if (study.links && !study.progress.consented) await connection.store("consent", { text: study.consent });
      setProgress((await connection.get("study")).progress);
      if (study.links) {
        byId("header").before(previewBar(study, { showConsent, showDetails, showInstructions, showItem, showEnd }));
        showConsent();
      } else showStep();
    }
  } catch (error) {
    await complain(error);
  }
}

/** Become a participant through an open link: the one with the id in the address, or the one of this browser. */
async function join() {
  const id = study.id ? parameter(study.id) ?? "" : null;
  let token = id === null ? connection.storage.read("joined") : null;
  if (!token) {
    ({ token } = await connection.ask("POST", "join", { uuid: newUuid(), id }));
    if (id === null) connection.storage.write("joined", token);
  }
  history.replaceState(null, "", `${location.pathname}#t=${token}`);
  location.reload(); // the page loads again for this person
}

function showStep() {
  const { progress, pages, fields } = study;
  if (progress.end && progress.end !== "finished" && progress.end !== "failed") showEnd();
  else if (!progress.consented) showConsent();
  else if (fields.length && !progress.details && study.role === "person") showDetails();
  else if (!progress.done && !study.instructed && pages.instructions) showInstructions();
  else if (progress.next === null) showEnd();
  else showItem(progress.next);
}

/** Keep what a reply says about progress, and the next item if it has one. */
function keepReply({ progress, item }) {
  setProgress(progress);
  study.item = item ?? null;
}

function showConsent() {
  const agreed = async () => {
    keepReply(await connection.store("consent", { text: study.consent }));
    showStep();
  };
  showPage(study.title, paragraphs(study.pages.consent ?? ""), primary(word(study.pages.consent ? "agree" : "begin"), agreed));
}

function showDetails() {
  const kept = connection.readDraft("details") ?? {};
  const inputs = study.fields.map((field, place) => detailInput(field, place, kept[field.name] ?? ""));
  const read = () => Object.fromEntries(inputs.map(({ field, value }) => [field.name, value()]));
  const send = async () => {
    const wrong = inputs.find(({ problem }) => problem());
    say(wrong?.problem() ?? "", "bad");
    wrong?.focus();
    if (wrong) return;
    keepReply(await connection.store("details", { fields: read() }));
    study.progress.details = true;
    showStep();
  };
  const button = element("button", { class: "primary" }, word("go_on"));
  const keep = () => connection.keepDraft("details", null, read());
  const form = element("form", { novalidate: true, oninput: keep, onsubmit: (event) => { event.preventDefault(); run(button, send); } },
    inputs.map(({ node }) => node), element("div", { class: "actions" }, button));
  showPage(word("details"), form);
}

function showInstructions() {
  const begin = () => {
    study.instructed = true;
    showStep();
  };
  showPage(word("instructions"), paragraphs(study.pages.instructions ?? ""),
    study.pages.examples ? [element("h2", {}, word("examples")), paragraphs(study.pages.examples)] : null,
    primary(word("begin"), begin));
}

/** Show the last page: thanks, or why the person cannot take part; and the way back to the recruiting service. */
function showEnd() {
  const { progress, pages, back } = study;
  const end = progress.end ?? "finished";
  const done = end === "finished" || end === "failed";
  byId("header").hidden = !done;
  if (done) showHeader(progress, null);
  const link = progress.link ? element("a", { class: "button primary", href: progress.link, rel: "noreferrer" },
    word("finish", { place: new URL(progress.link).host })) : null;
  showPage(done ? word("thank_you") : study.title, paragraphs(done ? pages.thanks || word("thanks") : word(end)),
    progress.code ? element("p", { class: "code", dir: "auto" }, word("code", { code: "" }), element("strong", { dir: "ltr" }, progress.code)) : null,
    done ? element("p", { id: "you", dir: "auto" }, word("you_are", { person: study.person })) : null,
    element("div", { class: "actions" },
      done && back && progress.total ? element("button", { type: "button", onclick: () => showItem(progress.total - 1) }, word("back")) : null, link),
    element("div", { class: "actions" }, withdrawal()));
  say("");
}

// --- items ----------------------------------------------------------------------------------------------------------

async function showItem(/** @type {number} */ place) {
  try {
    const ready = study.item?.place === place ? study.item : await connection.get(`item/${place}`);
    study.item = null;
    const name = study.role === "adjudicator" ? "adjudicate" : study.kind;
    const { show } = await import(`./kinds/${name}.js`);
    paint(ready, show);
  } catch (error) {
    complain(error);
  }
}

/** Make an element in the language of the sentences or of the source. */
const inLanguage = (/** @type {"text" | "source"} */ which) => (name, properties, ...content) =>
  element(name, { ...study[which], lang: study[which].lang || null, ...properties }, ...content);

/** Show the source and the reference, if there are any. */
function given(view) {
  const parts = /** @type {["source" | "reference", "source" | "text"][]} */ ([["source", "source"], ["reference", "text"]]).filter(([name]) => view[name]);
  return element("div", { class: "given" }, parts.map(([name, which]) =>
    element("div", {}, element("h2", {}, word(name)), inLanguage(which)("p", { class: "sentence" }, sentence(view[name], study[which].lang)))));
}

/**
 * Show an item with the part of its kind.
 * @param {Item} item
 * @param {(view: any, tools: import("./types.js").Tools) => Part} show
 */
function paint(item, show) {
  leaveTask();
  const next = element("button", { type: "submit", class: "primary" }, word("next"));
  const alert = element("p", { class: "alert", role: "alert", dir: "auto" });
  const kept = connection.readDraft("answer", item);
  const draft = kept?.revises === item.versions ? kept.answer : item.draft; // one of an earlier version is outdated
  const answer = (item.fixed ? null : draft) ?? item.answer;
  const part = show(item.view, {
    study,
    answer,
    fixed: item.fixed,
    text: inLanguage("text"),
    sourceText: inLanguage("source"),
    given,
    toNext: () => next.focus(),
    changed: () => keepDraft(),
    check: (answer) => connection.sendOptional("check", { place: item.place, answer }),
  });
  const before = answer?.comment ?? "";
  const comment = element("textarea", { id: "comment", rows: "2", maxlength: "2000", disabled: item.fixed });
  comment.value = before;
  const form = element("form", { class: `task ${study.kind}`, "data-place": String(item.place + 1), novalidate: true, onsubmit: (event) => { event.preventDefault(); submit(); } },
    element("h1", { tabindex: "-1", class: "unseen" }, `${study.title} – ${item.place + 1}`),
    part.node,
    element("details", { class: "comment", open: Boolean(before) }, element("summary", {}, word("comment")),
      element("label", { for: "comment", class: "unseen" }, word("comment")), comment),
    alert,
    element("div", { class: "actions" },
      study.back && item.place > 0
        ? element("button", { type: "button", class: "back", onclick: () => goTo(item.place - 1) }, word("back")) : null,
      element("span", { class: item.fixed ? "hint" : "hint keys", dir: "auto" }, item.fixed ? word("fixed") : part.hint ?? ""),
      next));
  task = { item, part, form, next, alert, comment, timing: new Timing(), busy: false, drafts: undefined, dirty: false, answered: false };
  form.addEventListener("input", () => { // not "change": buttons must not move under a click
    alert.textContent = "";
    keepDraft();
  });
  showHeader(study.progress, item);
  byId("main").replaceChildren(form);
  window.scrollTo(0, 0);
  form.querySelector("h1").focus({ preventScroll: true });
  part.shown?.();
  if (!item.versions && study.role === "person") connection.sendOptional("shown", { place: item.place });
}

function leaveTask() {
  if (!task) return;
  task.timing.stop();
  clearTimeout(task.drafts);
  clearTimeout(clock);
  task.part.left?.();
  task = null;
}

/** Save an unfinished answer on this device immediately, and on the server every ten seconds. */
function keepDraft() {
  if (!task || task.item.fixed || task.answered) return;
  const { item, part, comment } = task;
  const draft = () => ({ ...part.draft(), comment: comment.value });
  connection.keepDraft("answer", item, { revises: item.versions, answer: draft() });
  task.dirty = true;
  task.drafts ??= setTimeout(function send() {
    if (!task || task.item !== item) return;
    task.drafts = setTimeout(send, DRAFT_EVERY);
    if (task.dirty) sendDraft(task, draft());
  }, DRAFT_EVERY);
}

/** Save an unfinished answer on the server; until it is there, the browser warns before the page is left. */
async function sendDraft(/** @type {Task} */ current, /** @type {object} */ answer) {
  current.dirty = false;
  const { place, key } = current.item;
  if (!(await connection.sendOptional("draft", { place, answer, key }))) current.dirty = true;
}

async function goTo(place) {
  if (task?.busy) return;
  say("");
  await showItem(place);
}

/** Send the answer on the screen; the next item is shown only after it is stored. */
async function submit() {
  const current = task;
  if (!current || current.busy) return;
  const { item, part } = current;
  if (item.fixed || current.answered) {
    advance(item);
    return;
  }
  const reading = part.read();
  current.alert.textContent = "missing" in reading ? reading.missing : "";
  if ("missing" in reading) reading.focus();
  if (!("answer" in reading)) return; // such as a translation before its links
  const comment = current.comment.value.trim();
  const whole = comment ? { ...reading.answer, comment } : reading.answer;
  if (item.versions && isSame(whole, item.answer)) {
    advance(item);
    return;
  }
  current.busy = true;
  current.next.setAttribute("aria-disabled", "true");
  const waiting = setTimeout(() => say(word("storing")), 300);
  const content = { place: item.place, answer: whole, revises: item.versions, key: item.key };
  try {
    const reply = await connection.store("answer", { ...content, ...current.timing.read() });
    clearTimeout(waiting);
    keepReply(reply);
    current.dirty = false;
    say(reply.feedback ? "" : word("stored"), "good"); // feedback must not be covered
    if (reply.feedback) showFeedback(current, reply.feedback);
    else advance(item);
  } catch (error) {
    clearTimeout(waiting);
    await recover(current, error);
  } finally {
    current.busy = false;
    current.next.removeAttribute("aria-disabled");
  }
}

/** Return whether two answers are equal, regardless of the order of their fields. */
function isSame(one, other) {
  const sorted = (key, value) =>
    (value && typeof value === "object" && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort()) : value);
  return JSON.stringify(one, sorted) === JSON.stringify(other, sorted);
}

/** After a refusal, go to the current item according to the server, or to the field that must be corrected. */
async function recover(/** @type {Task} */ current, /** @type {any} */ error) {
  if (error instanceof Refused && error.status === 409) {
    keepReply(await connection.get("study"));
    showStep();
    say(word("elsewhere"));
  } else if (error instanceof Refused && error.status === 422) {
    say("");
    current.alert.textContent = error.message;
    const place = current.form.querySelector(`[data-field="${CSS.escape(error.field)}"]`);
    /** @type {HTMLElement | null} */ (place?.querySelector("input, button, textarea") ?? place)?.focus();
  } else await complain(error);
}

/** Go to the next item: the one after a revisited item, otherwise the first item without an answer. */
function advance(item) {
  const { progress } = study;
  const following = item.versions && item.place + 1 < progress.total ? item.place + 1 : progress.next;
  if (following === null) showEnd();
  else showItem(following);
}

/** Show whether the answer was right and what is; let people disagree, unless they are only practising. */
function showFeedback(/** @type {Task} */ current, { correct, right, reason }) {
  const why = element("textarea", { id: "why", rows: "2", maxlength: "2000" });
  const object = element("button", { type: "button", onclick: () => run(object, async () => {
    await connection.store("objection", { place: current.item.place, text: why.value.trim() });
    panel.querySelector(".objection").replaceChildren(element("p", {}, word("objected")));
    current.next.focus();
  }) }, word("disagree"));
  const heading = element("h2", { tabindex: "-1", dir: "auto" },
    correct ? word("right") : word("expected", { answer: current.part.label?.(right) ?? String(right) }));
  const panel = element("section", { class: "feedback" }, heading, reason ? element("p", { dir: "auto" }, reason) : null,
    current.item.practice ? null : element("div", { class: "objection" }, element("label", { for: "why" }, word("disagree_why")), why, object));
  current.answered = true;
  for (const input of current.part.node.querySelectorAll("input, button")) input.toggleAttribute("disabled", true);
  current.alert.before(panel);
  heading.focus();
}

// --- keys -----------------------------------------------------------------------------------------------------------

function isTyping(/** @type {EventTarget | null} */ target) {
  return target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === "text");
}

document.addEventListener("keydown", (event) => {
  if (!task || event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
  if (isTyping(event.target)) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) task.form.requestSubmit();
    return;
  }
  const on = (/** @type {string} */ names) => event.target instanceof Element && event.target.closest(names);
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (plain && event.key.length === 1 && event.key !== " " && !hasKeys()) return;
  if ((plain || task.part.modified) && !task.item.fixed && !task.answered && task.part.key?.(event)) {
    event.preventDefault();
  } else if (event.key === "Enter" && plain && !on("button, a, summary, label, input")) {
    event.preventDefault();
    task.form.requestSubmit();
  } else if (event.key === "Enter" && plain && on("input[type=checkbox]")) {
    event.preventDefault();
    task.form.requestSubmit();
  }
});
addEventListener("beforeunload", (event) => {
  if (task?.dirty || task?.busy || connection?.hasPending()) event.preventDefault();
});
addEventListener("hashchange", () => location.reload()); // nothing of another person remains
start();
