// The list of segments. Only visible rows are elements, so lists can be long.

import { element, figure, joinWords, signed } from "./elements.js";
import { go } from "./state.js";

const ROW_HEIGHT = 36;
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

  constructor(open) {
    this.open = open;
    this.node = element(
      "div",
      { role: "grid", class: "list", tabindex: 0, "aria-label": "Segments", onscroll: () => this.#draw() },
      element("div", { role: "rowgroup", class: "top" }, this.#head),
      this.#body,
    );
    new ResizeObserver(() => this.#draw()).observe(this.node);
    addEventListener("beforeprint", () => this.#print(true));
    addEventListener("afterprint", () => this.#print(false));
  }

  /** Show rows of a set, with columns for the compared systems. */
  show(rows, set, state, settled) {
    const fresh = rows !== this.#rows;
    this.#rows = rows;
    this.#chosen = settled.segment;
    this.#columns = columnsOf(set, state, settled);
    this.#head.replaceChildren(...this.#columns.map((column, place) => headingOf(column, place, state)));
    const widths = this.#columns.map((column) => column.width).join(" ");
    this.node.style.setProperty("--columns", widths);
    this.node.setAttribute("aria-rowcount", rows.length + 1);
    this.node.setAttribute("aria-colcount", this.#columns.length);
    this.#body.style.height = `${Math.max(rows.length * ROW_HEIGHT, 1)}px`;
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

  #reveal(place) {
    if (place < 0) return;
    const [top, height] = [place * ROW_HEIGHT, this.node.clientHeight - ROW_HEIGHT];
    if (top < this.node.scrollTop) this.node.scrollTop = top;
    else if (top + ROW_HEIGHT > this.node.scrollTop + height) this.node.scrollTop = top + ROW_HEIGHT - height;
  }

  #print(printing) {
    this.#printing = printing;
    this.#shown = "";
    this.#draw();
  }

  #draw() {
    const height = this.node.clientHeight || 600;
    const first = this.#printing ? 0 : Math.max(Math.floor(this.node.scrollTop / ROW_HEIGHT) - SPARE, 0);
    const last = Math.min(this.#printing ? PRINTED : first + Math.ceil(height / ROW_HEIGHT) + 2 * SPARE, this.#rows.length);
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
        style: { top: `${place * ROW_HEIGHT}px` },
        onclick: () => this.open(segment),
      },
      cells,
    );
  }
}

function noRow(columns) {
  return element("div", { role: "row", class: "row" }, element("div", { role: "gridcell", "aria-colspan": columns }, "no segment matches"));
}

function headingOf(column, place, state) {
  const sorted = column.sort !== null && state.sort === column.sort;
  const order = sorted ? (state.down === "1" ? "descending" : "ascending") : "none";
  const down = sorted && state.down !== "1" ? "1" : "";
  const arrow = sorted ? (state.down === "1" ? " ▼" : " ▲") : "";
  const label = column.sort
    ? element("button", { type: "button", class: "plain", title: column.title, onclick: () => go({ sort: column.sort, down }, { small: true }) }, column.name + arrow)
    : column.name;
  return element("div", { role: "columnheader", "aria-colindex": place + 1, "aria-sort": column.sort ? order : null, class: column.kind }, label);
}

function columnsOf(set, state, { a, b, metric }) {
  const number = (name, sort, title, value, write = figure) => ({
    name,
    sort,
    title,
    kind: "number",
    width: "minmax(3.4rem, 5.4rem)",
    cell: (segment) => element("div", { role: "gridcell", class: "number" }, write(value(segment))),
  });
  const scores = set.scores(metric, a);
  const write = (value) => set.write(metric, value);
  const columns = [
    { ...number("#", "segment", "By number", (segment) => segment + 1, String), width: "3.4rem" },
    {
      name: "text",
      sort: null,
      kind: "words",
      width: "minmax(0, 1fr)",
      cell: (segment) => element("div", { role: "gridcell", class: "words", dir: "auto" }, joinWords(set.summary(segment).slice(0, SHOWN))),
    },
    number(set.systems[a], "a", `By ${set.metrics[metric]} of ${set.systems[a]}`, (segment) => scores[segment], write),
  ];
  if (b >= 0) {
    const others = set.scores(metric, b);
    columns.push(
      number(set.systems[b], "b", `By ${set.metrics[metric]} of ${set.systems[b]}`, (segment) => others[segment], write),
      number("difference", "difference", `${set.systems[a]} minus ${set.systems[b]}`, (segment) => scores[segment] - others[segment], signed),
    );
  }
  const extra = { length: ["words", set.lengths, String], matched: ["matched", set.matched(a), figure] }[state.sort];
  if (extra?.[1]) columns.push(number(extra[0], state.sort, `By ${extra[0]}`, (segment) => extra[1][segment], extra[2]));
  return columns;
}
