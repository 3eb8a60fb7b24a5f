/** HTTP servers over Node's own. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AnswerHeaders, HttpArrival, HttpListener, HttpServing, Reply } from "../http-server-port.ts";
import { Inbox } from "../inbox.ts";
import { boundTaking, listeningAddress, listeningServer, remoteOf } from "../listening.ts";
import { headersOf } from "./node-http-hops.ts";

/** Requests that wait to be taken; more are sent away, so that nothing grows. */
const maxWaiting = 1000;
/** Bytes of a streamed answer that wait for the client. */
const maxUnsent = 1024 * 1024;

/** How long answers in progress may take after the end. */
const graceMs = 5000;

type Limit = (method: string, path: string) => number;

export const nodeServing: HttpServing = {
  async listen(address, limit) {
    const inbox = new Inbox<HttpArrival>();
    const server = await listeningServer(address, (request, response) => {
      void arrive(request, response, limit, inbox);
    });
    return new NodeHttpListener(server, inbox);
  },
};

class NodeHttpListener implements HttpListener {
  readonly address: string;
  private readonly server: Server;
  private readonly inbox: Inbox<HttpArrival>;

  constructor(server: Server, inbox: Inbox<HttpArrival>) {
    this.server = server;
    this.inbox = inbox;
    this.address = listeningAddress(server);
  }
  ready(): Promise<void> {
    return this.inbox.ready();
  }
  take(): HttpArrival | "empty" | undefined {
    return this.inbox.take();
  }
  close(): void {
    this.inbox.end();
    this.server.close();
    this.server.closeIdleConnections();
    setTimeout(() => this.server.closeAllConnections(), graceMs).unref();
  }
}

/** Reads a request and puts it where it is taken from. A client that goes away in the middle asked nothing. */
async function arrive(
  request: IncomingMessage,
  response: ServerResponse,
  limit: Limit,
  inbox: Inbox<HttpArrival>,
): Promise<void> {
  const reply = new NodeReply(response);
  if (inbox.size >= maxWaiting) {
    reply.send(503, [["content-type", "text/plain; charset=utf-8"]], Buffer.from("server is busy"));
    return;
  }
  const method = request.method ?? "GET";
  const target = request.url ?? "/";
  const body = await read(request, limit(method, target.split("?", 1)[0] as string));
  if (body === undefined) return;
  inbox.put({
    request: {
      method,
      target,
      headers: headersOf(request),
      remoteAddress: remoteOf(request),
      ...(typeof body === "number" ? { body: new Uint8Array(), excess: body } : { body, excess: undefined }),
    },
    reply,
  });
}

/** The body; its size when that is over the limit; `undefined` when the client has gone. */
async function read(request: IncomingMessage, limit: number): Promise<Uint8Array | number | undefined> {
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > limit) return declared;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > limit) return size;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

class NodeReply implements Reply {
  private readonly response: ServerResponse;

  constructor(response: ServerResponse) {
    this.response = response;
    // A client that goes away is noticed where something is sent to it.
    response.on("error", () => {});
  }

  private get gone(): boolean {
    return this.response.destroyed || this.response.writableEnded;
  }

  send(status: number, headers: AnswerHeaders, body: Uint8Array): boolean {
    if (this.gone) return false;
    const { response } = this;
    const bodiless = status === 204 || status === 304;
    const length = bodiless ? [] : [["content-length", String(body.length)] as const];
    const own = headers.filter(([name]) => name !== "content-length" && name !== "transfer-encoding");
    response.writeHead(status, rawHeaderLines([...own, ...length]));
    // What the client still sends of a body that is too big must not keep the connection.
    if (!response.req.complete) response.shouldKeepAlive = false;
    response.end(bodiless || response.req.method === "HEAD" ? undefined : body);
    boundTaking(response);
    return true;
  }

  begin(status: number, headers: AnswerHeaders): boolean {
    if (this.gone) return false;
    this.response.writeHead(status, rawHeaderLines(headers));
    this.response.flushHeaders();
    return true;
  }

  write(piece: string): "sent" | "closed" | "full" {
    if (this.gone) return "closed";
    if (this.response.writableLength > maxUnsent) return "full";
    this.response.write(piece);
    return "sent";
  }

  close(): void {
    if (this.gone) return;
    this.response.end();
    boundTaking(this.response);
  }
}

/** Node's form of headers with repeats: name, value, name, value. */
const rawHeaderLines = (headers: AnswerHeaders): string[] => headers.flat();
