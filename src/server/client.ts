/**
 * `HarnClient`: the server's API for programs and pages; no dependencies, only `fetch`. Methods give what the routes give;
 * what a route refuses is a `HarnProblem`. `events` is an iterator that reconnects by itself and misses nothing.
 */
import type { z } from "zod";
import { type Backoff, backoffMs } from "../effects/backoff.ts";
import type { EventEnvelope, Problem } from "./protocol/index.ts";
import type * as schemas from "./routes/schemas.ts";

export type { EventEnvelope, Problem } from "./protocol/index.ts";

export type ConversationSummary = z.output<typeof schemas.conversationSummary>;
export type ConversationRecord = z.output<typeof schemas.conversationRecord>;
export type MessageRecord = z.output<typeof schemas.messageRecord>;
export type QuestionRecord = z.output<typeof schemas.questionRecord>;
export type RunRecord = z.output<typeof schemas.runSummary>;
export type FileRecord = z.output<typeof schemas.fileRecord>;
export type PrincipalRecord = z.output<typeof schemas.principalRecord>;
export type EventPage = { items: EventEnvelope[]; next: number | null; head: number };
export type NewMessage = z.input<typeof schemas.newMessage>;
/** What a fork does otherwise, besides its title. */
export interface ForkChanges {
  readonly title?: string;
  readonly model?: string;
  readonly provider?: string;
  /** What its first step gives, instead of doing it. */
  readonly result?: unknown;
  /** Variables of the environment; for admins. */
  readonly set?: Readonly<Record<string, string>>;
}
export type AnswerBody = z.input<typeof schemas.answerBody>;

export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

export interface PageAsked {
  readonly limit?: number;
  readonly after?: string;
}

export interface ClientOptions {
  /** `http://127.0.0.1:4747`; default the page's own server. */
  readonly url?: string;
  /** Without one the cookie of a login is used. */
  readonly token?: string;
  readonly fetch?: typeof fetch;
}

export interface Sent {
  readonly signal?: AbortSignal;
  /** So that a request that is sent again is done once. */
  readonly idempotencyKey?: string;
  /** Version that was seen, as an ETag: `"3"`. */
  readonly ifMatch?: string;
}

export interface EventsAsked {
  /** Number of the last event that is known; default 0. */
  readonly after?: number;
  readonly signal?: AbortSignal;
  /** Only of these. */
  readonly types?: readonly string[];
}

/** What the server refused; `problem` as it was told, `null` when the answer was none of its own. */
export class HarnProblem extends Error {
  readonly status: number;
  readonly problem: Problem | null;

  constructor(status: number, problem: Problem | null) {
    super(problem?.detail ?? `the server answered ${status}`);
    this.name = "HarnProblem";
    this.status = status;
    this.problem = problem;
  }
}

/** After so many milliseconds without a sound a stream is opened anew. */
const silenceMs = 25_000;
const pauses: Backoff = { baseMs: 1000, maxMs: 30_000 };

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export class HarnClient {
  private readonly url: string;
  private readonly token: string | undefined;
  private readonly send: typeof fetch;

  constructor({ url = "", token, fetch: send = (...args) => fetch(...args) }: ClientOptions = {}) {
    this.url = url.replace(/\/$/, "");
    this.token = token;
    this.send = send;
  }

  health = (): Promise<{ status: "ok" | "stopping"; version: string }> => this.get("/api/health");
  info = (): Promise<{
    version: string;
    protocol: number;
    agents: { name: string; title: string; mode: string | null }[];
    limits: Record<string, unknown>;
    features: string[];
  }> => this.get("/api/info");
  me = (): Promise<{ name: string; role: string }> => this.get("/api/me");
  login = (code: string): Promise<void> => this.post("/api/login", { code });
  logout = (): Promise<void> => this.post("/api/logout", {});

  conversations = (
    asked: PageAsked & { state?: string; agent?: string; q?: string; archived?: boolean } = {},
  ): Promise<Page<ConversationSummary>> => this.get("/api/conversations", { ...asked });
  createConversation = (
    made: {
      agent: string;
      title?: string;
      mode?: "plan" | "execute" | null;
      config?: Record<string, unknown>;
      message?: NewMessage;
    },
    sent?: Sent,
  ): Promise<ConversationRecord> => this.post("/api/conversations", made, sent);
  conversation = (id: string): Promise<ConversationRecord> => this.get(at(id));
  changeConversation = (
    id: string,
    changes: {
      title?: string;
      mode?: "plan" | "execute" | null;
      config?: Record<string, unknown>;
      archived?: boolean;
    },
    sent?: Sent,
  ): Promise<ConversationRecord> => this.ask("PATCH", at(id), changes, sent);
  removeConversation = (id: string, { purge = false } = {}): Promise<void> =>
    this.ask("DELETE", `${at(id)}?purge=${purge}`, {});

  messages = (id: string, asked: PageAsked = {}): Promise<Page<MessageRecord>> =>
    this.get(at(id, "/messages"), { ...asked });
  say = (id: string, message: NewMessage, sent?: Sent): Promise<{ message: string; position: number }> =>
    this.post(at(id, "/messages"), message, sent);
  takeBack = (id: string, message: string): Promise<void> =>
    this.ask("DELETE", at(id, `/messages/${encodeURIComponent(message)}`), {});
  interrupt = (id: string, reason?: string): Promise<{ interrupt?: string; state: string }> =>
    this.post(at(id, "/interrupt"), reason === undefined ? {} : { reason });
  resume = (id: string, sent?: Sent): Promise<{ state: string }> => this.post(at(id, "/resume"), {}, sent);

  /** A new conversation that goes like this one up to an event, or to a step of its last run, and lives from there on. */
  fork = (
    id: string,
    place: ({ event: number } | { step: number }) & ForkChanges,
    sent?: Sent,
  ): Promise<ConversationRecord> => this.post(at(id, "/forks"), place, sent);

  questions = (id: string, { open = false } = {}): Promise<Page<QuestionRecord>> =>
    this.get(at(id, "/questions"), { open });
  answer = (
    question: string,
    answer: AnswerBody,
    sent?: Sent,
  ): Promise<{ question: string; counted: boolean; open: number }> =>
    this.post(`/api/questions/${encodeURIComponent(question)}/answer`, answer, sent);

  files = (id: string): Promise<{ items: FileRecord[]; cut: boolean }> => this.get(at(id, "/files"));
  readFile = async (id: string, path: string): Promise<Blob> =>
    await (await this.open("GET", at(id, `/files/${filePath(path)}`))).blob();
  writeFile = async (id: string, path: string, content: Blob | string): Promise<FileRecord> =>
    (await (await this.open("PUT", at(id, `/files/${filePath(path)}`), content)).json()) as FileRecord;
  removeFile = (id: string, path: string): Promise<void> =>
    this.ask("DELETE", at(id, `/files/${filePath(path)}`), {});
  state = (id: string, seq?: number): Promise<Record<string, unknown>> =>
    this.get(at(id, "/state"), seq === undefined ? {} : { at: seq });
  blob = async (id: string, ref: string): Promise<string> =>
    await (await this.open("GET", at(id, `/blobs/${encodeURIComponent(ref)}`))).text();

  runs = (asked: PageAsked = {}): Promise<Page<RunRecord>> => this.get("/api/runs", { ...asked });
  /** A run as one page that opens from disk. */
  report = async (run: string): Promise<string> =>
    (await this.open("GET", `/api/runs/${encodeURIComponent(run)}/report`)).text();
  run = (run: string): Promise<RunRecord> => this.get(`/api/runs/${encodeURIComponent(run)}`);

  principals = (): Promise<Page<PrincipalRecord>> => this.get("/api/principals");
  addPrincipal = (
    name: string,
    role: "read" | "write" | "admin" = "write",
  ): Promise<{ name: string; role: string; token: string }> => this.post("/api/principals", { name, role });
  revokePrincipal = (name: string): Promise<void> =>
    this.ask("DELETE", `/api/principals/${encodeURIComponent(name)}`, {});

  /** A page of a log: of a conversation, or of `run:NAME`. */
  eventPage = (
    id: string,
    { after = 0, limit, types }: { after?: number; limit?: number; types?: readonly string[] } = {},
  ): Promise<EventPage> => this.get(logPath(id), { after, limit, types: types?.join(",") });

  /**
   * The log of a conversation, or of `run:NAME`, from behind `after`: what there is, then what comes, until `signal`. Each
   * durable event once and in order, whatever happens to the connection or the server; ephemeral ones have `seq: null`.
   * Throws a `HarnProblem` when the server refuses.
   */
  async *events(id: string, { after = 0, signal, types }: EventsAsked = {}): AsyncGenerator<EventEnvelope> {
    let last = after;
    const isOver = (): boolean => signal?.aborted === true;
    for (let failures = 0; !isOver(); ) {
      try {
        for await (const event of this.stream(id, last, types, signal)) {
          failures = 0;
          if (event.type === "reset") last = event.data.from - 1;
          else if (event.seq !== null) {
            if (event.seq <= last) continue;
            last = event.seq;
          }
          yield event;
        }
      } catch (error) {
        if (error instanceof HarnProblem && error.status < 500 && error.status !== 429) throw error;
      }
      if (isOver()) return;
      await pause(backoffMs(pauses, ++failures), signal);
    }
  }

  /** One connection: until it is lost, silent for too long, or ended. */
  private async *stream(
    id: string,
    after: number,
    types: readonly string[] | undefined,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<EventEnvelope> {
    const silent = new AbortController();
    const over = signal === undefined ? silent.signal : AbortSignal.any([silent.signal, signal]);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const heard = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), silenceMs);
    };
    heard();
    try {
      const path = withQuery(logPath(id), { after, types: types?.join(",") });
      const response = await this.send(`${this.url}${path}`, {
        headers: { ...this.headers(), accept: "text/event-stream" },
        signal: over,
      });
      if (!response.ok) throw await problemIn(response);
      if (response.body === null) return;
      for await (const data of sseData(response.body, heard)) yield JSON.parse(data) as EventEnvelope;
    } finally {
      clearTimeout(timer);
      silent.abort();
    }
  }

  private get<T>(path: string, query: Query = {}): Promise<T> {
    return this.ask("GET", withQuery(path, query));
  }

  private post<T>(path: string, body: unknown, sent?: Sent): Promise<T> {
    return this.ask("POST", path, body, sent);
  }

  private async ask<T>(method: string, path: string, body?: unknown, sent: Sent = {}): Promise<T> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const response = await this.open(method, path, text, sent);
    return (response.status === 204 ? undefined : await response.json()) as T;
  }

  private async open(method: string, path: string, body?: Blob | string, sent: Sent = {}): Promise<Response> {
    const { signal, idempotencyKey, ifMatch } = sent;
    const isUpload = method === "PUT";
    const response = await this.send(`${this.url}${path}`, {
      method,
      headers: {
        ...this.headers(),
        ...(body === undefined || isUpload ? {} : { "content-type": "application/json" }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        ...(ifMatch === undefined ? {} : { "if-match": ifMatch }),
      },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (!response.ok) throw await problemIn(response);
    return response;
  }

  private headers(): Record<string, string> {
    return this.token === undefined ? { "x-harn": "1" } : { authorization: `Bearer ${this.token}` };
  }
}

const at = (id: string, rest = ""): string => `/api/conversations/${encodeURIComponent(id)}${rest}`;
const logPath = (id: string): string =>
  id.startsWith("run:")
    ? `/api/runs/${encodeURIComponent(id.slice("run:".length))}/events`
    : at(id, "/events");
const filePath = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

function withQuery(path: string, query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? path : `${path}?${given}`;
}

async function problemIn(response: Response): Promise<HarnProblem> {
  const text = await response.text().catch(() => "");
  try {
    const read = JSON.parse(text) as Partial<Problem>;
    const isOurs = typeof read.type === "string" && typeof read.detail === "string";
    return new HarnProblem(response.status, isOurs ? (read as Problem) : null);
  } catch {
    return new HarnProblem(response.status, null);
  }
}

/** The data of server-sent events; `heard` with every piece. */
async function* sseData(body: ReadableStream<Uint8Array>, heard: () => void): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      heard();
      rest += decoder.decode(next.value, { stream: true });
      const blocks = rest.split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const data = block
          .split("\n")
          .filter((line) => line.startsWith("data:"))
          .map((line) => line.slice("data:".length).replace(/^ /, ""))
          .join("\n");
        if (data !== "") yield data;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Of a page: it tells when the network returns. */
const page = globalThis as Partial<Pick<EventTarget, "addEventListener" | "removeEventListener">>;

/** Ends early with the signal, and when the network returns. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", go);
      page.removeEventListener?.("online", go);
      resolve();
    };
    const timer = setTimeout(go, ms);
    signal?.addEventListener("abort", go, { once: true });
    page.addEventListener?.("online", go);
  });
}
