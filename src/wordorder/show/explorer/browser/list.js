// The list of segments. Only visible rows are elements, so lists can be long.

import { element, figure, joinWords, signed } from "./elements.js";
import { go } from "./state.js";

const [ROW_HEIGHT, TALL] = [36, 62];
const [TEXT_WIDTH, NUMBER_WIDTH] = [240, 130];
const SPARE = 8;
const PRINTED = 200;
const SHOWN = 50;

/** A list of segments; `open` is called with the segment that the user selects. */
export class SegmentList {
  #rows = new Uint32Array(0);
  #body = element("div", { role: "rowgroup", class: "body" });
  #head = element("div", { role: "row", class: "row head", "aria-rowindex": 1 });
  #columns = [];
  #chosen = -1;
  #shown = "";
  #printing = false;
  #height = ROW_HEIGHT;

  constructor(open) {
    this.open = open;
    this.node = element(
      "div",
      { role: "grid", class: "list", tabindex: 0, "aria-label": "Segments", onscroll: () => this.#draw() },
      element("div", { role: "rowgroup", class: "top" }, this.#head),
      this.#body,
    );
    new ResizeObserver(() => this.#fit()).observe(this.node);
    addEventListener("beforeprint", () => this.#print(true));
    addEventListener("afterprint", () => this.#print(false));
  }

  /** Show rows of a set, with columns for the compared systems. */
  show(rows, set, settled) {
    const fresh = rows !== this.#rows;
    this.#rows = rows;
    this.#chosen = settled.segment;
    this.#columns = columnsOf(set, settled);
    this.#fit(false);
    this.#head.replaceChildren(...this.#columns.map((column, place) => headingOf(column, place, settled)));
    const widths = this.#columns.map((column) => column.width);
    this.node.style.setProperty("--columns", widths.join(" "));
    this.node.style.setProperty("--first-line", widths.filter((_, place) => this.#columns[place].kind === "number").join(" "));
    this.node.setAttribute("aria-rowcount", rows.length + 1);
    this.node.setAttribute("aria-colcount", this.#columns.length);
    this.#body.style.height = `${Math.max(rows.length, 1) * this.#height}px`;
    if (fresh) this.node.scrollTop = 0;
    this.#shown = "";
    this.#reveal(rows.indexOf(settled.segment));
    this.#draw();
  }

  /** The segment that is `step` rows away from the selected one. */
  near(step) {
    const here = this.#rows.indexOf(this.#chosen);
    const there = here < 0 ? 0 : Math.min(Math.max(here + step, 0), this.#rows.length - 1);
    return this.#rows.length ? this.#rows[there] : -1;
  }

  /** Give rows two lines where the list is narrow, and draw them again. */
  #fit(redraw = true) {
    const narrow = this.node.clientWidth < TEXT_WIDTH + NUMBER_WIDTH * (this.#columns.length - 1);
    const height = narrow ? TALL : ROW_HEIGHT;
    const changed = height !== this.#height;
    this.#height = height;
    this.node.classList.toggle("narrow", narrow);
    if (changed) this.#shown = "";
    if (!redraw) return;
    if (changed) this.#body.style.height = `${Math.max(this.#rows.length, 1) * height}px`;
    if (changed) this.#reveal(this.#rows.indexOf(this.#chosen));
    this.#draw();
  }

  #reveal(place) {
    if (place < 0) return;
    const [top, height] = [place * this.#height, this.node.clientHeight - this.#head.offsetHeight];
    if (top < this.node.scrollTop) this.node.scrollTop = top;
    else if (top + this.#height > this.node.scrollTop + height) this.node.scrollTop = top + this.#height - height;
  }

  #print(printing) {
    this.#printing = printing;
    this.#shown = "";
    this.#draw();
  }

  #draw() {
    const height = this.node.clientHeight || 600;
    const first = this.#printing ? 0 : Math.max(Math.floor(this.node.scrollTop / this.#height) - SPARE, 0);
    const last = Math.min(this.#printing ? PRINTED : first + Math.ceil(height / this.#height) + 2 * SPARE, this.#rows.length);
    if (this.#shown === `${first} ${last}`) return;
    this.#shown = `${first} ${last}`;
    const drawnRows = [];
    for (let place = first; place < last; place++) drawnRows.push(this.#row(place));
    this.#body.replaceChildren(...(drawnRows.length ? drawnRows : [noRow(this.#columns.length)]));
    this.node.setAttribute("aria-activedescendant", this.#body.querySelector("[aria-selected=true]")?.id ?? "");
  }

  #row(place) {
    const segment = this.#rows[place];
    const cells = this.#columns.map((column) => column.cell(segment));
    return element(
      "div",
      {
        role: "row",
        class: "row",
        id: `segment${segment + 1}`,
        "aria-rowindex": place + 2,
        "aria-selected": segment === this.#chosen ? "true" : "false",
        style: { top: `${place * this.#height}px` },
        onclick: () => this.open(segment),
      },
      cells,
    );
  }
}

function noRow(columns) {
  return element("div", { role: "row", class: "row message" }, element("div", { role: "gridcell", "aria-colspan": columns }, "no segment matches; clear the search or the filter"));
}

function tenth(value) {
  return Number.isNaN(value) ? "–" : value.toFixed(1);
}

function headingOf(column, place, { sort, down }) {
  const sorted = column.sort !== null && sort === column.sort;
  const order = sorted ? (down ? "descending" : "ascending") : "none";
  const next = sorted ? (down ? "0" : "1") : "";
  const arrow = sorted ? element("span", { "aria-hidden": "true" }, down ? " ▼" : " ▲") : null;
  const act = () => go({ sort: column.sort, down: next }, { small: true });
  const label = column.sort
    ? element("button", { type: "button", class: "plain", title: column.title, "data-key": `sort ${column.sort}`, onclick: act }, column.name, arrow)
    : column.name;
  return element("div", { role: "columnheader", "aria-colindex": place + 1, "aria-sort": column.sort ? order : null, class: column.kind }, label);
}

function columnsOf(set, { a, b, metric, sort }) {
  const number = (name, sort, title, value, write = figure) => ({
    name,
    sort,
    title,
    kind: "number",
    width: "minmax(3.2rem, 9rem)",
    cell: (segment) => element("div", { role: "gridcell", class: "number" }, write(value(segment))),
  });
  const on = set.onCommonWords(metric, a, b) ? ", on the words that both match" : "";
  const score = (system, other, sort) => {
    const values = set.scoresBeside(metric, system, other);
    const title = `By ${set.metrics[metric]} of ${set.systems[system]}${on}`;
    return number(set.short[system], sort, title, (segment) => values[segment], (value) => set.write(metric, value));
  };
  const columns = [
    { ...number("#", "segment", "By number", (segment) => segment + 1, String), width: "3.4rem" },
    {
      name: { references: "reference", source: "source", systems: set.short[0] }[set.summarised] ?? "order",
      sort: null,
      kind: "words",
      width: "minmax(0, 1fr)",
      cell: (segment) => element("div", { role: "gridcell", class: "words", dir: "auto" }, joinWords(set.summary(segment).slice(0, SHOWN))),
    },
    score(a, b, "a"),
  ];
  if (b >= 0) {
    const [one, two] = [set.scoresBeside(metric, a, b), set.scoresBeside(metric, b, a)];
    const difference = (segment) => Number(figure(one[segment])) - Number(figure(two[segment])); // of the scores as shown, so that a row adds up
    columns.push(score(b, a, "b"), number("difference", "difference", `${set.systems[a]} minus ${set.systems[b]}${on}`, difference, signed));
  }
  const extra = {
    loss: ["loss", () => set.losses(metric, a), "What the score loses, times the words in the order", tenth],
    gap: ["gap", () => set.gaps(metric, a, b), "The size of the difference, times the words in the order", tenth],
    length: ["words", () => set.lengths, "By words", String],
    matched: ["matched", () => set.matched(a), "By matched share", figure],
  }[sort];
  const values = extra?.[1]();
  if (values) columns.push(number(extra[0], sort, extra[2], (segment) => values[segment], extra[3]));
  return columns;
}
