// Talking to the server. An answer is kept on this device before it is sent, and until the server says that it is stored.

import { word } from "./words.js";

const PAUSES = [500, 1000, 2000, 4000, 8000, 15000, 30000];
const PATIENCE = 20000;

/** What the server refused, with its status and its sentence. */
export class Refused extends Error {
  constructor(status, body) {
    super(body.error ?? String(status));
    this.status = status;
    this.field = body.field ?? "";
  }
}

/** Make an identity. `crypto.randomUUID` does not exist on plain http. */
export function newUuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, "$1-$2-$3-$4-$5");
}

/** What is kept on this device, as far as the browser allows. */
class Shelf {
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

  write(key, value) {
    this.memory.set(key, value);
    try {
      if (value === null) localStorage.removeItem(`${this.name}.${key}`);
      else localStorage.setItem(`${this.name}.${key}`, JSON.stringify(value));
    } catch {
      // a private window: memory must do
    }
  }
}

export class Connection {
  constructor(token, say) {
    this.token = token;
    this.say = say;
    this.shelf = new Shelf(token.slice(0, 8));
  }

  /** Ask for something; waits for a connection. */
  get(path) {
    return this.ask("GET", path, null);
  }

  /** Send what need not be kept: it may fail, and then nothing is lost. */
  async mention(kind, content) {
    try {
      return await this.once("POST", kind, { uuid: newUuid(), time: Date.now(), ...content });
    } catch {
      return null;
    }
  }

  /** Send what must arrive: it is kept until the server has stored it. */
  async store(kind, content) {
    const entry = { kind, body: { uuid: newUuid(), time: Date.now(), ...content } };
    this.shelf.write("pending", [...(this.shelf.read("pending") ?? []), entry]);
    return this.deliver(entry);
  }

  /** Send what was left from last time; what is refused now was decided elsewhere. */
  async flush() {
    for (const entry of this.shelf.read("pending") ?? []) {
      try {
        await this.deliver(entry);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
      }
    }
  }

  async deliver(entry) {
    try {
      return await this.ask("POST", entry.kind, entry.body);
    } finally {
      const left = (this.shelf.read("pending") ?? []).filter((other) => other.body.uuid !== entry.body.uuid);
      this.shelf.write("pending", left.length ? left : null);
    }
  }

  /** Ask until there is a reply that counts; only the server's own refusal ends it otherwise. */
  async ask(method, path, body) {
    for (let turn = 0; ; turn += 1) {
      try {
        const reply = await this.once(method, path, body);
        if (turn) this.say("");
        return reply;
      } catch (error) {
        if (error instanceof Refused && error.status !== 429 && error.status < 500) {
          if (turn) this.say("");
          throw error;
        }
        if (turn || !(error instanceof Refused)) this.say(word("offline"), "offline");
        await pause(PAUSES[Math.min(turn, PAUSES.length - 1)]);
      }
    }
  }

  async once(method, path, body) {
    const headers = { authorization: `Bearer ${this.token}` };
    if (body) headers["content-type"] = "application/json";
    const options = { method, headers, cache: "no-store", credentials: "omit", signal: AbortSignal.timeout(PATIENCE) };
    const reply = await fetch(`api/${path}`, body ? { ...options, body: JSON.stringify(body) } : options);
    const found = await reply.json().catch(() => ({}));
    if (!reply.ok) throw new Refused(reply.status, found);
    return found;
  }
}

/** Wait a while, or until the browser says that there is a connection again. */
function pause(milliseconds) {
  return new Promise((done) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      done();
    };
    const timer = setTimeout(end, milliseconds);
    addEventListener("online", end);
  });
}
