// The time that an item is visible and hidden, from when it is painted.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

let now = 0;
let frames = [];
let listeners = [];

beforeEach(() => {
  now = 0;
  frames = [];
  listeners = [];
  globalThis.document = {
    visibilityState: "visible",
    addEventListener: (name, work) => listeners.push(work),
    removeEventListener: (name, work) => { listeners = listeners.filter((one) => one !== work); },
  };
  Object.defineProperty(globalThis, "performance", { value: { now: () => now }, configurable: true });
  globalThis.requestAnimationFrame = (work) => frames.push(work);
});

afterEach(() => delete globalThis.document);

const { Timing } = await import("./timing.js");

function paint() {
  for (let turn = 0; turn < 2; turn += 1) frames.splice(0).forEach((work) => work());
}

function turn(state) {
  document.visibilityState = state;
  listeners.forEach((work) => work());
}

test("time counts from the second frame on", () => {
  const timing = new Timing();
  now = 40;
  paint();
  now = 1540.4;
  assert.deepEqual(timing.read(), { visible: 1500, hidden: 0 });
});

test("hidden time is apart", () => {
  const timing = new Timing();
  paint();
  now = 1000;
  turn("hidden");
  now = 5000;
  turn("visible");
  now = 5250;
  assert.deepEqual(timing.read(), { visible: 1250, hidden: 4000 });
});

test("an item that is painted late was hidden until then", () => {
  document.visibilityState = "hidden";
  const timing = new Timing();
  now = 2000;
  turn("visible");
  now = 2016;
  paint();
  now = 2616;
  assert.deepEqual(timing.read(), { visible: 600, hidden: 2000 });
});

test("nothing listens any more after the end", () => {
  const timing = new Timing();
  timing.stop();
  assert.equal(listeners.length, 0);
});
