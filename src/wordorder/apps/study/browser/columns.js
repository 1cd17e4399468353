// Two columns of words with lines between them. Columns are used because lines across wrapped rows are unreadable.

import { drawn, element } from "./elements.js";

const SIDES = ["source", "target"];

/** Two columns: `make(side, place, word)` makes the element of a word; lines connect the inner edges. */
export class Columns {
  constructor({ source, target, sourceText, text, labels, make }) {
    this.lines = drawn("svg", { class: "lines", "aria-hidden": "true" });
    this.words = [source, target];
    this.nodes = this.words.map((words, side) => words.map((word, place) => make(side, place, word)));
    const makers = [sourceText, text];
    this.lists = SIDES.map((name, side) => makers[side]("ul", { class: `column ${name}`, "aria-label": labels[side] },
      this.nodes[side].map((node) => element("li", {}, node))));
    this.node = element("div", { class: "columns" }, this.lists[0], this.lines, this.lists[1]);
    this.watch = new ResizeObserver(() => this.redraw());
    this.watch.observe(this.node);
    this.links = [];
  }

  /** Draw links; each has a `source`, a `target` and the CSS `class` of its line. */
  draw(links) {
    this.links = links;
    this.redraw();
  }

  redraw() {
    const box = this.lines.getBoundingClientRect();
    if (!box.width) return;
    const turned = this.lists[0].getBoundingClientRect().left > this.lists[1].getBoundingClientRect().left;
    const middle = (node) => {
      const { top, height } = node.getBoundingClientRect();
      return top + height / 2 - box.top;
    };
    this.lines.replaceChildren(...this.links.map((link) => {
      const [from, to] = [middle(this.nodes[0][link.source]), middle(this.nodes[1][link.target])];
      const [start, end] = turned ? [box.width, 0] : [0, box.width];
      const half = box.width / 2;
      return drawn("path", { class: `link ${link.class}`, d: `M${start},${from} C${half},${from} ${half},${to} ${end},${to}` });
    }));
  }

  /** Return the side that an arrow key points to. */
  sideAt(key) {
    const [left, right] = this.lists[0].getBoundingClientRect().left < this.lists[1].getBoundingClientRect().left ? [0, 1] : [1, 0];
    return key === "ArrowLeft" ? left : right;
  }

  /** Return the word of a side that is nearest to another word. */
  nearest(side, node) {
    const { top } = node.getBoundingClientRect();
    const far = this.nodes[side].map((other) => Math.abs(other.getBoundingClientRect().top - top));
    return far.indexOf(Math.min(...far));
  }

  stop() {
    this.watch.disconnect();
  }
}
