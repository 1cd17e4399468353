// The data of the page: a description in JSON, and compressed columns in base64.

import { byId, figure } from "./elements.js";

const TYPES = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array };

/** Read the description, which needs no unpacking. */
export function readPage() {
  return JSON.parse(byId("page").textContent);
}

/** Unpack the columns of all sets; an error means that the file is incomplete or has been changed. */
export async function readSets({ sets, bytes }) {
  const node = byId("data");
  const packed = decode(node.textContent);
  node.remove();
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(stream).arrayBuffer();
  if (buffer.byteLength !== bytes) throw new Error(`expected ${bytes} bytes, found ${buffer.byteLength}`);
  return sets.map((one) => new SegmentSet(one, buffer));
}

function decode(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let place = 0; place < bytes.length; place++) bytes[place] = characters.charCodeAt(place);
  return bytes;
}

/** The segments of one test set; columns are views of the buffer, and texts are decoded on first use. */
export class SegmentSet {
  #buffer;
  #described;
  #kept = new Map();

  constructor(described, buffer) {
    this.#buffer = buffer;
    this.#described = described;
    for (const key of ["name", "size", "systems", "short", "order", "metrics", "main", "directions", "counts", "weighted"]) this[key] = described[key];
    this.lengths = this.#column(described.lengths);
    this.patterns = [];
    this.groups = Object.keys(described.groups);
    this.references = Math.max(described.texts.references.length, (described.orders[0] ?? []).length);
  }

  #column([type, start, count]) {
    return new TYPES[type](this.#buffer, start, count);
  }

  #keep(key, make) {
    if (!this.#kept.has(key)) this.#kept.set(key, make());
    return this.#kept.get(key);
  }

  /** The scores of all segments for a metric and a system, given by number. */
  scores(metric, system) {
    return this.#column(this.#described.scores[metric][system]);
  }

  /** The scores of a system as they stand beside those of another: on the words that both match, where these are known. */
  scoresBeside(metric, system, other) {
    return this.onCommonWords(metric, system, other) ? this.#column(this.#described.common[metric][`${system} ${other}`]) : this.scores(metric, system);
  }

  /** What each segment loses under a metric of order, times the words in its order; null for other metrics. */
  losses(metric, system) {
    const words = this.#orderWords(metric, system);
    const higher = this.directions[metric] > 0;
    return words && this.directions[metric] ? this.scores(metric, system).map((value, row) => rounded((higher ? 1 - value : value) * words[row])) : null;
  }

  /** The difference of each segment, a minus b: on the words that both match if the metric scores their order alone. */
  differences(metric, a, b) {
    const other = this.scoresBeside(metric, b, a);
    return this.scoresBeside(metric, a, b).map((value, row) => value - other[row]);
  }

  /** The size of each difference, times the words that it is about. */
  gaps(metric, a, b) {
    const common = this.onCommonWords(metric, a, b);
    const words = common ? [this.#column(this.#described.commonWords[`${Math.min(a, b)} ${Math.max(a, b)}`])] : [a, b].map((system) => this.#orderWords(metric, system)).filter(Boolean);
    return this.differences(metric, a, b).map((value, row) => rounded(Math.abs(value) * Math.min(...words.map((column) => column[row]), words.length ? Infinity : 1)));
  }

  /** Whether two systems are compared on the words that both of them match. */
  onCommonWords(metric, a, b) {
    return Object.hasOwn(this.#described.common[metric], `${a} ${b}`);
  }

  #orderWords(metric, system) {
    const column = this.weighted[metric] ? this.#described.words[system] : null;
    return column ? this.#column(column) : null;
  }

  /** Format a score of a metric; counts have no decimal digits. */
  write(metric, value) {
    return this.counts.includes(this.metrics[metric]) && !Number.isNaN(value) ? String(value) : figure(value);
  }

  /** The share of reference words that a system matches, or null. */
  matched(system) {
    const column = this.#described.matched[system];
    return column ? this.#column(column) : null;
  }

  has(kind) {
    return this.#described.texts[kind].length > 0;
  }

  /** The number of texts of a kind: source, references or systems. */
  count(kind) {
    return this.#described.texts[kind].length;
  }

  /** The complete text, with one line per segment. */
  whole(kind, number) {
    return new TextDecoder().decode(this.#column(this.#described.texts[kind][number]));
  }

  line(kind, number, segment) {
    const column = this.#described.texts[kind][number];
    return column ? this.#keep(`${kind} ${number}`, () => this.whole(kind, number).split("\n"))[segment] : null;
  }

  words(kind, number, segment) {
    const line = this.line(kind, number, segment);
    return line === null ? null : line ? line.split(" ") : [];
  }

  /** The kind of text that identifies segments for readers: the reference, else the source, else that of the first system. */
  get summarised() {
    return ["references", "source", "systems"].find((kind) => this.has(kind)) ?? null;
  }

  /** Words that identify a segment for readers, or the numbers of its order. */
  summary(segment) {
    if (this.summarised) return this.words(this.summarised, 0, segment);
    return this.orders(0, 0, segment).flatMap((chunk) => [...Array(chunk.size).keys()].map((k) => `${chunk.second + k + 1}`));
  }

  group(name, segment) {
    const { names, of } = this.#described.groups[name];
    return names[this.#column(of)[segment]];
  }

  groupNames(name) {
    return this.#described.groups[name].names;
  }

  /** The number of the group of every segment. */
  groupColumn(name) {
    return this.#column(this.#described.groups[name].of);
  }

  /** The chunks that a system and a reference have in common, in the order of the system; null without text. */
  matches(system, reference, segment) {
    return this.#chunks("matches", system, reference, segment);
  }

  /** Chunks over the words of a system: those in common with a reference, or those of an order of the same words. */
  chunks(system, reference, segment) {
    if (this.links("systems", system, segment)) return this.matches(system, reference, segment);
    return this.matches(system, reference, segment) ?? this.orders(system, reference, segment);
  }

  /** The scored order, if it is not the order of matched words. */
  orders(system, reference, segment) {
    return this.#chunks("orders", system, reference, segment);
  }

  #chunks(kind, system, reference, segment) {
    const described = this.#described[kind][system]?.[reference];
    if (!described) return null;
    const size = this.#column(described.size);
    const secondSize = described.secondSize ? this.#column(described.secondSize) : size;
    return this.#rows(`${kind} ${system} ${reference}`, described, segment).map(([first, second, place]) => ({
      first,
      size: size[place],
      second,
      secondSize: secondSize[place],
    }));
  }

  /** The links [source word, word] of a text of a kind (references or systems), or null if there are none. */
  links(kind, number, segment) {
    const described = this.#described.links[kind][number];
    return described ? this.#rows(`links ${kind} ${number}`, described, segment) : null;
  }

  #rows(key, described, segment) {
    const offsets = this.#keep(`${key} offsets`, () => {
      const counts = this.#column(described.counts);
      const sums = new Uint32Array(counts.length + 1);
      for (let row = 0; row < counts.length; row++) sums[row + 1] = sums[row] + counts[row];
      return sums;
    });
    const [first, second] = [this.#column(described.first), this.#column(described.second)];
    const found = [];
    for (let place = offsets[segment]; place < offsets[segment + 1]; place++) found.push([first[place], second[place], place]);
    return found;
  }
}

/** Round, so that values that differ only in the last bit are equal. */
function rounded(value) {
  return Math.round(value * 1e5) / 1e5;
}
