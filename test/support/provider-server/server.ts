/**
 * A model vendor on this machine: both vendors' wire protocols over HTTP on a free port, one scenario per request.
 *
 * It knows the protocol by the path, refuses bodies that the real vendor would refuse, remembers what it was sent, and
 * notices when a client hangs up. No real vendor's data is in it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropicComplaint, anthropicEvents, anthropicWhole } from "./anthropic-wire.ts";
import { chatComplaint, chatEvents, chatWhole } from "./chat-wire.ts";
import { responsesComplaint, responsesEvents, responsesWhole } from "./responses-wire.ts";
import type { AnswerScenario, Scenario, WireEvent } from "./scenario.ts";

export type Wire = "chat" | "responses" | "anthropic";

export interface SeenRequest {
  wire: Wire;
  path: string;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
  /** Resolves when the connection is gone: true when the client hung up before the answer was complete. */
  hungUp: Promise<boolean>;
}

export interface ProviderServer {
  /** `http://127.0.0.1:PORT` */
  url: string;
  seen: SeenRequest[];
  /** What the following requests get, in order. */
  next(...scenarios: Scenario[]): void;
  /** Scenarios that no request has used yet. */
  pending(): number;
  /** Forgets them. */
  clear(): void;
  close(): Promise<void>;
}

const wires = {
  chat: { events: chatEvents, whole: chatWhole, complaint: chatComplaint },
  responses: { events: responsesEvents, whole: responsesWhole, complaint: responsesComplaint },
  anthropic: { events: anthropicEvents, whole: anthropicWhole, complaint: anthropicComplaint },
};

/** Starts a server; `others` is what it answers at other paths. */
export async function startProviderServer(
  others: Readonly<Record<string, unknown>> = {},
): Promise<ProviderServer> {
  const queue: Scenario[] = [];
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    void serve(request, response, queue, seen, others);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    next: (...scenarios) => void queue.push(...scenarios),
    pending: () => queue.length,
    clear: () => void queue.splice(0),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  queue: Scenario[],
  seen: SeenRequest[],
  others: Readonly<Record<string, unknown>>,
): Promise<void> {
  const text = await readBody(request);
  const path = request.url ?? "";
  const wire = wireOf(path);
  if (Object.hasOwn(others, path)) return json(response, 200, others[path]);
  if (!wire)
    return json(response, 404, { error: { message: `no such path: ${path}`, type: "not_found_error" } });
  const body = JSON.parse(text) as Record<string, unknown>;
  const hungUp = new Promise<boolean>((resolve) =>
    response.once("close", () => resolve(!response.writableFinished)),
  );
  seen.push({ wire, path, headers: request.headers, body, hungUp });
  const complaint = wires[wire].complaint(body);
  if (complaint)
    return json(response, 400, {
      type: "error",
      error: { type: "invalid_request_error", message: complaint },
    });
  const scenario = queue.shift();
  if (!scenario)
    return json(response, 500, { error: { message: "the test queued no scenario for this request" } });
  await act(scenario, wire, body, response);
}

async function act(
  scenario: Scenario,
  wire: Wire,
  body: Record<string, unknown>,
  response: ServerResponse,
): Promise<void> {
  switch (scenario.kind) {
    case "answer":
      if (body.stream !== true) return json(response, 200, wires[wire].whole(scenario));
      return await stream(wires[wire].events(scenario), scenario, response);
    case "raw":
      return await stream(scenario.events, {}, response);
    case "status":
      return json(response, scenario.status, scenario.body, scenario.headers);
    case "html":
      response.writeHead(scenario.status ?? 200, { "content-type": "text/html; charset=utf-8" });
      response.end(scenario.html);
      return;
    case "endless":
      return await sendForEver(scenario.what === "line" ? null : wires[wire].events(longText), response);
    case "bytes":
      response.writeHead(scenario.status, scenario.type === "" ? {} : { "content-type": scenario.type });
      if (scenario.cut) response.write(scenario.body, () => response.destroy());
      else response.end(scenario.body);
      return;
    case "hang":
      return;
    case "drop":
      response.destroy();
  }
}

/** Sends the whole stream in packets that end anywhere: within a line, a JSON string, a character. */
async function streamPackets(events: WireEvent[], size: number, response: ServerResponse): Promise<void> {
  response.socket?.setNoDelay(true);
  const bytes = Buffer.from(events.map(eventText).join(""), "utf8");
  for (let i = 0; i < bytes.length; i += size) {
    response.write(bytes.subarray(i, i + size));
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}

const longText: AnswerScenario = { kind: "answer", text: "x".repeat(64 * 1024), piece: 32 * 1024 };

/** The event of a piece of text over and over, or a line that never ends. */
async function sendForEver(events: WireEvent[] | null, response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const piece = events?.findIndex(({ data }) => JSON.stringify(data).includes("xxxx")) ?? 0;
  response.write(events === null ? "data: " : events.slice(0, piece).map(eventText).join(""));
  const more = events === null ? "x".repeat(64 * 1024) : eventText(events[piece] as WireEvent);
  const gone = new Promise<void>((resolve) => response.once("close", () => resolve()));
  while (!response.destroyed) {
    if (response.write(more)) await new Promise((resolve) => setImmediate(resolve));
    else await Promise.race([gone, new Promise<void>((resolve) => response.once("drain", () => resolve()))]);
  }
}

function eventText({ event, data }: WireEvent): string {
  const payload = typeof data === "string" ? data : JSON.stringify(data);
  return `${event ? `event: ${event}\n` : ""}data: ${payload}\n\n`;
}

async function stream(
  events: WireEvent[],
  how: Partial<AnswerScenario>,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "x-request-id": "req_1",
    "request-id": "req_1",
  });
  if (how.packet) {
    await streamPackets(events, how.packet, response);
    return;
  }
  for (const [i, event] of events.entries()) {
    if (how.hangAfter === i) return;
    if (how.endAfter === i) break;
    if (how.cutAfter === i) {
      // Flushed first: the client must have seen the part before the break.
      await new Promise((resolve) => setTimeout(resolve, 20));
      response.destroy();
      return;
    }
    response.write(eventText(event));
    if (how.paceMs) await new Promise((resolve) => setTimeout(resolve, how.paceMs));
    if (response.destroyed) return;
  }
  response.end();
}

function wireOf(path: string): Wire | undefined {
  if (path.endsWith("/chat/completions")) return "chat";
  if (path.endsWith("/responses")) return "responses";
  return path.endsWith("/v1/messages") ? "anthropic" : undefined;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: { [name: string]: string } = {},
): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "x-request-id": "req_1",
    "request-id": "req_1",
    ...headers,
  });
  response.end(JSON.stringify(body));
}
