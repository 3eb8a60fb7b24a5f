/** Web sockets over the package `ws`, loaded at the first use. */
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket, WebSocketServer } from "ws";
import { Deadline } from "../deadline.ts";
import { Inbox } from "../inbox.ts";
import { listeningAddress, listeningServer, remoteOf } from "../listening.ts";
import { HostError } from "../ports.ts";
import type {
  AcceptedSocket,
  ListenAddress,
  SocketAdmission,
  SocketAsking,
  SocketLimits,
  SocketLink,
  SocketRequest,
  SocketServer,
  Sockets,
} from "../socket-port.ts";
import { JudgedLookup } from "./judged-lookup.ts";
import { failure } from "./node-http-errors.ts";
import { agentOf, headersOf, tlsOf } from "./node-http-hops.ts";
import { NodeSocketLink } from "./node-socket-link.ts";

export const nodeSockets: Sockets = { connect: connectWebSocket, listen: openSocketServer };

async function connectWebSocket(
  request: SocketRequest,
  signal?: AbortSignal,
  resolved?: (url: string, address: string) => void,
): Promise<SocketLink> {
  const { WebSocket } = await import("ws");
  if (!URL.canParse(request.url)) throw new HostError("EINVAL", `invalid URL '${request.url}'`);
  const url = new URL(request.url);
  const asked = request.proxy?.url ?? request.url;
  const judged = resolved === undefined ? undefined : new JudgedLookup((address) => resolved(asked, address));
  const socket = new WebSocket(url, [...request.protocols], {
    headers: Object.fromEntries(request.headers),
    maxPayload: request.limits.maxMessageBytes,
    ...(judged === undefined ? {} : { lookup: judged.lookup }),
    ...agentOf(request, url.protocol === "wss:"),
    ...tlsOf(request),
  });
  // Made at once: messages may follow in the same packet as the answer.
  const link = new NodeSocketLink(socket, request.limits);
  const deadline = new Deadline(request.timeoutMs, signal);
  try {
    await opened(socket, deadline.signal, (error) => judged?.refused?.why ?? connectFailure(error, url));
  } finally {
    deadline.clear();
  }
  return link;
}

/** `ws` only limits how long the server is silent, not how long it may take. */
function opened(socket: WebSocket, signal: AbortSignal, failed: (error: Error) => unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      reject(signal.reason);
      socket.terminate();
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    socket.once("open", resolve);
    socket.once("unexpected-response", (asked, answer) => {
      asked.destroy();
      reject(new HostError("EPROTO", `the server answered ${answer.statusCode}`));
    });
    socket.on("error", (error) => reject(failed(error)));
    socket.once("close", () => {
      signal.removeEventListener("abort", stop);
      reject(failed(new Error("connection closed before it was open")));
    });
  });
}

const connectFailure = (error: Error, url: URL): HostError =>
  (error as { code?: string }).code === undefined
    ? new HostError("EPROTO", `${error.message} (${url.host})`)
    : failure(error, url);

async function openSocketServer(
  address: ListenAddress,
  admit: (asking: SocketAsking) => SocketAdmission,
): Promise<SocketServer> {
  const ws = await import("ws");
  const server = await listeningServer(address, refuseRequest);
  return new NodeSocketServer(server, ws.WebSocketServer, admit);
}

/** Only upgrades are served. */
const refuseRequest = (_request: IncomingMessage, response: import("node:http").ServerResponse): void => {
  response.writeHead(426, { "content-type": "text/plain; charset=utf-8", upgrade: "websocket" });
  response.end("this server speaks web sockets only");
};

class NodeSocketServer implements SocketServer {
  readonly address: string;
  private readonly server: Server;
  private readonly Upgrader: typeof WebSocketServer;
  private readonly admit: (asking: SocketAsking) => SocketAdmission;
  private readonly accepted = new Inbox<AcceptedSocket>();
  private readonly links = new Set<SocketLink>();

  /** The server must be listening already. */
  constructor(
    server: Server,
    Upgrader: typeof WebSocketServer,
    admit: (asking: SocketAsking) => SocketAdmission,
  ) {
    this.server = server;
    this.Upgrader = Upgrader;
    this.admit = admit;
    this.address = listeningAddress(server);
    server.on("upgrade", (request, socket, head) => this.upgrade(request, socket, head));
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", () => socket.destroy());
    const asking = askingOf(request);
    const admission = this.admit(asking);
    if ("status" in admission) sendAway(socket, admission);
    else this.letIn(request, socket, head, asking, admission);
  }

  private letIn(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    asking: SocketAsking,
    limits: SocketLimits,
  ): void {
    const upgrader = new this.Upgrader({
      noServer: true,
      clientTracking: false,
      maxPayload: limits.maxMessageBytes,
    });
    upgrader.handleUpgrade(request, socket, head, (opened) => {
      const link = new NodeSocketLink(opened, limits);
      this.links.add(link);
      opened.once("close", () => this.links.delete(link));
      this.accepted.put({ ...asking, link });
    });
  }

  ready(): Promise<void> {
    return this.accepted.ready();
  }

  take(): AcceptedSocket | "empty" | undefined {
    return this.accepted.take();
  }

  close(): void {
    this.accepted.end();
    for (const link of this.links) link.close(1001, "server closed");
    this.server.close();
  }
}

function askingOf(request: IncomingMessage): SocketAsking {
  const { pathname, search } = new URL(request.url ?? "/", "http://local");
  return {
    path: pathname,
    query: search.slice(1),
    headers: headersOf(request),
    remoteAddress: remoteOf(request),
  };
}

const statusWords: ReadonlyMap<number, string> = new Map([
  [401, "Unauthorized"],
  [404, "Not Found"],
]);

function sendAway(
  socket: Duplex,
  { status, text }: { readonly status: number; readonly text: string },
): void {
  const body = Buffer.from(text);
  socket.end(
    `HTTP/1.1 ${status} ${statusWords.get(status) ?? "Refused"}\r\nconnection: close\r\n` +
      `content-type: text/plain; charset=utf-8\r\ncontent-length: ${body.length}\r\n\r\n${text}`,
  );
}
