// Move words to where they belong, without other changes.

import { choiceGroup, keyGroups } from "../choices.js";
import { element } from "../elements.js";
import { sentence } from "../sentences.js";
import { word } from "../words.js";

export function show(view, tools) {
  return new MarkView(view, tools);
}

class MarkView {
  constructor(view, tools) {
    this.view = view;
    this.tools = tools;
    this.modified = true;
    this.moves = [...(tools.answer?.moves ?? [])];
    this.held = new Set();
    /** @type {HTMLElement[]} */
    this.nodes = [];
    /** @type {HTMLElement[]} */
    this.gaps = [];
    /** @type {ReturnType<typeof choiceGroup>[]} */
    this.groups = [];
    this.at = 0; // the place of the word with the focus, in the order as it is now
    this.gap = null; // the gap with the focus, if it is a gap
    this.line = tools.text("div", { class: "sentence movable", role: "group", "aria-label": word("mark"), "data-field": "moves" });
    this.right = element("input", { type: "checkbox", id: "right", disabled: tools.fixed, "aria-keyshortcuts": "R" });
    this.right.checked = tools.answer?.right ?? Boolean(tools.answer && !this.moves.length); // a draft says it itself
    this.fine = element("label", { class: "check", for: "right" }, this.right, word("order_right"));
    this.list = element("div", { class: "moves" });
    this.status = element("p", { class: "unseen", role: "status" });
    this.undo = element("button", { type: "button", "aria-keyshortcuts": "Control+Z", onclick: () => this.takeBack() }, word("undo"));
    this.node = element("div", {}, tools.given(view), element("h2", {}, word("mark")), element("p", { class: "small", dir: "auto" }, word("mark_hint"), " ", element("span", { class: "keys" }, word("mark_keys"))),
      this.line, element("div", { class: "toolbar" }, this.undo, this.fine), this.list, this.status);
    this.draw();
  }

  /** Return the original positions of the words in the current order. */
  order() {
    const count = this.view.words.length;
    let order = Array.from({ length: count }, (_, place) => place);
    for (const { words, before } of this.moves) {
      const moved = order.filter((place) => words.includes(place));
      order = order.filter((place) => !words.includes(place));
      order.splice(before === count ? order.length : order.indexOf(before), 0, ...moved);
    }
    return order;
  }

  draw() {
    const { words } = this.view;
    const order = this.order();
    const moved = new Set(this.moves.flatMap((move) => move.words));
    const gapAt = (spot) => element("button", {
      type: "button", class: "gap", tabindex: "-1", disabled: !this.held.size || this.tools.fixed, onclick: () => this.drop(spot),
      onfocus: () => { this.gap = spot; },
      "aria-label": spot < order.length ? word("gap", { word: words[order[spot]] }) : word("gap_end"),
    });
    this.gaps = [];
    this.nodes = [];
    const parts = order.map((place, spot) => {
      const gap = gapAt(spot);
      const node = element("button", {
        type: "button", class: `word${moved.has(place) ? " moved" : ""}`, tabindex: "-1", disabled: this.tools.fixed, "aria-pressed": String(this.held.has(place)),
        onclick: () => this.choose(spot), onfocus: () => { this.at = spot; this.gap = null; },
      }, words[place]);
      this.gaps.push(gap);
      this.nodes.push(node);
      return element("span", { class: "unit" }, gap, node); // every row begins with a gap
    });
    this.gaps.push(gapAt(order.length));
    this.line.classList.toggle("choosing", this.held.size > 0);
    this.line.replaceChildren(...parts, this.gaps.at(-1));
    this.at = Math.min(this.at, order.length - 1);
    this.nodes[this.at]?.setAttribute("tabindex", "0");
    this.undo.disabled = !this.moves.length || this.tools.fixed;
    this.fine.hidden = this.moves.length > 0;
    this.drawMoves();
  }

  drawMoves() {
    const { words, severities } = this.view;
    this.groups = this.moves.map((move, place) => {
      const label = `${place + 1}. ${word("moved", { words: move.words.map((one) => words[one]).join(" ") })}`;
      const options = severities.map((value, number) => ({ value, label: word(value), key: String(number + 1), note: String(number + 1) }));
      const group = choiceGroup({ field: `move-${place}`, legend: label, options, chosen: move.severity, disabled: this.tools.fixed });
      group.node.addEventListener("change", () => {
        this.moves[place] = { ...this.moves[place], severity: group.value() };
        this.tools.changed();
      });
      return group;
    });
    this.list.replaceChildren(...(this.groups.length ? [element("h2", {}, word("severity"))] : []), ...this.groups.map((group) => group.node));
  }

  choose(spot) {
    const place = this.order()[spot];
    if (!this.held.delete(place)) this.held.add(place);
    this.at = spot;
    this.draw();
    this.nodes[spot].focus();
  }

  /** Move the selected words into a gap: before the first unselected word after the gap. */
  drop(spot) {
    const order = this.order();
    const before = order.slice(spot).find((place) => !this.held.has(place)) ?? this.view.words.length;
    const words = order.filter((place) => this.held.has(place));
    this.held.clear();
    this.gap = null;
    const same = JSON.stringify(order);
    this.moves.push({ words, before, severity: null });
    if (JSON.stringify(this.order()) === same) this.moves.pop(); // nothing has moved
    else this.right.checked = false;
    this.tools.changed();
    this.at = this.order().indexOf(words[0]);
    this.draw();
    this.nodes[this.at].focus();
    this.status.textContent = word("moved", { words: words.map((one) => this.view.words[one]).join(" ") });
  }

  takeBack() {
    this.moves.pop();
    this.held.clear();
    this.gap = null;
    this.tools.changed();
    this.draw();
    this.nodes[this.at].focus();
  }

  shown() {
    this.nodes[0].focus({ preventScroll: true });
  }

  key(event) {
    const control = event.ctrlKey || event.metaKey;
    if (control && event.key.toLowerCase() === "z") {
      if (this.moves.length) this.takeBack();
      return true;
    }
    if (control || event.altKey) return false;
    if (event.key.toLowerCase() === "r" && !this.moves.length) {
      this.right.checked = !this.right.checked;
      this.tools.changed();
      if (this.right.checked) this.tools.toNext();
      return true;
    }
    const asked = this.groups.some((group) => group.value() === null || group.holds(document.activeElement));
    if (asked && keyGroups(this.groups, event, this.tools.toNext)) return true;
    if (!this.line.contains(document.activeElement)) return false;
    const forwards = getComputedStyle(this.line).direction === "rtl" ? "ArrowLeft" : "ArrowRight"; // as it is read
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") this.walk(event.key === forwards ? 1 : -1);
    else if (event.key === " " && this.gap === null) this.choose(this.at);
    else if (event.key === "Enter" && this.gap !== null) this.drop(this.gap);
    else if (event.key === "Enter" && this.held.size) this.gaps[this.at].focus();
    else if (event.key === "Escape") this.leave();
    else return event.key === "Enter" ? this.finish() : false;
    return true;
  }

  finish() {
    const open = this.groups.find((group) => group.value() === null);
    if (open) open.focus();
    else this.tools.toNext();
    return true;
  }

  walk(step) {
    if (this.gap === null) this.nodes[Math.max(0, Math.min(this.at + step, this.nodes.length - 1))].focus();
    else this.gaps[Math.max(0, Math.min(this.gap + step, this.gaps.length - 1))].focus();
  }

  leave() {
    if (this.gap === null) {
      this.held.clear();
      this.draw();
    }
    this.gap = null;
    this.nodes[this.at].focus();
  }

  label(right) {
    return sentence(right.join(" "), this.tools.study.text.lang);
  }

  draft() {
    return { moves: this.moves, right: this.right.checked };
  }

  read() {
    if (!this.moves.length && !this.right.checked) return { missing: word("please_mark"), focus: () => this.nodes[this.at].focus() };
    const open = this.groups.find((group) => group.value() === null);
    if (open) return { missing: word("please_answer", { question: `${word("severity")} ${open.legend}` }), focus: open.focus };
    return { answer: { moves: this.moves } };
  }
}
