/** Conversations under one or more server processes, for tests: the test process writes to their store like a server. */
import { type ChildProcess, fork } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { poolMark } from "../../src/host/index.ts";
import type { RunFlags } from "../../src/run/setup/run-flags.ts";
import type { InterruptAnswer, InterruptWish } from "../../src/server/supervise/index.ts";
import { openStore, type Store } from "../../src/store/index.ts";
import { Conversations, type StoredEnvelope } from "../../src/threads/index.ts";
import { cleanEnvironment } from "./command-environment.ts";
import { keepCompiled } from "./compiled-sources.ts";

export interface ServedOptions {
  readonly state: string;
  readonly cwd: string;
  readonly agents: readonly { readonly name: string; readonly script: string }[];
  readonly jobs?: number;
  readonly flags?: RunFlags;
  readonly timeout?: number;
  readonly memory?: number;
  readonly patienceMs?: number;
  readonly drainMs?: number;
}

export type ToServed =
  | { readonly interrupt: InterruptWish }
  | { readonly stop: "drain" | "now" }
  | { readonly wake: string };

/** What a server told a listener, and when. */
export type Received = { readonly stream: string; readonly at: number; readonly more?: number } & Record<
  string,
  unknown
>;

export class ServedProcess {
  readonly child: ChildProcess;
  readonly received: Received[] = [];
  output = "";
  readonly ended: Promise<number | null>;
  private readonly answers: ((answer: InterruptAnswer) => void)[] = [];
  private readonly isReady: Promise<void>;

  constructor(options: ServedOptions, env: Record<string, string> = {}) {
    this.child = fork(resolve(import.meta.dirname, "served-child.ts"), [JSON.stringify(options)], {
      cwd: options.cwd,
      env: cleanEnvironment({ ...keepCompiled(), ...env }),
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
      });
    this.isReady = new Promise((ready, reject) => {
      this.child.once("exit", () => reject(new Error(`the server ended: ${this.output}`)));
      this.child.on("message", (message: { ready?: true; report?: Received; answer?: InterruptAnswer }) => {
        if (message.ready === true) ready();
        if (message.report !== undefined) this.received.push(message.report);
        if (message.answer !== undefined) this.answers.shift()?.(message.answer);
      });
    });
    this.isReady.catch(() => {});
    this.ended = new Promise((done) => this.child.once("exit", (code) => done(code)));
  }

  ready(): Promise<void> {
    return this.isReady;
  }

  send(message: ToServed): void {
    this.child.send(message);
  }

  interrupt(wish: InterruptWish): Promise<InterruptAnswer> {
    return new Promise((done, refuse) => {
      this.answers.push((answer) => {
        if ("refused" in answer) refuse(new Error(String(answer.refused)));
        else done(answer);
      });
      this.send({ interrupt: wish });
    });
  }

  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended;
  }

  async stop(how: "drain" | "now" = "now"): Promise<void> {
    if (this.child.connected) this.send({ stop: how });
    await this.ended;
  }
}

/** A project with agents, its store, and servers on it. */
export class ServedProject {
  readonly folder: string;
  readonly state: string;
  readonly store: Store;
  readonly conversations: Conversations;
  readonly servers: ServedProcess[] = [];
  private readonly options: Omit<ServedOptions, "state" | "cwd" | "agents">;
  private readonly agents: { name: string; script: string }[] = [];
  private readonly env: Record<string, string>;
  private made = 0;
  private closed = false;

  constructor(
    folder: string,
    scripts: { readonly [agent: string]: string },
    options: Omit<ServedOptions, "state" | "cwd" | "agents"> = {},
    env: Record<string, string> = {},
  ) {
    this.folder = folder;
    this.state = join(folder, ".harn");
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(scripts)) {
      writeFileSync(join(folder, `${name}.harn`), text);
      this.agents.push({ name, script: `${name}.harn` });
    }
    this.options = options;
    this.env = env;
    this.store = openStore(this.state);
    this.conversations = new Conversations(this.store);
  }

  /** Starts a server; resolves when it takes messages. */
  async serve(more: Partial<ServedOptions> = {}): Promise<ServedProcess> {
    const { folder: cwd, state, agents } = this;
    const server = new ServedProcess({ ...this.options, ...more, cwd, state, agents }, this.env);
    this.servers.push(server);
    await server.ready();
    return server;
  }

  /** A new conversation with its first message; gives its id. */
  open(agent: string, text: string): string {
    const id = `c_${String(++this.made).padStart(4, "0")}`;
    const made = { agent, owner: "ann", title: "", mode: null, config: {}, workspace: null };
    this.conversations.create({ id, made, now: Date.now(), message: this.message(text) });
    return id;
  }

  say(id: string, text: string): string {
    const message = this.message(text);
    this.conversations.say({ id, ...message, now: Date.now() });
    return message.message;
  }

  private message(text: string) {
    const message = `m_${String(++this.made).padStart(4, "0")}`;
    return { message, text, attachments: [], delivery: "queue", by: "ann" } as const;
  }

  stateOf(id: string): string {
    return this.conversations.mustGet(id).state;
  }

  events(id: string): readonly StoredEnvelope[] {
    const all: StoredEnvelope[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page = this.conversations.events(id, { after });
      all.push(...page.items);
      after = page.next;
    }
    return all;
  }

  types(id: string): string[] {
    return this.events(id).map(({ type }) => type);
  }

  ofType(id: string, type: string): StoredEnvelope[] {
    return this.events(id).filter((event) => event.type === type);
  }

  /** The mark of the process tree that works for a conversation. */
  markOf(id: string): string {
    return (this.store.entries.get("conversation.child", id) as { readonly mark: string }).mark;
  }

  /** The text of a file of the project; "" when it is not there. */
  read(name: string): string {
    const file = join(this.folder, name);
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  async close(): Promise<void> {
    for (const server of this.servers) {
      if (server.child.exitCode === null && server.child.signalCode === null) await server.kill();
    }
    if (!this.closed) this.store.close();
    this.closed = true;
  }
}

/** Looks until it is so. */
export async function until(
  what: () => boolean,
  why: () => string = () => "it did not come to that",
): Promise<void> {
  const deadline = Date.now() + 300_000;
  while (!what()) {
    if (Date.now() > deadline) throw new Error(why());
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** Processes that are there, no zombies, that carry a text in their environment. */
export function marked(text: string): number[] {
  const found: number[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    try {
      if (readFileSync(`/proc/${pid}/environ`, "latin1").includes(text)) found.push(pid);
    } catch {
      // It ended meanwhile, or is somebody else's.
    }
  }
  return found;
}

/** Processes that a server's children started and that are still there. */
export const childrenOf = (server: { readonly child: ChildProcess }): number[] =>
  marked(`${poolMark}=${server.child.pid}-`);
