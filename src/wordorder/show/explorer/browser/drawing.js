// Drawings of one sentence: lines between rows of words, and the permutation tree.

import { drawn, isRightToLeft } from "./elements.js";
import { operatorOf } from "./orders.js";

export const COLOURS = 8;
const FONT = "15px system-ui, sans-serif";
const GAP = 14;
const ROW = 96;
const LEVEL = 46;
let measuring;
let drawings = 0;

function widthOf(text) {
  measuring ??= document.createElement("canvas").getContext("2d");
  measuring.font = FONT;
  return Math.ceil(measuring.measureText(text).width);
}

/** Return the colour class of a chunk; chunks also have numbers, so colours may repeat. */
export function colourOf(number) {
  return `colour${((number - 1) % COLOURS) + 1}`;
}

/** Place words side by side and return the centre and width of each; right-to-left scripts are mirrored. */
function placeWords(words) {
  const widths = words.map((word) => Math.max(widthOf(word), 8));
  const places = [];
  let edge = 0;
  for (const width of widths) {
    places.push(edge + width / 2);
    edge += width + GAP;
  }
  const total = Math.max(edge - GAP, 0);
  const mirrored = isRightToLeft(words.join(" "));
  return { places: mirrored ? places.map((place) => total - place) : places, widths, total, mirrored };
}

/** Start a drawing of the given size, with a title and a description for screen readers. */
function frame(width, height, title, description) {
  const id = `drawing${++drawings}`;
  return drawn(
    "svg",
    { width: width + 2, height, viewBox: `-1 0 ${width + 2} ${height}`, role: "img", "aria-labelledby": `${id}t ${id}d` },
    drawn("title", { id: `${id}t` }, title),
    drawn("desc", { id: `${id}d` }, description),
  );
}

function word(text, x, y, kind = "") {
  return drawn("text", { x, y, "text-anchor": "middle", class: `word ${kind}` }, text);
}

/**
 * Draw rows of words one below the other, with lines between neighbouring rows.
 * A row is {name, words}; a line is {row, from, to, number} and leads from a word of a row to a word of the next row.
 */
export function drawLines(rows, lines, title, description) {
  const placed = rows.map((row) => placeWords(row.words));
  const width = Math.max(...placed.map((row) => row.total), ...rows.map((row) => widthOf(row.name)), 60);
  const shift = (row) => (row.mirrored ? width - row.total : 0);
  const height = ROW * (rows.length - 1) + 48;
  const picture = frame(width, height, title, description);
  const base = (number) => 38 + number * ROW;
  for (const { row, from, to, number } of lines) {
    const [above, below] = [placed[row], placed[row + 1]];
    const [x, y] = [above.places[from] + shift(above), below.places[to] + shift(below)];
    if (x === undefined || y === undefined) continue;
    const [top, bottom] = [base(row) + 7, base(row + 1) - 32];
    const bend = (bottom - top) / 3;
    const path = `M${x} ${top}C${x} ${top + bend} ${y} ${bottom - bend} ${y} ${bottom}`;
    picture.append(drawn("path", { d: path, class: `line ${number ? colourOf(number) : ""}` }));
  }
  rows.forEach((row, number) => {
    const of = placed[number];
    const edge = of.mirrored ? width : 0;
    const side = of.mirrored ? "end" : "start";
    picture.append(drawn("text", { x: edge, y: base(number) - 19, class: "name", "text-anchor": side }, row.name));
    row.words.forEach((text, place) => picture.append(word(text, of.places[place] + shift(of), base(number))));
  });
  return picture;
}

/** Draw a permutation tree over the words of its leaves. */
export function drawTree(tree, words, title, description) {
  const leaves = placeWords(words);
  const depth = depthOf(tree);
  const width = Math.max(leaves.total, 40);
  const picture = frame(width, depth * LEVEL + 62, title, description);
  const bottom = depth * LEVEL + 14;
  const draw = (node, level) => {
    if (node.kind === "word") {
      const x = leaves.places[node.place];
      picture.append(word(words[node.place], x, bottom + 18), word(String(node.low + 1), x, bottom + 36, "rank"));
      return { x, y: bottom };
    }
    const below = node.children.map((child) => draw(child, level + 1));
    const x = (Math.min(...below.map((child) => child.x)) + Math.max(...below.map((child) => child.x))) / 2;
    const y = level * LEVEL + 16;
    for (const child of below) picture.prepend(drawn("line", { x1: x, y1: y, x2: child.x, y2: child.y, class: `branch ${node.kind}` }));
    const label = operatorLabel(node);
    const half = widthOf(label) / 2 + 6;
    picture.append(
      drawn("rect", { x: x - half, y: y - 12, width: 2 * half, height: 24, rx: 6, class: `node ${node.kind}` }),
      drawn("text", { x, y: y + 5, "text-anchor": "middle", class: `operator ${node.kind}` }, label),
    );
    return { x, y: y + 12 };
  };
  draw(tree, 0);
  return picture;
}

function depthOf(node) {
  return node.kind === "word" ? 0 : 1 + Math.max(...node.children.map(depthOf));
}

function operatorLabel(node) {
  const operator = operatorOf(node);
  return operator.length > 4 && node.kind !== "simple" ? `${operator[0]} … ${operator.at(-1)}` : operator.join(" ");
}
