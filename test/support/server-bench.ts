/** A server over a store of its own, with a supervisor that does what a test says instead of children. */

import {
  type ApiServer,
  createApiServer,
  type Logged,
  type ServerClock,
  type ServerOptions,
} from "../../src/server/index.ts";
import type {
  InterruptAnswer,
  InterruptWish,
  Listener,
  PublishedEvent,
  ServedAgent,
  Supervisor,
} from "../../src/server/supervise/index.ts";
import { openStore, type Store, type StoreOptions } from "../../src/store/index.ts";
import { Conversations } from "../../src/threads/index.ts";
import { mustConform } from "./conformance.ts";

/** Writes what is asked of it into the store, and runs nothing. */
export class IdleSupervisor implements Supervisor {
  readonly agents: readonly ServedAgent[] = [
    { name: "echo", title: "Echo", script: "/agents/echo.harn", mode: null, config: {} },
  ];
  trouble: "disk-full" | undefined;
  readonly woken: string[] = [];
  /** What a child would do now. */
  onWake: (conversation: string) => void = () => {};
  onInterrupt: (conversation: string) => void = () => {};
  private readonly conversations: Conversations;
  private readonly listeners = new Set<Listener>();
  private interrupts = 0;

  constructor(store: Store) {
    this.conversations = new Conversations(store);
  }

  async start(): Promise<void> {}
  async stop(): Promise<void> {}

  wake(conversation: string): void {
    this.woken.push(conversation);
    this.onWake(conversation);
  }

  async interrupt({ target, by, reason }: InterruptWish): Promise<InterruptAnswer> {
    this.interrupts++;
    const asked = { interrupt: `i_${this.interrupts}`, by, reason: reason ?? null };
    if ("run" in target) {
      const { id } = this.conversations.interruptRun({ run: target.run, ...asked, now: Date.now() });
      return { interrupt: id, state: "processing" };
    }
    const { interrupt, record } = this.conversations.interrupt({
      id: target.conversation,
      ...asked,
      now: Date.now(),
    });
    this.onInterrupt(target.conversation);
    return { interrupt: interrupt?.id, state: record.state };
  }

  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  emit(stream: string, report: PublishedEvent): void {
    for (const listener of this.listeners) listener(stream, report);
  }
}

export interface Asked {
  readonly method?: string;
  /** Whose token is sent; "": none. */
  readonly as?: string;
  readonly body?: unknown;
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly host?: string;
}

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server said
  readonly json: any;
}

export class ServerBench {
  readonly folder: string;
  readonly store: Store;
  readonly conversations: Conversations;
  readonly supervisor: IdleSupervisor;
  readonly server: ApiServer;
  readonly logged: Logged[] = [];
  /** The server's clock. */
  now = 1_700_000_000_000;
  private secrets = 0;
  /** It has the routes of the product: every answer is held against what they promise. */
  private readonly isOwnTable: boolean;

  /** Principals ann and eve (write), bob (read), root (admin); their tokens are `NAME-token`. */
  constructor(folder: string, options: Partial<ServerOptions> = {}, storeOptions: StoreOptions = {}) {
    this.folder = folder;
    this.isOwnTable = options.routes === undefined;
    this.store = openStore(this.folder, { ...storeOptions, now: () => this.now });
    this.conversations = new Conversations(this.store);
    this.supervisor = new IdleSupervisor(this.store);
    const clock: ServerClock = {
      now: () => this.now,
      after: () => () => {},
      randomBytes: (count) => {
        this.secrets++;
        return Buffer.alloc(count, this.secrets.toString(16).padStart(8, "0"));
      },
    };
    this.server = createApiServer({
      store: this.store,
      supervisor: this.supervisor,
      workspaces: `${this.folder}/workspaces`,
      version: "1.2.3",
      port: 4747,
      clock,
      log: (line) => this.logged.push(line),
      ...options,
    });
    for (const [name, role] of [
      ["ann", "write"],
      ["eve", "write"],
      ["bob", "read"],
      ["root", "admin"],
    ] as const)
      this.server.access.add(name, role, `${name}-token`);
  }

  async close(): Promise<void> {
    await this.server.close();
    this.store.close();
  }

  /** The secret of a login of a principal. */
  cookie(name: string): string {
    return this.server.access.login(`${name}-token`)?.secret ?? "";
  }

  request(
    path: string,
    { method, as = "ann", body, raw, headers = {}, host = "127.0.0.1:4747" }: Asked = {},
  ): Request {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    return new Request(`http://${host}${path}`, {
      method: method ?? (sent === undefined ? "GET" : "POST"),
      headers: {
        host,
        ...(as === "" ? {} : { authorization: `Bearer ${as}-token` }),
        ...(sent === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      body: sent,
    });
  }

  async ask(path: string, asked: Asked = {}): Promise<Received> {
    const request = this.request(path, asked);
    const response = await this.server.fetch(request);
    const text = await response.text();
    if (this.isOwnTable) mustConform(request, response, text);
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: /^[[{]/.test(text) ? JSON.parse(text) : undefined,
    };
  }

  /** A new conversation; gives its id. */
  async conversation(as = "ann", more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const { json } = await this.ask("/api/conversations", { as, body: { agent: "echo", ...more } });
    return json.id;
  }
}
