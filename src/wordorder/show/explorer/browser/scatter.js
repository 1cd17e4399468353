// The scatter plot of two systems: one point per segment, which opens the segment on a click.

import { describePair } from "./charts.js";
import { drawn, element, figure, signed } from "./elements.js";

const SIZE = 420;
const EDGE = 40;
const NEAR = 14;
const CELL = 3;
const SHADES = [1, 3, 9];
const LONGEST_NAME = 34;

/** Show the listed segments as points, with the score of system a on the x-axis and that of b on the y-axis. */
export class Scatter {
  #picture = drawn("svg", { role: "img", class: "points", viewBox: `0 0 ${SIZE} ${SIZE}` });
  #note = element("p", { class: "small", "aria-live": "polite" });
  #summary = element("p", { class: "small" });
  #verdict = element("p", {});
  #points = [];
  #rows = null;

  constructor(open, ranking) {
    this.ranking = ranking;
    this.node = element("section", { class: "scatter", tabindex: 0, "aria-label": "Scatter plot" }, this.#verdict, this.#summary, this.#picture, this.#note);
    this.#picture.addEventListener("click", (event) => {
      const point = this.#nearest(event);
      if (point) open(point.segment);
    });
    this.#picture.addEventListener("mousemove", (event) => this.#say(this.#nearest(event)));
  }

  show(rows, set, { a, b, metric, segment }) {
    if (rows !== this.#rows) this.#draw(rows, set, a, b, metric);
    this.#rows = rows;
    this.#picture.querySelector(".ring")?.remove();
    const chosen = this.#points.find((point) => point.segment === segment);
    if (chosen) this.#picture.append(drawn("circle", { class: "ring", cx: chosen.x, cy: chosen.y, r: 8 }));
    this.#say(null);
  }

  #draw(rows, set, a, b, metric) {
    const [one, two, difference] = [set.scoresBeside(metric, a, b), set.scoresBeside(metric, b, a), set.differences(metric, a, b)];
    const names = [set.short[a], set.short[b]];
    const tally = { higher: 0, lower: 0, equal: 0, sum: 0 };
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const row of rows) {
      if (!Number.isNaN(difference[row])) {
        tally.sum += difference[row];
        if (difference[row] > 1e-6) tally.higher++;
        else if (difference[row] < -1e-6) tally.lower++;
        else tally.equal++;
      }
      if (Number.isNaN(one[row]) || Number.isNaN(two[row])) continue;
      low = Math.min(low, one[row], two[row]);
      high = Math.max(high, one[row], two[row]);
    }
    if (!(high > low)) [low, high] = [Number.isFinite(low) ? low : 0, Number.isFinite(low) ? low + 1 : 1];
    const compared = tally.higher + tally.lower + tally.equal;
    const on = set.onCommonWords(metric, a, b) ? ", on the words that both match" : "";
    const mean = compared ? signed(tally.sum / compared) : "–";
    this.#verdict.textContent = this.ranking ? describePair(this.ranking, set.metrics[metric], set.systems[a], set.systems[b]) : "";
    this.#summary.textContent = `${set.metrics[metric]}, ${compared} segments${on}: ${names[0]} higher in ${tally.higher}, ${names[1]} higher in ${tally.lower}, equal in ${tally.equal}; mean difference of segments ${mean}`;
    this.#picture.setAttribute("aria-label", `${set.systems[a]} against ${set.systems[b]}. ${this.#summary.textContent}. The list has the same segments.`);
    const at = (value) => EDGE + ((SIZE - 2 * EDGE) * (value - low)) / (high - low);
    this.#points = [];
    for (const row of rows) if (!Number.isNaN(one[row]) && !Number.isNaN(two[row])) this.#points.push({ segment: row, x: at(one[row]), y: SIZE - at(two[row]), scores: [one[row], two[row]] });
    this.#picture.replaceChildren(...drawFrame(names, low, high), ...drawPoints(this.#points));
  }

  #nearest(event) {
    const box = this.#picture.getBoundingClientRect();
    const scale = SIZE / Math.min(box.width, box.height);
    const [x, y] = [(event.clientX - box.left - box.width / 2) * scale + SIZE / 2, (event.clientY - box.top - box.height / 2) * scale + SIZE / 2];
    let [best, least] = [null, NEAR * NEAR];
    for (const point of this.#points) {
      const far = (point.x - x) ** 2 + (point.y - y) ** 2;
      if (far < least) [best, least] = [point, far];
    }
    return best;
  }

  #say(point) {
    this.#note.textContent = point
      ? `segment ${point.segment + 1}: ${figure(point.scores[0])} and ${figure(point.scores[1])}; click to read it`
      : "click a point to read its segment";
  }
}

/** Draw points as squares of a fine grid, which are darker where more segments share a square. */
function drawPoints(points) {
  const counts = new Map();
  const columns = Math.ceil(SIZE / CELL);
  for (const { x, y } of points) {
    const key = Math.round(y / CELL) * columns + Math.round(x / CELL);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const paths = SHADES.map(() => []);
  for (const [key, count] of counts) {
    const shade = SHADES.findLastIndex((least) => count >= least);
    paths[shade].push(`M${(key % columns) * CELL} ${Math.floor(key / columns) * CELL}h0`);
  }
  return paths.map((path, shade) => drawn("path", { class: `shade${shade}${points.length > 2000 ? "" : " large"}`, d: path.join("") }));
}

function drawFrame(names, low, high) {
  const [start, end] = [EDGE, SIZE - EDGE];
  const label = (text, x, y, anchor, turn = null) => drawn("text", { x, y, "text-anchor": anchor, transform: turn }, text);
  const cut = (name) => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name);
  return [
    drawn("rect", { class: "edge", x: start, y: start, width: end - start, height: end - start }),
    drawn("path", { class: "edge diagonal", d: `M${start} ${end}L${end} ${start}` }),
    label(`${cut(names[0])} →`, SIZE / 2, SIZE - 12, "middle"),
    label(figure(low), start, end + 16, "start"),
    label(figure(high), end, end + 16, "end"),
    label(figure(high), start, start - 6, "start"),
    label(figure(low), start - 4, end, "end"),
    label(`${cut(names[1])} →`, 0, 0, "middle", `translate(16 ${SIZE / 2}) rotate(-90)`),
  ];
}
