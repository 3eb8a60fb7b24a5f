/**
 * `HarnClient`: the server's API for programs and pages; no dependencies, only `fetch`. Methods give what the routes give;
 * what a route refuses is a `HarnProblem`. `events` is an iterator that reconnects by itself and misses nothing.
 */
import { type Backoff, backoffMs } from "../effects/backoff.ts";
import type { PaperFormat } from "../writing/formats/index.ts";
import {
  type AnswerBody,
  type ConversationRecord,
  type ConversationSummary,
  type EventEnvelope,
  type FileDiff,
  type FileRecord,
  type FindingRecord,
  type ImportedReferences,
  type LibraryAdded,
  type LibraryRecord,
  type LogView,
  limits,
  type Me,
  type MessageRecord,
  type NewMessage,
  type Page,
  type PaperDiff,
  type PaperRecord,
  type PaperSummary,
  type PrincipalRecord,
  type Problem,
  type ProblemSlug,
  type QuestionRecord,
  type Role,
  type RunSummary,
  type ServerInfo,
  SseParser,
  slugOf,
  type VersionRecord,
} from "./protocol/index.ts";

export type {
  AnswerBody,
  ConversationRecord,
  ConversationSummary,
  EventEnvelope,
  FileDiff,
  FileRecord,
  LibraryAdded,
  LibraryRecord,
  LogView,
  MessageRecord,
  NewMessage,
  Page,
  PaperDiff,
  PaperRecord,
  PaperSummary,
  PrincipalRecord,
  Problem,
  QuestionRecord,
  RunSummary,
} from "./protocol/index.ts";

export type EventPage = { items: EventEnvelope[]; next: number | null; head: number };

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

/** What the server refused; `problem` as it was told, `null` when the answer was none of its own. */
export class HarnProblem extends Error {
  readonly status: number;
  readonly problem: Problem | null;

  constructor(
    status: number,
    problem: Problem | null,
    message = problem?.detail ?? `The server answered ${status}.`,
  ) {
    super(message);
    this.name = "HarnProblem";
    this.status = status;
    this.problem = problem;
  }

  /** Which of the server's problems it is. */
  get slug(): ProblemSlug | null {
    return this.problem === null ? null : slugOf(this.problem);
  }
}

const pauses: Backoff = { baseMs: 1000, maxMs: 30_000 };

type QueryParams = Readonly<Record<string, string | number | boolean | undefined>>;

export class HarnClient {
  private readonly url: string;
  private readonly token: string | undefined;
  private readonly send: typeof fetch;

  constructor({ url = "", token, fetch: send = (...args) => fetch(...args) }: ClientOptions = {}) {
    this.url = url.replace(/\/$/, "");
    this.token = token;
    this.send = async (...args) => {
      try {
        return await send(...args);
      } catch (error) {
        throw unreached(this.url, error);
      }
    };
  }

  health = (): Promise<{ status: "ok" | "stopping"; version: string }> => this.get("/api/health");
  info = (): Promise<ServerInfo> => this.get("/api/info");
  me = (): Promise<Me> => this.get("/api/me");
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
  conversation = (id: string): Promise<ConversationRecord> => this.get(conversationPath(id));
  changeConversation = (
    id: string,
    changes: {
      title?: string;
      mode?: "plan" | "execute" | null;
      config?: Record<string, unknown>;
      archived?: boolean;
    },
    sent?: Sent,
  ): Promise<ConversationRecord> => this.ask("PATCH", conversationPath(id), changes, sent);
  removeConversation = (id: string, { purge = false } = {}): Promise<void> =>
    this.ask("DELETE", `${conversationPath(id)}?purge=${purge}`, {});

  messages = (id: string, asked: PageAsked = {}): Promise<Page<MessageRecord>> =>
    this.get(conversationPath(id, "/messages"), { ...asked });
  say = (id: string, message: NewMessage, sent?: Sent): Promise<{ message: string; position: number }> =>
    this.post(conversationPath(id, "/messages"), message, sent);
  takeBack = (id: string, message: string): Promise<void> =>
    this.ask("DELETE", conversationPath(id, `/messages/${encodeURIComponent(message)}`), {});
  /** Stops what runs in a conversation, or `run:NAME`. */
  interrupt = (id: string, reason?: string, sent?: Sent): Promise<{ interrupt?: string; state: string }> =>
    this.post(`${logBase(id)}/interrupt`, reason === undefined ? {} : { reason }, sent);
  resume = (id: string, sent?: Sent): Promise<{ state: string }> =>
    this.post(conversationPath(id, "/resume"), {}, sent);

  /** A new conversation that goes like this one up to an event, or to a step of its last run, and lives from there on. */
  fork = (
    id: string,
    place: ({ event: number } | { step: number }) & ForkChanges,
    sent?: Sent,
  ): Promise<ConversationRecord> => this.post(conversationPath(id, "/forks"), place, sent);

  questions = (id: string, { open = false } = {}): Promise<Page<QuestionRecord>> =>
    this.get(conversationPath(id, "/questions"), { open });
  question = (id: string): Promise<QuestionRecord> => this.get(`/api/questions/${encodeURIComponent(id)}`);
  answer = (
    question: string,
    answer: AnswerBody,
    sent?: Sent,
  ): Promise<{ question: string; counted: boolean; open: number }> =>
    this.post(`/api/questions/${encodeURIComponent(question)}/answer`, answer, sent);

  files = (id: string): Promise<{ items: FileRecord[]; cut: boolean }> =>
    this.get(conversationPath(id, "/files"));
  readFile = async (id: string, path: string): Promise<Blob> =>
    await (await this.open("GET", fileAddress(id, path))).blob();
  writeFile = async (id: string, path: string, content: Blob | string): Promise<FileRecord> =>
    (await (await this.open("PUT", fileAddress(id, path), content)).json()) as FileRecord;
  removeFile = (id: string, path: string): Promise<void> => this.ask("DELETE", fileAddress(id, path), {});
  /** How a file changed between two events; without `to` up to now, without `from` from its beginning. */
  fileDiff = (
    id: string,
    { path, from, to }: { readonly path: string; readonly from?: number; readonly to?: number },
    sent?: Sent,
  ): Promise<FileDiff> => this.get(conversationPath(id, "/diff"), { path, from, to }, sent);

  /** What a log amounts to, at its end or at event `seq`; of a conversation, or of `run:NAME`. */
  state = (id: string, seq?: number): Promise<LogView> =>
    this.get(`${logBase(id)}/state`, seq === undefined ? {} : { at: seq });
  /** A long text of an event, by its `ref`. */
  blob = async (id: string, ref: string): Promise<string> =>
    await (await this.open("GET", `${logBase(id)}/blobs/${encodeURIComponent(ref)}`)).text();

  runs = (asked: PageAsked = {}): Promise<Page<RunSummary>> => this.get("/api/runs", { ...asked });
  /** A run as one page that opens from disk. */
  report = async (run: string): Promise<string> => (await this.open("GET", reportAddress(run))).text();
  run = (run: string): Promise<RunSummary> => this.get(`/api/runs/${encodeURIComponent(run)}`);

  principals = (): Promise<Page<PrincipalRecord>> => this.get("/api/principals");
  /** `token` is told this once: null where the request was sent again. */
  addPrincipal = (
    name: string,
    role: Role = "write",
    sent?: Sent,
  ): Promise<{ name: string; role: Role; token: string | null }> =>
    this.post("/api/principals", { name, role }, sent);
  /** Its runs are parked, and go on when somebody resumes them, unless `keepRuns` says that they go on. */
  revokePrincipal = (name: string, { keepRuns = false }: { keepRuns?: boolean } = {}): Promise<void> =>
    this.ask("DELETE", `/api/principals/${encodeURIComponent(name)}${keepRuns ? "?keep_runs=true" : ""}`, {});

  papers = (asked: PageAsked & { conversation?: string; q?: string } = {}): Promise<Page<PaperSummary>> =>
    this.get("/api/papers", { ...asked });
  paper = (id: string): Promise<PaperRecord> => this.get(paperAt(id));
  checkPaper = (id: string): Promise<{ findings: readonly FindingRecord[] }> =>
    this.get(paperAt(id, "/check"));
  /** `version`: the one that was seen; a section that has another by now is 412 `changed`. */
  writeSection = (
    id: string,
    section: string,
    set: { body?: string; title?: string; label?: string; summary?: string; version?: number },
  ): Promise<{ version: number }> => this.ask("PUT", sectionAt(id, section), set);
  moveSection = (
    id: string,
    section: string,
    to: { parent: string | null; position: number; version?: number },
    sent?: Sent,
  ): Promise<{ version: number }> => this.post(`${sectionAt(id, section)}/move`, to, sent);
  importReferences = (id: string, bibtex: string, sent?: Sent): Promise<ImportedReferences> =>
    this.post(paperAt(id, "/import"), { bibtex }, sent);
  paperVersions = (id: string, asked: PageAsked = {}): Promise<Page<VersionRecord>> =>
    this.get(paperAt(id, "/versions"), { ...asked });
  /** What changed from version `from` to `to`; without it to the newest. */
  paperDiff = (id: string, from: number, to?: number): Promise<PaperDiff> =>
    this.get(paperAt(id, `/versions/${from}/diff`), { to });
  restorePaper = (id: string, version: number, sent?: Sent): Promise<{ version: number }> =>
    this.post(paperAt(id, "/restore"), { version }, sent);
  /**
   * The paper as a file, at a version, else as it is. `pdf` needs an engine on the server's machine: without one it is 422.
   * `onFindings` is called with what the format could not say, before the file is there.
   */
  exportPaper = async (
    id: string,
    {
      format,
      version,
      onFindings,
    }: {
      readonly format: PaperFormat;
      readonly version?: number;
      readonly onFindings?: (findings: readonly FindingRecord[]) => void;
    },
    sent?: Sent,
  ): Promise<Blob> => {
    const answer = await this.open(
      "GET",
      withQuery(paperAt(id, "/export"), { format, version }),
      undefined,
      sent,
    );
    onFindings?.(JSON.parse(answer.headers.get("x-harn-findings") ?? "[]") as FindingRecord[]);
    return await answer.blob();
  };
  /** References of the library that have all words of `q`, the best first; without words the newest. */
  library = (asked: { q?: string; limit?: number } = {}): Promise<{ items: readonly LibraryRecord[] }> =>
    this.get("/api/library", { ...asked });
  libraryEntry = (key: string): Promise<LibraryRecord> => this.get(libraryAt(key));
  /** Unverified; a work that is there already is given back as it is. */
  addToLibrary = (
    work: { item: Readonly<Record<string, unknown>> } | { bibtex: string },
    sent?: Sent,
  ): Promise<LibraryAdded> => this.post("/api/library", work, sent);
  /** One that is verified stays as it is: 422. */
  writeLibraryEntry = (key: string, item: Readonly<Record<string, unknown>>): Promise<LibraryRecord> =>
    this.ask("PUT", libraryAt(key), { item });
  /** For admins: the library is everybody's. */
  removeLibraryEntry = (key: string): Promise<void> => this.ask("DELETE", libraryAt(key));

  /** A page of a log: of a conversation, or of `run:NAME`. */
  eventPage = (
    id: string,
    { after = 0, limit, types }: { after?: number; limit?: number; types?: readonly string[] } = {},
  ): Promise<EventPage> => this.get(`${logBase(id)}/events`, { after, limit, types: types?.join(",") });

  /**
   * The log of a conversation, or of `run:NAME`, from after `after`: what there is, then what comes, until `signal`. Each
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
      await pauseFor(backoffMs(pauses, ++failures), signal);
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
    const onData = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), limits.silence);
    };
    onData();
    try {
      const path = withQuery(`${logBase(id)}/events`, { after, types: types?.join(",") });
      const response = await this.send(`${this.url}${path}`, {
        headers: { ...this.headers(), accept: "text/event-stream" },
        signal: over,
      });
      if (!response.ok) throw await problemIn(response);
      if (response.body === null) return;
      for await (const data of sseData(response.body, onData)) yield JSON.parse(data) as EventEnvelope;
    } finally {
      clearTimeout(timer);
      silent.abort();
    }
  }

  private get<T>(path: string, query: QueryParams = {}, sent?: Sent): Promise<T> {
    return this.ask("GET", withQuery(path, query), undefined, sent);
  }

  private post<T>(path: string, body: unknown, sent?: Sent): Promise<T> {
    return this.ask("POST", path, body, sent);
  }

  private async ask<T>(method: string, path: string, body?: unknown, sent: Sent = {}): Promise<T> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const type = text === undefined ? undefined : "application/json";
    const response = await this.open(method, path, text, sent, type);
    return (response.status === 204 ? undefined : await response.json()) as T;
  }

  private async open(
    method: string,
    path: string,
    body?: Blob | string,
    { signal, idempotencyKey, ifMatch }: Sent = {},
    type?: string,
  ): Promise<Response> {
    const response = await this.send(`${this.url}${path}`, {
      method,
      headers: {
        ...this.headers(),
        ...(type === undefined ? {} : { "content-type": type }),
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

const conversationPath = (id: string, rest = ""): string =>
  `/api/conversations/${encodeURIComponent(id)}${rest}`;
/** Of a conversation, or of `run:NAME`. */
const logBase = (id: string): string =>
  id.startsWith("run:") ? `/api/runs/${encodeURIComponent(id.slice("run:".length))}` : conversationPath(id);
const libraryAt = (key: string): string => `/api/library/${encodeURIComponent(key)}`;
const paperAt = (id: string, rest = ""): string => `/api/papers/${encodeURIComponent(id)}${rest}`;
const sectionAt = (id: string, section: string): string =>
  paperAt(id, `/sections/${encodeURIComponent(section)}`);

/** Where a file of a conversation's workspace is read, for links and pictures. */
export const fileAddress = (id: string, path: string): string =>
  conversationPath(id, `/files/${path.split("/").map(encodeURIComponent).join("/")}`);
/** Where a run is read as one page. */
export const reportAddress = (run: string): string => `/api/runs/${encodeURIComponent(run)}/report`;

function withQuery(path: string, query: QueryParams): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? path : `${path}?${search}`;
}

/** What `fetch` throws, with the address that it never names; as it is where somebody gave up, and on a page, which has one server. */
function unreached(url: string, error: unknown): unknown {
  if (!(error instanceof TypeError)) return error;
  if (url === "")
    return "location" in globalThis
      ? error
      : new TypeError("HarnClient: `url` is missing: the address that `harn serve` says", { cause: error });
  const { message, code } = (error.cause ?? {}) as { readonly message?: string; readonly code?: string };
  const why = message || code || error.message;
  return new TypeError(
    `no server of harn can be reached at ${url}: ${why}; \`harn serve\` starts one, and says its address`,
    { cause: error },
  );
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
async function* sseData(body: ReadableStream<Uint8Array>, onData: () => void): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parser = new SseParser();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      onData();
      for (const { data } of parser.feed(decoder.decode(next.value, { stream: true }))) yield data;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Of a page: it tells when the network returns. */
const page = globalThis as Partial<Pick<EventTarget, "addEventListener" | "removeEventListener">>;

/** Ends early with the signal, and when the network returns. */
function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
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
