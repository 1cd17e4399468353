// Translate, confirm the words, and link them in two columns, by mouse, touch or keyboard.

import { Columns } from "../columns.js";
import { element } from "../elements.js";
import { Linking, cutWords } from "../linking.js";
import { sentence } from "../sentences.js";
import { word } from "../words.js";

const NO_COLUMNS = /** @type {Columns} */ (/** @type {unknown} */ (null)); // before and while the words are made
const CHECK_AFTER = 150;
const RULES = { "non-contiguous alignment": "rule_apart" };
const ruleOf = ({ rule }) => word(RULES[rule] ?? "rule_unaligned");
const letters = (words) => words.join("").replace(/\s+/gu, "");

export function show(view, tools) {
  return new AlignView(view, tools);
}

class AlignView {
  constructor(view, tools) {
    this.view = view;
    this.tools = tools;
    this.modified = true; // Ctrl+Z comes here too
    this.words = tools.answer?.target ?? view.target ?? [];
    this.linking = new Linking(tools.answer?.links ?? view.links, tools.answer?.possible);
    this.held = { side: 0, places: new Set() };
    this.at = [0, 0]; // where the focus is: side and place
    this.node = element("div", { class: "align" });
    /** @type {{ side: string, word: number, rule: string, blocks: boolean }[]} */
    this.findings = [];
    this.columns = NO_COLUMNS;
    /** @type {HTMLElement[][]} */
    this.notes = [[], []];
    /** @type {() => object} */
    this.unfinished = () => ({});
    /** @type {{ read: () => import("../types.js").Reading } | null} */
    this.step = null;
    this.translation = tools.answer?.translation;
    if (tools.answer?.cut) this.showWords(tools.answer.cut);
    else if (this.words.length && !tools.answer?.translating) this.showLinks();
    else this.showTranslation();
  }

  // --- words -------------------------------------------------------------------------------------------------------

  showTranslation() {
    const { sourceText } = this.tools;
    const box = this.tools.text("textarea", { id: "translation", rows: "3", "data-field": "target", maxlength: "5000" });
    box.value = this.translation ?? this.words.join(" ");
    this.unfinished = () => ({ translating: true, translation: box.value });
    const confirm = () => {
      this.translation = box.value;
      this.showWords(cutWords(box.value, this.tools.study.text.lang));
      this.tools.changed();
    };
    this.step = { read: () => (box.value.trim() ? this.then(confirm) : this.ask(word("translate"), box)) };
    this.put(element("div", { class: "given" }, element("div", {}, element("h2", {}, word("source")),
      sourceText("p", { class: "sentence" }, sentence(this.view.source.join(" "), this.tools.study.source.lang)))),
    element("div", { class: "field" }, element("label", { for: "translation" }, word("translate")),
      element("p", { class: "small", dir: "auto", id: "translate-hint" }, word("translate_hint")), box));
    box.setAttribute("aria-describedby", "translate-hint");
  }

  showWords(words) {
    const box = this.tools.text("textarea", { id: "words", rows: "3", "data-field": "target", "aria-describedby": "confirm-hint" });
    this.unfinished = () => ({ cut: box.value.split(" "), translation: this.translation });
    box.value = words.join(" ");
    const confirm = () => {
      const found = box.value.trim().split(/\s+/u);
      this.linking = this.linking.moveTo(this.words, found);
      this.words = found;
      this.showLinks();
      this.tools.changed();
    };
    const check = () => {
      const found = box.value.trim().split(/\s+/u).filter(Boolean);
      if (!found.length) return this.ask(word("confirm"), box);
      if (this.view.target && letters(found) !== letters(this.view.target)) return { missing: word("letters"), focus: () => box.focus() };
      return this.then(confirm);
    };
    this.step = { read: check };
    this.put(element("div", { class: "field" }, element("label", { for: "words" }, word("confirm")),
      element("p", { class: "small", dir: "auto", id: "confirm-hint" }, word("confirm_hint")), box));
  }

  /** Finish a step without sending an answer, and show the next step on the same page. */
  then(work) {
    work();
    return { step: true };
  }

  ask(question, box) {
    return { missing: word("please_answer", { question }), focus: () => box.focus() };
  }

  put(...content) {
    this.columns?.stop();
    this.columns = NO_COLUMNS;
    this.node.replaceChildren(...content);
    this.shown();
  }

  // --- links -------------------------------------------------------------------------------------------------------

  showLinks() {
    const { sourceText, text, fixed } = this.tools;
    this.columns?.stop();
    this.step = null;
    this.unfinished = () => ({ translation: this.translation });
    this.notes = [[], []];
    const make = (side, place, label) => {
      const note = element("small", { class: "note" });
      this.notes[side].push(note);
      return element("button", {
        type: "button", class: "word", tabindex: "-1", disabled: fixed, "data-field": `${["source", "target"][side]}-${place}`,
        onclick: (event) => this.choose(side, place, event.ctrlKey || event.shiftKey || event.metaKey),
        onfocus: () => { this.at = [side, place]; this.paintLinks(); },
        onpointerdown: () => { this.dragged = [side, place]; },
      }, element("span", { class: "form" }, label), note);
    };
    this.columns = new Columns({
      source: this.view.source, target: this.words, sourceText, text, labels: [word("source"), word("target")], make,
    });
    this.columns.node.addEventListener("pointerup", (event) => this.drop(event));
    const button = (name, work, key) => element("button", { type: "button", disabled: fixed, "aria-keyshortcuts": key, onclick: work }, word(name));
    this.node.replaceChildren(
      element("h2", {}, word("link")), element("p", { class: "small", dir: "auto" }, word("link_hint"), " ", element("span", { class: "keys" }, word("link_keys"))), this.columns.node,
      element("div", { class: "toolbar" },
        button("possible", () => this.edit("doubt"), "P"), button("unlink", () => this.edit("clear"), "Delete"),
        button("undo", () => this.stepBack("undo"), "Control+Z"), button("redo", () => this.stepBack("redo"), "Control+Shift+Z"),
        button("edit_words", () => this.showWords(this.words)),
        this.view.target ? null : button("edit_translation", () => { this.translation ??= this.words.join(" "); this.showTranslation(); })),
      element("p", { class: "unseen", role: "status" }));
    this.refresh();
    this.shown();
    this.check();
  }

  shown() {
    if (this.columns) this.focus(...this.at);
    else this.node.querySelector("textarea").focus();
  }

  focus(side, place) {
    if (!this.columns) return;
    const nodes = this.columns.nodes[side];
    this.at = [side, Math.max(0, Math.min(place, nodes.length - 1))];
    nodes[this.at[1]].focus();
  }

  /** Select a word, or link it with the selected words of the other side. */
  choose(side, place, more) {
    this.at = [side, place];
    const { held } = this;
    if (held.places.size && held.side !== side) {
      const pairs = [...held.places].map((other) => (side ? [other, place] : [place, other]));
      const from = Math.min(...held.places);
      this.linking.toggle(pairs);
      this.held = { side: 0, places: new Set() };
      this.changed();
      this.toNextUnlinked(held.side, from);
      return;
    }
    if (held.side !== side || !held.places.size) this.held = { side, places: new Set([place]) };
    else if (more) held.places.has(place) ? held.places.delete(place) : held.places.add(place);
    else this.held = { side, places: held.places.size === 1 && held.places.has(place) ? new Set() : new Set([place]) };
    this.refresh();
  }

  /** After linking, go to the next word without links on the side of the first selected word. */
  toNextUnlinked(side, from) {
    const count = this.columns.nodes[side].length;
    const order = Array.from({ length: count }, (_, step) => (from + 1 + step) % count);
    const free = order.find((place) => !this.linking.of(side, place).length);
    if (free === undefined) this.tools.toNext();
    else this.focus(side, free);
  }

  drop(event) {
    const start = this.dragged;
    this.dragged = null;
    const node = document.elementFromPoint(event.clientX, event.clientY)?.closest(".word");
    const side = this.columns.nodes.findIndex((nodes) => nodes.includes(node));
    if (!start || side < 0 || side === start[0]) return; // not a drag from side to side
    const held = this.held.places.has(start[1]) && this.held.side === start[0] ? this.held : { side: start[0], places: new Set([start[1]]) };
    this.held = held;
    this.choose(side, this.columns.nodes[side].indexOf(node), false);
  }

  edit(work) {
    this.linking[work](...this.at);
    this.changed();
    this.focus(...this.at);
  }

  stepBack(work) {
    if (this.linking[work]()) this.changed();
    this.focus(...this.at);
  }

  changed() {
    this.checked = false;
    this.tools.changed();
    this.refresh();
    clearTimeout(this.checking);
    this.checking = setTimeout(() => this.check(), CHECK_AFTER);
  }

  async check() {
    if (!this.columns) return;
    this.checked = true; // unless links change before the reply
    const found = await this.tools.check(this.answer());
    if (found && this.columns && this.checked) {
      this.findings = found.findings;
      this.refresh();
    }
  }

  // --- what is seen ------------------------------------------------------------------------------------------------

  refresh() {
    const begun = this.linking.links.size > 0;
    this.columns.nodes.forEach((nodes, side) => nodes.forEach((node, place) => {
      const found = this.linking.of(side, place);
      const others = found.map(({ link, sure }) => (sure ? "" : "?") + this.columns.words[1 - side][link[1 - side]]);
      const held = this.held.side === side && this.held.places.has(place);
      const finding = this.findings.find((one) => one.side === ["source", "target"][side] && one.word === place && begun);
      node.classList.toggle("free", !found.length);
      node.setAttribute("aria-pressed", String(held));
      const breach = finding ? word(finding.blocks ? "must" : "should", { rule: ruleOf(finding) }) : "";
      const note = this.notes[side][place];
      note.textContent = finding ? (finding.blocks ? "✖" : "⚠") + (RULES[finding.rule] ? ` ${breach}` : "") : "";
      note.classList.toggle("blocks", Boolean(finding?.blocks));
      const state = others.length ? word("linked_to", { words: others.join(", ") }) : word("not_linked");
      node.title = breach;
      node.setAttribute("aria-label", [this.columns.words[side][place], state, held ? word("chosen") : "", breach].filter(Boolean).join("; "));
    }));
    this.paintLinks();
  }

  paintLinks() {
    if (!this.columns) return;
    const [side, place] = this.at;
    this.columns.nodes.forEach((nodes, other) => nodes.forEach((node, spot) => node.setAttribute("tabindex", other === side && spot === place ? "0" : "-1")));
    this.columns.draw(this.linking.all().map(({ link, sure }) =>
      ({ source: link[0], target: link[1], class: `${sure ? "" : "possible"} ${link[side] === place ? "strong" : "faint"}` })));
  }

  // --- keys --------------------------------------------------------------------------------------------------------

  key(event) {
    if (!this.columns || !this.columns.node.contains(document.activeElement)) return false;
    const [side, place] = this.at;
    const control = event.ctrlKey || event.metaKey;
    if (control && event.key.toLowerCase() === "z") this.stepBack(event.shiftKey ? "redo" : "undo");
    else if (control || event.altKey) return false;
    else if (event.key === "ArrowUp" || event.key === "ArrowDown") this.focus(side, place + (event.key === "ArrowUp" ? -1 : 1));
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const other = this.columns.sideAt(event.key);
      if (other !== side) this.focus(other, this.columns.nearest(other, this.columns.nodes[side][place]));
    } else if (event.key === "Enter") this.choose(side, place, false);
    else if (event.key === " ") this.choose(side, place, true);
    else if (event.key.toLowerCase() === "p") this.edit("doubt");
    else if (event.key === "Delete" || event.key === "Backspace") this.edit("clear");
    else if (event.key === "Escape") {
      this.held = { side, places: new Set() };
      this.refresh();
    } else return false;
    return true;
  }

  answer() {
    return { target: this.words, links: this.linking.list(true), possible: this.linking.list(false) };
  }

  label(right) {
    return right.map((pair) => pair.join(" – ")).join(", ");
  }

  draft() {
    return { ...this.answer(), ...this.unfinished() };
  }

  read() {
    if (this.step) return this.step.read();
    const breach = this.findings.find(({ blocks }) => blocks);
    if (!breach || !this.checked) return { answer: this.answer() };
    const side = breach.side === "target" ? 1 : 0;
    return { missing: word("must", { rule: `${this.columns.words[side][breach.word]}: ${ruleOf(breach)}` }), focus: () => this.focus(side, breach.word) };
  }

  left() {
    this.columns?.stop();
    clearTimeout(this.checking);
  }
}
