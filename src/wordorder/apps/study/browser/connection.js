// The connection to the server. Each answer is kept on this device until the server confirms that it is stored.

import { word } from "./words.js";

const PAUSES = [500, 1000, 2000, 4000, 8000, 15000, 30000];
const PATIENCE = 20000;

/** A refusal by the server, with its status and message. */
export class Refused extends Error {
  constructor(status, body) {
    super(body.error ?? String(status));
    this.status = status;
    this.field = body.field ?? "";
  }
}

/** The server cannot be reached, or its reply was cut off. */
class Offline extends Error {}

/** Make a random UUID. (`crypto.randomUUID` does not exist on plain HTTP.) */
export function newUuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, "$1-$2-$3-$4-$5");
}

/** Storage on this device, or in memory if the browser does not allow that. */
class DeviceStorage {
  constructor(name) {
    this.name = `wordorder.${name}`;
    this.memory = new Map();
  }

  read(key) {
    try {
      return JSON.parse(localStorage.getItem(`${this.name}.${key}`) ?? "null");
    } catch {
      return this.memory.get(key) ?? null;
    }
  }

  /** Forget everything that is kept here. */
  clear() {
    this.memory.clear();
    try {
      for (const key of Object.keys(localStorage)) if (key.startsWith(`${this.name}.`)) localStorage.removeItem(key);
    } catch {
      // in a private window, only memory is available
    }
  }

  write(key, value) {
    this.memory.set(key, value);
    try {
      if (value === null) localStorage.removeItem(`${this.name}.${key}`);
      else localStorage.setItem(`${this.name}.${key}`, JSON.stringify(value));
    } catch {
      // in a private window, only memory is available
    }
  }
}

/** Return the name under which the draft of an answer or of the details is kept. */
function draftOf({ kind, body }) {
  return `draft ${kind} ${body?.key ?? body?.place ?? ""}`;
}

export class Connection {
  constructor(token, say) {
    this.token = token;
    this.say = say;
    this.storage = new DeviceStorage(token.slice(0, 8));
  }

  /** Request data, and wait for a connection if necessary. */
  get(path) {
    return this.ask("GET", path, null);
  }

  /** Send something optional: if it fails, nothing important is lost. */
  async sendOptional(kind, content) {
    try {
      return await this.once("POST", kind, { uuid: newUuid(), time: Date.now(), ...content });
    } catch {
      return null;
    }
  }

  /** Send something that must arrive; it is kept on this device until the server has stored it. */
  async store(kind, content) {
    const entry = { kind, body: { uuid: newUuid(), time: Date.now(), ...content } };
    this.storage.write("pending", [...(this.storage.read("pending") ?? []), entry]);
    return this.deliver(entry);
  }

  /** Send what was not delivered last time. */
  async flush() {
    for (const entry of this.storage.read("pending") ?? []) {
      try {
        await this.deliver(entry);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
      }
    }
  }

  /** Send an entry; it is dropped once it is stored or finally refused. A closed study can be reopened. */
  async deliver(entry) {
    try {
      const reply = await this.ask("POST", entry.kind, entry.body);
      this.drop(entry);
      return reply;
    } catch (error) {
      if (error instanceof Refused && error.status !== 403) this.drop(entry, error.status === 422);
      throw error;
    }
  }

  /** Forget an entry; its draft is kept only if the person must correct it. */
  drop(entry, corrected = false) {
    if (!corrected) this.storage.write(draftOf(entry), null);
    const left = (this.storage.read("pending") ?? []).filter((other) => other.body.uuid !== entry.body.uuid);
    this.storage.write("pending", left.length ? left : null);
  }

  /** Keep unfinished content on this device until `store` has delivered content of the same kind for the same item. */
  keepDraft(kind, body, content) {
    this.storage.write(draftOf({ kind, body }), content);
  }

  readDraft(kind, body) {
    return this.storage.read(draftOf({ kind, body }));
  }

  /** Return whether something is kept on this device that the server has not stored. */
  hasPending() {
    return Boolean(this.storage.read("pending"));
  }

  /** Repeat a request until it succeeds, or until the server refuses it. */
  async ask(method, path, body) {
    for (let turn = 0; ; turn += 1) {
      try {
        const reply = await this.once(method, path, body);
        if (turn) this.say("");
        return reply;
      } catch (error) {
        const offline = error instanceof Offline;
        const busy = error instanceof Refused && (error.status === 429 || error.status >= 500);
        if (!offline && !busy) {
          if (turn) this.say("");
          throw error;
        }
        if (turn || offline) this.say(word(offline ? "offline" : "busy"), "offline");
        await pause(PAUSES[Math.min(turn, PAUSES.length - 1)]);
      }
    }
  }

  async once(method, path, body) {
    /** @type {Record<string, string>} */
    const headers = { authorization: `Bearer ${this.token}` };
    if (body) headers["content-type"] = "application/json";
    /** @type {RequestInit} */
    const options = { method, headers, cache: "no-store", credentials: "omit", signal: AbortSignal.timeout(PATIENCE) };
    const request = new Request(`api/${path}`, body ? { ...options, body: JSON.stringify(body) } : options);
    const offline = (error) => { throw new Offline(error.message); };
    const reply = await fetch(request).catch(offline);
    if (!reply.ok) throw new Refused(reply.status, await reply.json().catch(() => ({})));
    return reply.json().catch(offline);
  }
}

/** Wait for some time, or until the browser is online again. */
function pause(milliseconds) {
  return /** @type {Promise<void>} */ (new Promise((done) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      done();
    };
    const timer = setTimeout(end, milliseconds);
    addEventListener("online", end);
  }));
}
