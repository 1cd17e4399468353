// The links between two sentences while somebody edits them, with a history for undoing steps.

/** @typedef {[number, number]} Link the places of a source word and of a target word */

const keyOf = (/** @type {Link} */ link) => link.join(" ");

export class Linking {
  /** @param {Link[]} links @param {Link[]} possible */
  constructor(links = [], possible = []) {
    /** @type {Map<string, { link: Link, sure: boolean }>} */
    this.links = new Map();
    for (const link of links) this.links.set(keyOf(link), { link, sure: true });
    for (const link of possible) this.links.set(keyOf(link), { link, sure: false });
    /** @type {typeof this.links[]} */
    this.past = [];
    /** @type {typeof this.links[]} */
    this.future = [];
  }

  /** Return the sure or the possible links in the order of the words. */
  list(sure) {
    return [...this.links.values()].filter((one) => one.sure === sure).map((one) => one.link)
      .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  }

  all() {
    return [...this.links.values()];
  }

  /** Return the links of a word; side 0 is the source. */
  of(side, place) {
    return this.all().filter(({ link }) => link[side] === place);
  }

  change(work) {
    this.past.push(new Map(this.links));
    this.future = [];
    work(this.links);
  }

  /** Link all words of one set with all of another, or remove these links if all of them exist. */
  toggle(pairs) {
    const there = pairs.every((pair) => this.links.has(keyOf(pair)));
    this.change((links) => {
      for (const pair of pairs) {
        if (there) links.delete(keyOf(pair));
        else if (!links.has(keyOf(pair))) links.set(keyOf(pair), { link: pair, sure: true });
      }
    });
    return !there;
  }

  clear(side, place) {
    const found = this.of(side, place);
    if (found.length) this.change((links) => found.forEach(({ link }) => links.delete(keyOf(link))));
  }

  /** Toggle the links of a word between sure and possible. */
  doubt(side, place) {
    const found = this.of(side, place);
    const sure = found.every((one) => !one.sure);
    if (found.length) this.change((links) => found.forEach(({ link }) => links.set(keyOf(link), { link, sure })));
  }

  undo() {
    return this.go(this.past, this.future);
  }

  redo() {
    return this.go(this.future, this.past);
  }

  /** Take the links from one end of the history, and put the present ones to the other. */
  go(from, to) {
    const links = from.pop();
    if (links) to.push(this.links);
    this.links = links ?? this.links;
    return Boolean(links);
  }

  /** Keep the links of unchanged words after the words of the target have changed. */
  moveTo(before, after) {
    const places = matchWords(before, after);
    const kept = this.all().filter(({ link }) => places.has(link[1]));
    return new Linking(
      kept.filter((one) => one.sure).map(({ link }) => [link[0], places.get(link[1])]),
      kept.filter((one) => !one.sure).map(({ link }) => [link[0], places.get(link[1])]));
  }
}

/** Match the words of two versions by their longest common subsequence. */
export function matchWords(before, after) {
  const lengths = Array.from({ length: before.length + 1 }, () => new Array(after.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      lengths[i][j] = before[i] === after[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const found = new Map();
  for (let i = 0, j = 0; i < before.length && j < after.length; ) {
    if (before[i] === after[j]) found.set(i++, j++);
    else if (lengths[i + 1][j] >= lengths[i][j + 1]) i += 1;
    else j += 1;
  }
  return found;
}

/** Split a text into words at spaces and punctuation; in languages without spaces, by segmentation rules. */
export function cutWords(text, lang) {
  const parts = text.trim().split(/\s+/u).filter(Boolean);
  const segmenter = globalThis.Intl?.Segmenter ? new Intl.Segmenter(lang || undefined, { granularity: "word" }) : null;
  const unsegmented = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
  return parts.flatMap((part) => {
    if (segmenter && unsegmented.test(part)) return [...segmenter.segment(part)].map(({ segment }) => segment);
    return part.match(/[\p{L}\p{N}\p{M}]+(?:['’.,-][\p{L}\p{N}\p{M}]+)*|[^\p{L}\p{N}\p{M}]+/gu) ?? [part];
  });
}
