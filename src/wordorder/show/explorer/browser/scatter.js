// The scatter plot of two systems: one point per segment, which opens the segment on a click.

import { element, figure, signed } from "./elements.js";

const SIZE = 420;
const EDGE = 44;
const NEAR = 14;

/** Show the listed segments as points, with the score of system a on the x-axis and that of b on the y-axis. */
export class Scatter {
  #canvas = element("canvas", { role: "img", class: "points" });
  #note = element("p", { class: "small", "aria-live": "polite" });
  #summary = element("p", {});
  #points = [];

  constructor(open) {
    this.node = element("section", { class: "scatter", tabindex: 0, "aria-label": "Scatter plot" }, this.#summary, this.#canvas, this.#note);
    this.#canvas.addEventListener("click", (event) => {
      const point = this.#nearest(event);
      if (point) open(point.segment);
    });
    this.#canvas.addEventListener("mousemove", (event) => this.#say(this.#nearest(event)));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
  }

  show(rows, set, settled) {
    this.given = { rows, set, settled };
    const { a, b, metric, segment } = settled;
    const [one, two] = [set.scores(metric, a), set.scores(metric, b)];
    const known = [...rows].filter((row) => !Number.isNaN(one[row]) && !Number.isNaN(two[row]));
    const [names, spec] = [[set.systems[a], set.systems[b]], set.metrics[metric]];
    const tally = { higher: 0, lower: 0, sum: 0 };
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const row of known) {
      const difference = one[row] - two[row];
      tally.sum += difference;
      if (difference > 0) tally.higher++;
      else if (difference < 0) tally.lower++;
      low = Math.min(low, one[row], two[row]);
      high = Math.max(high, one[row], two[row]);
    }
    const equal = known.length - tally.higher - tally.lower;
    const mean = known.length ? signed(tally.sum / known.length) : "–";
    this.#summary.textContent = `${spec}, ${known.length} segments: ${names[0]} higher in ${tally.higher}, ${names[1]} higher in ${tally.lower}, equal in ${equal}; mean difference of segments ${mean}`;
    this.#canvas.setAttribute("aria-label", `${names[0]} against ${names[1]}. ${this.#summary.textContent}. The list has the same segments.`);
    this.#say(null);
    this.#draw({ known, one, two, low, high: high > low ? high : low + 1, names, segment });
  }

  redraw() {
    if (this.given && this.node.isConnected) this.show(this.given.rows, this.given.set, this.given.settled);
  }

  #draw({ known, one, two, low, high, names, segment }) {
    const ratio = devicePixelRatio || 1;
    Object.assign(this.#canvas, { width: SIZE * ratio, height: SIZE * ratio });
    const pen = this.#canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = "12px system-ui, sans-serif";
    const ink = getComputedStyle(this.node).color;
    const at = (value) => EDGE + ((SIZE - 2 * EDGE) * (value - low)) / (high - low);
    pen.strokeStyle = pen.fillStyle = ink;
    pen.globalAlpha = 0.35;
    pen.strokeRect(EDGE, EDGE, SIZE - 2 * EDGE, SIZE - 2 * EDGE);
    pen.setLineDash([4, 4]);
    pen.beginPath();
    pen.moveTo(at(low), SIZE - at(low));
    pen.lineTo(at(high), SIZE - at(high));
    pen.stroke();
    pen.setLineDash([]);
    pen.globalAlpha = 1;
    labelAxes(pen, names, low, high);
    pen.fillStyle = getComputedStyle(this.#canvas).color;
    pen.globalAlpha = known.length > 20000 ? 0.25 : known.length > 2000 ? 0.45 : 0.7;
    const radius = known.length > 5000 ? 2 : 3.5;
    this.#points = known.map((row) => ({ segment: row, x: at(one[row]), y: SIZE - at(two[row]), scores: [one[row], two[row]] }));
    for (const point of this.#points) pen.fillRect(point.x - radius, point.y - radius, 2 * radius, 2 * radius);
    const chosen = this.#points.find((point) => point.segment === segment);
    if (!chosen) return;
    Object.assign(pen, { globalAlpha: 1, strokeStyle: ink, lineWidth: 2.5 });
    pen.beginPath();
    pen.arc(chosen.x, chosen.y, 8, 0, 2 * Math.PI);
    pen.stroke();
  }

  #nearest(event) {
    const box = this.#canvas.getBoundingClientRect();
    const scale = SIZE / box.width;
    const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    let [best, least] = [null, NEAR * NEAR];
    for (const point of this.#points) {
      const far = (point.x - x) ** 2 + (point.y - y) ** 2;
      if (far < least) [best, least] = [point, far];
    }
    return best;
  }

  #say(point) {
    this.#note.textContent = point
      ? `segment ${point.segment + 1}: ${point.scores.map(figure).join(" and ")}; click to read it`
      : "click a point to read its segment";
  }
}

function labelAxes(pen, names, low, high) {
  const cut = (name) => (name.length > 40 ? `${name.slice(0, 39)}…` : name);
  pen.textAlign = "center";
  pen.fillText(`${cut(names[0])} →`, SIZE / 2, SIZE - 10);
  pen.textAlign = "left";
  pen.fillText(figure(low), EDGE, SIZE - EDGE + 16);
  pen.textAlign = "right";
  pen.fillText(figure(high), SIZE - EDGE, SIZE - EDGE + 16);
  pen.fillText(figure(high), EDGE - 5, EDGE + 5);
  pen.fillText(figure(low), EDGE - 5, SIZE - EDGE);
  pen.save();
  pen.translate(14, SIZE / 2);
  pen.rotate(-Math.PI / 2);
  pen.textAlign = "center";
  pen.fillText(`${cut(names[1])} →`, 0, 0);
  pen.restore();
}
