// Links between two sentences: changes, undoing, and what is kept when words change.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Linking, cutWords, matchWords } from "./linking.js";

test("links are toggled together, listed in order, undone and redone", () => {
  const linking = new Linking([[2, 0]], [[1, 1]]);
  assert.deepEqual([linking.list(true), linking.list(false)], [[[2, 0]], [[1, 1]]]);
  assert.equal(linking.toggle([[0, 1], [2, 0]]), true); // one of them is new
  assert.deepEqual(linking.list(true), [[0, 1], [2, 0]]);
  assert.equal(linking.toggle([[0, 1], [2, 0]]), false);
  assert.deepEqual(linking.list(true), []);
  assert.deepEqual([linking.undo(), linking.undo(), linking.undo()], [true, true, false]);
  assert.deepEqual(linking.list(true), [[2, 0]]);
  assert.deepEqual([linking.redo(), linking.redo(), linking.redo()], [true, true, false]);
  assert.deepEqual(linking.list(true), []);
});

test("a change after undoing forgets what was undone", () => {
  const linking = new Linking();
  linking.toggle([[0, 0]]);
  linking.undo();
  linking.toggle([[1, 1]]);
  assert.equal(linking.redo(), false);
  assert.deepEqual(linking.list(true), [[1, 1]]);
});

test("doubt turns the links of a word, and clear removes them", () => {
  const linking = new Linking([[0, 0], [0, 1], [1, 2]]);
  linking.doubt(0, 0);
  assert.deepEqual([linking.list(true), linking.list(false)], [[[1, 2]], [[0, 0], [0, 1]]]);
  linking.doubt(1, 1);
  assert.deepEqual(linking.list(false), [[0, 0]]);
  linking.clear(0, 0);
  assert.deepEqual(linking.all().map(({ link }) => link), [[1, 2]]);
  linking.clear(0, 0); // nothing to remove, nothing to undo
  linking.undo();
  assert.equal(linking.all().length, 3);
});

test("links of words that stay are kept when words are split, joined or replaced", () => {
  const linking = new Linking([[0, 0], [1, 1], [2, 2]], [[3, 3]]);
  const moved = linking.moveTo(["a", "bc", "d", "e"], ["a", "b", "c", "d", "e"]);
  assert.deepEqual([moved.list(true), moved.list(false)], [[[0, 0], [2, 3]], [[3, 4]]]);
});

test("matching is a longest common subsequence", () => {
  const longest = (one, other) => { // a slow twin
    if (!one.length || !other.length) return 0;
    const [first, ...rest] = one;
    const place = other.indexOf(first);
    return Math.max(longest(rest, other), place < 0 ? 0 : 1 + longest(rest, other.slice(place + 1)));
  };
  for (let number = 0; number < 200; number += 1) {
    const draw = (length) => Array.from({ length }, () => "abc"[Math.floor(Math.random() * 3)]);
    const [one, other] = [draw(number % 7), draw((number * 3) % 8)];
    const found = [...matchWords(one, other)];
    assert.equal(found.length, longest(one, other));
    assert.ok(found.every(([i, j]) => one[i] === other[j]));
    assert.ok(found.every(([i, j], place) => !place || (i > found[place - 1][0] && j > found[place - 1][1])));
  }
});

test("text is cut into words", () => {
  assert.deepEqual(cutWords("  It's 3.5, really! ", "en"), ["It's", "3.5", ",", "really", "!"]);
  assert.ok(cutWords("老人は庭で新聞を読む", "ja").length > 3);
  assert.equal(cutWords("老人は庭で新聞を読む", "ja").join(""), "老人は庭で新聞を読む");
});
