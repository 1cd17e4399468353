// Keys in groups of choices: which group a key answers, and where the focus goes.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { keyGroups, rangesOf, readGroups } from "./choices.js";

let focus;

beforeEach(() => {
  focus = null;
  globalThis.document = { get activeElement() { return focus; } };
});

/** Make a group that has the keys. */
function group(name, keys, chosen = null) {
  return {
    name,
    chosen,
    value() { return this.chosen; },
    holds: (other) => other === name,
    focus: () => { focus = name; },
    choose(key) {
      if (!keys.includes(key)) return false;
      this.chosen = key;
      return true;
    },
  };
}

test("keys answer one group after the other, and then go on", () => {
  const groups = [group("one", "123"), group("two", "123")];
  let done = 0;
  const press = (key) => keyGroups(groups, { key }, () => { done += 1; });
  assert.ok(press("2"));
  assert.deepEqual([groups[0].chosen, focus, done], ["2", "two", 0]);
  assert.ok(press("3"));
  assert.deepEqual([groups[1].chosen, done], ["3", 1]);
});

test("the group with the focus is answered even if it has an answer", () => {
  const groups = [group("one", "12", "1"), group("two", "12")];
  focus = "one";
  keyGroups(groups, { key: "2" }, () => {});
  assert.deepEqual([groups[0].chosen, focus], ["2", "two"]);
});

test("an earlier group without an answer comes before going on", () => {
  const groups = [group("one", "12"), group("two", "12")];
  focus = "two";
  keyGroups(groups, { key: "1" }, () => assert.fail("not yet"));
  assert.equal(focus, "one");
});

test("letters may be small, and other keys are left alone", () => {
  const groups = [group("one", "AB")];
  assert.ok(keyGroups(groups, { key: "a" }, () => {}));
  assert.equal(groups[0].chosen, "A");
  assert.ok(!keyGroups(groups, { key: "ArrowDown" }, () => {}));
});

test("the first group without a value is missing", () => {
  const groups = [group("one", "1", "1"), group("two", "1")];
  assert.equal(readGroups(groups).missing, groups[1]);
  groups[1].chosen = "1";
  assert.deepEqual(readGroups(groups), { missing: null, values: ["1", "1"] });
});

test("expected numbers are written as ranges", () => {
  const questions = [{ name: "a", text: "A?" }, { name: "b", text: "B?" }];
  assert.equal(rangesOf(questions, { b: [4, 4], a: [1, 3] }), "A? 1–3 B? 4");
});
