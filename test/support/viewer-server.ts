/** A server for tests of the viewer: its files, and conversations that are recorded logs; what the page asks is kept. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { folderOnDisk } from "../../src/host/command/index.ts";
import {
  type ConversationSummary,
  type DurableEnvelope,
  type EphemeralEnvelope,
  foldAll,
  lastOutcome,
  type Role,
} from "../../src/server/protocol/index.ts";
import { ViewerFiles, viewerPages } from "../../src/server/static/index.ts";
import type { EventLog } from "./event-log.ts";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly headers: IncomingMessage["headers"];
}

type Handler = (asked: Asked) => { readonly status: number; readonly body?: unknown } | undefined;

export class ViewerServer {
  readonly asked: Asked[] = [];
  readonly logs = new Map<string, EventLog>();
  readonly runs = new Map<string, EventLog>();
  role: Role = "admin";
  /** Nobody is logged in until this code came. */
  code: string | null = null;
  /** Answers what the table below does not, or before it does. */
  handler: Handler = () => undefined;
  private readonly server: Server;
  private readonly streams = new Set<{
    readonly topics: readonly string[];
    readonly response: ServerResponse;
  }>();
  private readonly pages: (request: Request) => Response | undefined;
  private numbers = 0;

  constructor(folder: string) {
    this.pages = viewerPages(new ViewerFiles(folderOnDisk(folder)));
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(port, "127.0.0.1", resolve));
    return this.url;
  }
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }
  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }
  get openStreams(): number {
    return this.streams.size;
  }
  hasListener(topic: string): boolean {
    return [...this.streams].some(({ topics }) => topics.includes(topic));
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  /** Tells every stream that listens; a durable event is one that the log has already. */
  emit(topic: string, event: DurableEnvelope | EphemeralEnvelope | ConversationSummary): void {
    const isDurable = "seq" in event && event.seq !== null;
    if (isDurable) this.numbers += 1;
    const id = isDurable ? `id: ${this.numbers}\n` : "";
    for (const { topics, response } of this.streams)
      if (topics.includes(topic)) response.write(`${id}data: ${JSON.stringify({ topic, event })}\n\n`);
  }

  /** Adds to a log what `add` adds, and tells it. */
  live(conversation: string, add: (log: EventLog) => void): void {
    const log = this.logs.get(conversation) as EventLog;
    const before = log.events.length;
    add(log);
    for (const event of log.events.slice(before)) this.emit(conversation, event);
  }

  /** Ends all streams, as a lost connection does. */
  cut(): void {
    for (const { response } of this.streams) response.destroy();
    this.streams.clear();
  }

  summary(id: string): ConversationSummary {
    const view = foldAll((this.logs.get(id) as EventLog).events);
    return {
      id,
      agent: view.agent ?? "research",
      title: view.title ?? id,
      owner: "admin",
      state: view.state,
      why: view.why,
      outcome: lastOutcome(view),
      mode: view.mode,
      archived: false,
      created: view.created ?? 0,
      changed: view.at,
      turns: view.turns,
      totals: view.totals,
      gauge: view.gauge,
      open_questions: Object.values(view.questions).filter((one) => one.state === "open").length,
    };
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.url);
    const { accept = "" } = request.headers;
    const page = request.method === "GET" ? this.pages(new Request(url, { headers: { accept } })) : undefined;
    if (page !== undefined) {
      response.writeHead(page.status, Object.fromEntries(page.headers));
      response.end(Buffer.from(await page.arrayBuffer()));
      return;
    }
    const body = await text(request);
    const asked: Asked = {
      method: request.method ?? "GET",
      path: url.pathname + url.search,
      body: body === "" ? null : JSON.parse(body),
      headers: request.headers,
    };
    this.asked.push(asked);
    if (url.pathname === "/api/login") {
      const isRight = (asked.body as { code?: string }).code === this.code;
      if (isRight) this.code = null;
      this.json(
        response,
        isRight ? { status: 204 } : problem(401, "login-needed", "This code is not valid any more."),
      );
      return;
    }
    if (this.code !== null) {
      this.json(response, problem(401, "login-needed", "Nobody is logged in."));
      return;
    }
    if (url.pathname === "/api/stream") {
      this.stream(url, response);
      return;
    }
    this.json(
      response,
      this.handler(asked) ?? this.known(asked, url) ?? problem(404, "not-found", "There is no such thing."),
    );
  }

  private stream(url: URL, response: ServerResponse): void {
    const topics = (url.searchParams.get("topics") ?? "").split(",");
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.write("retry: 1000\n\n");
    const stream = { topics, response };
    this.streams.add(stream);
    response.on("close", () => this.streams.delete(stream));
  }

  private known(asked: Asked, url: URL): ReturnType<Handler> {
    const parts = url.pathname.split("/").slice(2).map(decodeURIComponent);
    const [kind, id = "", part] = parts;
    if (kind === "me") return { status: 200, body: { name: "admin", role: this.role } };
    if (kind === "info")
      return {
        status: 200,
        body: {
          version: "0.1.0",
          protocol: 1,
          agents: [{ name: "research", title: "Research", mode: "plan", examples: ["What do grids need?"] }],
          features: ["written-answers"],
        },
      };
    if (kind === "conversations" && id === "") {
      if (asked.method === "POST") return { status: 201, body: { id: [...this.logs.keys()][0] } };
      return {
        status: 200,
        body: { items: [...this.logs.keys()].map((one) => this.summary(one)), next: null },
      };
    }
    if (kind === "runs" && id === "")
      return {
        status: 200,
        body: {
          items: [...this.runs.keys()].map((run) => ({
            run,
            script: "audit.harn",
            conversation: null,
            status: "done",
            started: 0,
            ended: 1,
          })),
          next: null,
        },
      };
    if (kind === "questions") return { status: 200, body: { counted: true, open: 0 } };
    const log =
      kind === "conversations" ? this.logs.get(id) : kind === "runs" ? this.runs.get(id) : undefined;
    if (log === undefined) return undefined;
    if (part === "state") return { status: 200, body: foldAll(log.events) };
    if (part === "events") {
      const after = Number(url.searchParams.get("after") ?? 0);
      const items = log.events.slice(after, after + Number(url.searchParams.get("limit") ?? 500));
      return { status: 200, body: { items, next: null, head: log.events.length } };
    }
    if (part === undefined) return { status: 200, body: { ...this.summary(id), head: log.events.length } };
    return asked.method === "GET" ? undefined : { status: 202, body: {} };
  }

  private json(
    response: ServerResponse,
    { status, body }: { readonly status: number; readonly body?: unknown },
  ): void {
    const json = status < 400 ? "application/json" : "application/problem+json";
    response.writeHead(status, { "content-type": typeof body === "string" ? "text/plain" : json });
    response.end(body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body));
  }
}

export const problem = (status: number, slug: string, detail: string) => ({
  status,
  body: { type: `urn:harn:problem:${slug}`, title: slug, status, detail, code: "HARN-SRV-000" },
});
