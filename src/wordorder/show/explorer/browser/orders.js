// Word orders of one sentence: ranks, chunks that must move, crossings, and the permutation tree.

/** Turn chunks into an order: the rank and hypothesis word of each matched reference word, in hypothesis order. */
export function orderOf(chunks) {
  const places = [];
  const words = [];
  for (const { first, size, second, secondSize } of chunks) {
    for (let k = 0; k < secondSize; k++) {
      places.push(second + k);
      words.push(first + Math.min(k, size - 1));
    }
  }
  const rank = new Map([...places].sort((a, b) => a - b).map((place, number) => [place, number]));
  return { ranks: places.map((place) => rank.get(place)), words };
}

/** Number chunks from 1 in the order of the reference. */
export function numberChunks(chunks) {
  const order = chunks.map((_, place) => place).sort((a, b) => chunks[a].second - chunks[b].second);
  const numbers = new Array(chunks.length);
  order.forEach((place, number) => (numbers[place] = number + 1));
  return numbers;
}

/** Return for each chunk whether it must move: all chunks except a selection that keeps the most words in order. */
export function findMoved(chunks) {
  const best = chunks.map((chunk) => chunk.secondSize);
  const before = chunks.map(() => -1);
  chunks.forEach((chunk, here) => {
    for (let there = 0; there < here; there++) {
      if (chunks[there].second < chunk.second && best[there] + chunk.secondSize > best[here]) {
        best[here] = best[there] + chunk.secondSize;
        before[here] = there;
      }
    }
  });
  const moved = chunks.map(() => true);
  for (let place = best.indexOf(Math.max(...best)); place >= 0; place = before[place]) moved[place] = false;
  return moved;
}

/** Return for each chunk where it must move: 1 to a later place in the sentence, −1 to an earlier one, 0 if it stays. */
export function directions(chunks) {
  const moved = findMoved(chunks);
  const kept = chunks.filter((_, place) => !moved[place]);
  return chunks.map((chunk, place) => {
    if (!moved[place]) return 0;
    const before = chunks.filter((_, other) => other < place && !moved[other]).length;
    return kept.filter((other) => other.second < chunk.second).length > before ? 1 : -1;
  });
}

/** Count the pairs of links that cross. */
export function countCrossings(links) {
  let count = 0;
  for (let one = 0; one < links.length; one++)
    for (let two = 0; two < one; two++)
      if ((links[one][0] - links[two][0]) * (links[one][1] - links[two][1]) < 0) count++;
  return count;
}

/** Build the flattened permutation tree of ranks: read words from left to right, and merge blocks on a stack. */
export function permutationTree(ranks) {
  const stack = [];
  ranks.forEach((rank, place) => {
    let node = { low: rank, high: rank, place, kind: "word", children: [] };
    for (let merged = node; merged; ) {
      node = merged;
      merged = merge(stack, node);
    }
    stack.push(node);
  });
  return stack[0] ?? null;
}

/** Merge a block with as few of the blocks before it on the stack as possible; return null if none fit. */
function merge(stack, node) {
  const last = stack.at(-1);
  if (!last) return null;
  const kind = direction(last.children.at(-1), node);
  if (last.kind !== "word" && last.kind !== "simple" && last.kind === kind) {
    stack.pop();
    return joined(kind, [...last.children, node]);
  }
  const pair = direction(last, node);
  if (pair) {
    stack.pop();
    return joined(pair, [last, node]);
  }
  let { low, high } = node;
  let words = high - low + 1;
  for (let place = stack.length - 1; place >= 0; place--) {
    words += stack[place].high - stack[place].low + 1;
    low = Math.min(low, stack[place].low);
    high = Math.max(high, stack[place].high);
    if (high - low + 1 === words) return joined("simple", [...stack.splice(place), node]);
  }
  return null;
}

function direction(left, right) {
  if (!left) return null;
  return left.high + 1 === right.low ? "monotone" : right.high + 1 === left.low ? "inverted" : null;
}

function joined(kind, children) {
  const low = Math.min(...children.map((child) => child.low));
  const high = Math.max(...children.map((child) => child.high));
  return { low, high, kind, children };
}

/** The operator of a node: the ranks of its blocks, counted from 1. */
export function operatorOf(node) {
  const order = [...node.children].sort((a, b) => a.low - b.low);
  return node.children.map((child) => order.indexOf(child) + 1);
}

/** Write a tree in the notation of `wordorder inspect`. */
export function writeTree(node) {
  if (node.kind === "word") return String(node.low + 1);
  return `⟨${operatorOf(node).join(",")}⟩(${node.children.map(writeTree).join(" ")})`;
}
