// A real server in its own process, with users and clients.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { createClient, type Client } from "../src/client";
import type { Storage } from "../src/client/storage";

// From the working directory, because the tests run from another folder after the build.
const ROOT = join(process.cwd(), existsSync("greenroom") ? "." : "..");
const PYTHON = process.env["GREENROOM_TEST_PYTHON"] ?? join(ROOT, ".venv/bin/python");
const SECRET = "a secret of more than 32 characters for tokens";

/** Asynchronous: a blocking call would let the server close connections that fetch reuses. */
const run = promisify(execFile);

const SERVE_WITHOUT_LIMITS = `
import uvloop
from bench.unlimited import UNLIMITED
from greenroom.serve import serve
from greenroom.settings import read_settings
def tell(address): print(address, flush=True)
uvloop.run(serve(read_settings(), create_tables=False, samples=False, tell=tell, rates=UNLIMITED))`;

/** Where the servers of this process keep files, as in GREENROOM_BLOBS; empty means a folder. */
export const blobs = { url: "" };

export class TestServer {
  readonly #folder = mkdtempSync(join(tmpdir(), "greenroom-web-"));
  readonly #clients: Client[] = [];
  readonly ids = new Map<string, string>();
  readonly #command: string[];
  /** Other servers use the bucket too. */
  readonly #blobs = blobs.url && `${blobs.url}&prefix=${randomUUID()}/`;
  #process: ChildProcess | null = null;
  #port = "0";
  api = "";

  private constructor(command: string[]) {
    this.#command = command;
  }

  static async create(names: string[], limits: "limited" | "limitless"): Promise<TestServer> {
    const server = new TestServer(limits === "limited" ? ["-m", "greenroom", "serve"] : ["-c", SERVE_WITHOUT_LIMITS]);
    await server.start();
    for (const name of names) await server.join(name);
    return server;
  }

  async start(): Promise<void> {
    this.#process = spawn(PYTHON, this.#command, {
      cwd: ROOT,
      env: this.#environment(),
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = createInterface({ input: this.#process.stdout! });
    for await (const line of lines) {
      const found = /http:\/\/\S+/.exec(line);
      if (found === null) continue;
      this.api = found[0];
      this.#port = this.api.slice(this.api.lastIndexOf(":") + 1);
      return;
    }
    throw new Error("the server did not start");
  }

  #environment(): Record<string, string | undefined> {
    return {
      PATH: process.env["PATH"],
      GREENROOM_DATA: this.#folder,
      GREENROOM_PORT: this.#port,
      GREENROOM_SECRET: SECRET,
      GREENROOM_LOG: "error",
      ...(this.#blobs && { GREENROOM_BLOBS: this.#blobs }),
    };
  }

  /** Kills the process, as in a power failure. */
  async kill(): Promise<void> {
    const server = this.#process;
    if (server === null) return;
    this.#process = null;
    const gone = new Promise((done) => server.once("exit", done));
    server.kill("SIGKILL");
    await gone;
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close();
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  token(name: string, { seconds = 3600, scope = "user" } = {}): string {
    const sub = this.ids.get(name) ?? name;
    const now = Math.floor(Date.now() / 1000);
    const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = { sub, scope, iat: now, exp: now + seconds, jti: randomUUID() };
    const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
    return `${signed}.${createHmac("sha256", SECRET).update(signed).digest("base64url")}`;
  }

  async request(name: string, method: string, path: string, body?: unknown, scope?: string): Promise<any> {
    const answer = await fetch(`${this.api}/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.token(name, scope === undefined ? {} : { scope })}`,
        "Content-Type": "application/json",
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.status === 204 ? null : answer.json();
  }

  async join(name: string): Promise<void> {
    const made = await this.request("shop", "POST", "/people", { username: name, displayName: name }, "service");
    this.ids.set(name, made.userId);
  }

  /** Grants the moderator role on the command line. */
  async makeModerator(name: string): Promise<void> {
    const command = ["-m", "greenroom", "staff", "grant", this.ids.get(name) ?? "", "moderator"];
    await run(PYTHON, command, { cwd: ROOT, env: this.#environment() });
  }

  /** Opens a thread in which all requests are accepted; returns its id. */
  async openThread(opener: string, ...others: string[]): Promise<string> {
    const participants = others.map((name) => ({ userId: this.ids.get(name), role: "seller" }));
    const opened = await this.request(opener, "POST", "/threads", {
      kind: "inquiry",
      role: "buyer",
      participants,
      message: { body: "Hello!" },
    });
    const { threadId } = opened.thread;
    for (const name of others) {
      const thread = await this.request(name, "GET", `/threads/${threadId}`);
      for (const { requestId } of thread.requests) {
        await this.request(name, "POST", `/requests/${requestId}/accept`);
      }
    }
    return threadId;
  }

  client(name: string, parts: { storage?: Storage; WebSocket?: typeof WebSocket; token?: () => string } = {}): Client {
    const { token = () => this.token(name), ...platform } = parts;
    const client = createClient({ api: this.api, token, shared: false }, platform);
    this.#clients.push(client);
    return client;
  }

  /** The texts of a thread, from the server. */
  async texts(name: string, threadId: string): Promise<string[]> {
    const page = await this.request(name, "GET", `/threads/${threadId}/messages?limit=100`);
    return page.messages.filter((one: any) => one.kind === "text").map((one: any) => one.body);
  }

  /** A cursor of an older format, sealed like the server's own. */
  async oldCursor(name: string): Promise<string> {
    const made = `
import sys
from greenroom.store.cursors import CursorCodec
print(CursorCodec(sys.argv[1].encode()).seal_bytes(f"sync {sys.argv[2]}".encode(), b"old"))`;
    return this.#runPython(made, name);
  }

  /** The user's cursor without the part of one source, which then resets alone. */
  async cursorWithout(source: string, name: string, cursor: string): Promise<string> {
    const made = `
import sys
import msgspec
from greenroom.store.cursors import CursorCodec
codec, scope = CursorCodec(sys.argv[1].encode()), f"sync {sys.argv[2]}".encode()
version, turn, positions = msgspec.msgpack.decode(codec.unseal_bytes(scope, sys.argv[3]))
del positions[sys.argv[4]]
print(codec.seal_bytes(scope, msgspec.msgpack.encode([version, turn, positions])))`;
    return this.#runPython(made, name, cursor, source);
  }

  /** Runs the code with the secret, the user's id and the arguments; returns what it prints. */
  async #runPython(code: string, name: string, ...args: string[]): Promise<string> {
    const command = ["-c", code, SECRET, this.ids.get(name) ?? "", ...args];
    return (await run(PYTHON, command, { cwd: ROOT })).stdout.trim();
  }
}

/** A localStorage in memory. */
export class MemoryStorage implements Storage {
  #items = new Map<string, string>();

  get length(): number {
    return this.#items.size;
  }

  key(at: number): string | null {
    return [...this.#items.keys()][at] ?? null;
  }

  getItem(key: string): string | null {
    return this.#items.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    this.#items.set(key, value);
  }

  removeItem(key: string): void {
    this.#items.delete(key);
  }
}

/** A WebSocket whose frames can be inspected, changed or dropped (null). */
export function interceptedSocket(
  way: { out?: (frame: any) => any; in?: (frame: any) => any },
): typeof WebSocket {
  return class extends WebSocket {
    override send(data: string): void {
      const frame = way.out === undefined ? JSON.parse(data) : way.out(JSON.parse(data));
      if (frame !== null) super.send(JSON.stringify(frame));
    }

    override set onmessage(run: ((event: MessageEvent) => void) | null) {
      super.onmessage =
        run === null
          ? null
          : (event: MessageEvent) => {
              const frame = JSON.parse(event.data as string);
              const told = way.in === undefined ? frame : way.in(frame);
              if (told !== null) run(new MessageEvent("message", { data: JSON.stringify(told) }));
            };
    }
  } as typeof WebSocket;
}

export async function waitFor<T>(look: () => T | null | undefined | false, what = ""): Promise<T> {
  const end = Date.now() + 20_000;
  for (;;) {
    const found = look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`timed out: ${what || look}`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

export const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
