// Adjudication between two annotators: their common links stay, and each other link is kept or dropped.

import { Columns } from "../columns.js";
import { element } from "../elements.js";
import { sentence } from "../sentences.js";
import { word } from "../words.js";
import { show as showAlign } from "./align.js";

export function show(view, tools) {
  return view.comparable ? new AdjudicateView(view, tools) : chooseVersion(view, tools);
}

/** For versions with different words: choose the better version and correct it. */
function chooseVersion(view, tools) {
  /** @type {import("../types.js").Part | null} */
  let chosen = null;
  const node = element("div", {});
  const versions = ["first", "second"].map((name, side) => ({ target: view.targets[side], links: [...view.both, ...view[name]] }));
  const pick = (side) => {
    chosen = showAlign({ source: view.source, target: null, links: [] }, { ...tools, answer: { possible: [], ...versions[side] } });
    node.replaceChildren(chosen.node);
  };
  const choose = (side) => {
    pick(side);
    tools.changed();
  };
  const buttons = versions.map(({ target }, side) => element("section", { class: "card" },
    tools.text("p", { class: "sentence" }, sentence(target.join(" "), tools.study.text.lang)),
    element("button", { type: "button", onclick: () => choose(side), "aria-keyshortcuts": String(side + 1) }, `${word("version", { n: side + 1 })} (${side + 1})`)));
  node.append(element("p", {}, word("two_versions")), ...buttons);
  if (tools.answer?.target) {
    versions.push(tools.answer);
    pick(2);
  }
  return {
    node,
    modified: true,
    key(event) {
      if (chosen) return Boolean(chosen.key?.(event));
      if (event.key !== "1" && event.key !== "2") return false;
      choose(Number(event.key) - 1);
      return true;
    },
    draft: () => chosen?.draft() ?? {},
    read: () => chosen?.read() ?? { missing: word("please_answer", { question: word("two_versions") }), focus: () => buttons[0].querySelector("button").focus() },
    left: () => chosen?.left?.(),
  };
}

class AdjudicateView {
  constructor(view, tools) {
    this.view = view;
    this.tools = tools;
    const [source, target] = [view.source, view.targets[0]];
    this.disputed = [...view.first.map((link) => ({ link, who: "A" })), ...view.second.map((link) => ({ link, who: "B" }))]
      .sort((a, b) => a.link[0] - b.link[0] || a.link[1] - b.link[1]);
    const before = tools.answer?.links?.map(String);
    const drafted = tools.answer?.decisions;
    for (const one of this.disputed) one.kept = drafted ? drafted[one.link] ?? null : before ? before.includes(String(one.link)) : null;
    this.columns = new Columns({
      source, target, sourceText: tools.sourceText, text: tools.text, labels: [word("source"), word("target")],
      make: (side, place, label) => element("span", { class: "word" }, label),
    });
    this.rows = this.disputed.map((one, place) => this.row(one, place, source, target));
    this.count = element("p", { class: "small", role: "status" });
    this.node = element("div", { class: "align" }, element("h2", {}, word("adjudicate")),
      element("p", { class: "small keys", dir: "auto" }, word("adjudicate_keys")), this.columns.node, this.count,
      element("ul", { class: "disputed" }, this.rows.map(({ node }) => node)));
    this.at = 0;
    this.hint = "";
    this.refresh();
  }

  row(one, place, source, target) {
    const button = (name, kept, key) => element("button", {
      type: "button", "aria-keyshortcuts": key, onclick: () => this.decide(place, kept), onfocus: () => { this.at = place; this.refresh(); },
    }, word(name));
    const label = `${source[one.link[0]]} – ${target[one.link[1]]}`;
    const buttons = [button("keep", true, "K"), button("drop", false, "D")];
    const node = element("li", { "aria-label": label }, element("span", { class: "pair" }, label),
      element("span", { class: "small" }, word("only", { who: one.who })), buttons);
    return { node, buttons, label };
  }

  decide(place, kept) {
    this.disputed[place].kept = kept;
    this.tools.changed();
    this.at = place;
    const open = this.disputed.findIndex((one, other) => other > place && one.kept === null);
    const next = open >= 0 ? open : this.disputed.findIndex((one) => one.kept === null);
    if (next < 0) this.tools.toNext();
    else this.rows[next].buttons[0].focus();
    this.refresh();
  }

  refresh() {
    const shown = this.disputed.map(({ link, who, kept }, place) => ({
      source: link[0], target: link[1],
      class: `${who === "A" ? "possible" : "dotted"} ${place === this.at ? "strong" : ""} ${kept === false ? "dropped" : ""}`,
    }));
    this.columns.draw([...this.view.both.map(([source, target]) => ({ source, target, class: "faint" })), ...shown]);
    this.rows.forEach(({ buttons }, place) => buttons.forEach((button, drop) =>
      button.setAttribute("aria-pressed", String(this.disputed[place].kept === !drop))));
    this.count.textContent = word("agreed", { n: this.view.both.length, left: this.disputed.filter((one) => one.kept === null).length });
  }

  shown() {
    this.rows[0]?.buttons[0].focus();
  }

  key(event) {
    const move = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (move && this.rows.length) this.rows[Math.max(0, Math.min(this.at + move, this.rows.length - 1))].buttons[0].focus();
    else if (event.key.toLowerCase() === "k" && this.rows.length) this.decide(this.at, true);
    else if (event.key.toLowerCase() === "d" && this.rows.length) this.decide(this.at, false);
    else return false;
    return true;
  }

  draft() {
    return { decisions: Object.fromEntries(this.disputed.map(({ link, kept }) => [link, kept])) };
  }

  read() {
    const open = this.disputed.findIndex((one) => one.kept === null);
    if (open >= 0) return { missing: word("undecided", { link: this.rows[open].label }), focus: () => this.rows[open].buttons[0].focus() };
    const links = [...this.view.both, ...this.disputed.filter((one) => one.kept).map((one) => one.link)];
    return { answer: { target: this.view.targets[0], links: links.sort((a, b) => a[0] - b[0] || a[1] - b[1]), possible: [] } };
  }

  left() {
    this.columns.stop();
  }
}
