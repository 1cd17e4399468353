// The connection: what must arrive is kept until it is stored, and sent again after every failure.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

let kept;
let replies;
let sent;
const said = [];

beforeEach(() => {
  kept = new Map();
  replies = [];
  sent = [];
  said.length = 0;
  globalThis.localStorage = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
    removeItem: (key) => kept.delete(key),
  };
  Object.defineProperty(globalThis, "navigator", { value: { onLine: true }, configurable: true });
  globalThis.Request = class {
    constructor(path, options) {
      Object.assign(this, { path, ...options });
    }
  };
  globalThis.addEventListener = () => {};
  globalThis.removeEventListener = () => {};
  globalThis.fetch = async (request) => {
    sent.push({ path: request.path, ...JSON.parse(request.body ?? "null") });
    const reply = replies.shift();
    if (reply instanceof Error) throw reply;
    const [status, body] = reply;
    return { ok: status === 200, status, json: async () => body };
  };
});

const { Connection, Refused, newUuid } = await import("./connection.js");
const open = () => new Connection("token-of-somebody", (text) => said.push(text));

/** Do something while all pauses pass at once. */
async function hurry(work) {
  const slow = globalThis.setTimeout;
  globalThis.setTimeout = (done) => slow(done, 0);
  try {
    return await work();
  } finally {
    globalThis.setTimeout = slow;
  }
}

test("ids are random and have the form of a UUID", () => {
  const ids = new Set(Array.from({ length: 100 }, newUuid));
  assert.equal(ids.size, 100);
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u);
});

test("an answer is sent again with the same id until it is stored, and then forgotten", async () => {
  const connection = open();
  connection.keepDraft("answer", { place: 3 }, { choice: "A" });
  replies = [new TypeError("offline"), [503, {}], [200, { stored: true }]];
  assert.deepEqual(await hurry(() => connection.store("answer", { place: 3 })), { stored: true });
  assert.equal(new Set(sent.map(({ uuid }) => uuid)).size, 1);
  assert.equal(sent.length, 3);
  assert.equal(kept.size, 0);
  assert.equal(said.at(-1), "");
});

test("what was not delivered is delivered the next time", async () => {
  const before = open();
  replies = [[403, { error: "closed" }]];
  await assert.rejects(before.store("answer", { place: 0 }), Refused);
  assert.ok(before.hasPending()); // a closed study can be reopened
  const after = open();
  replies = [[200, {}]];
  await after.flush();
  assert.ok(!after.hasPending());
  assert.equal(sent[0].uuid, sent[1].uuid);
});

test("an answer that is finally refused is dropped, and its draft is kept only if it must be corrected", async () => {
  for (const [status, drafts] of [[422, 1], [409, 0]]) {
    kept.clear();
    const connection = open();
    connection.keepDraft("answer", { place: 0 }, {});
    replies = [[status, { error: "no", field: "choice" }]];
    await assert.rejects(connection.store("answer", { place: 0 }), (error) => error.status === status && error.field === "choice");
    assert.ok(!connection.hasPending());
    assert.equal(kept.size, drafts);
  }
});

test("without storage on the device, memory serves", async () => {
  localStorage.setItem = () => { throw new Error("private"); };
  localStorage.getItem = () => { throw new Error("private"); };
  const connection = open();
  connection.keepDraft("answer", { place: 1 }, { choice: "B" });
  assert.deepEqual(connection.readDraft("answer", { place: 1 }), { choice: "B" });
});

test("something optional fails quietly", async () => {
  replies = [[500, {}]];
  assert.equal(await open().sendOptional("draft", {}), null);
});
