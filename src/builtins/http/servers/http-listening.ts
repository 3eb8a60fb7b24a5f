/**
 * HTTP servers that listen: clients' requests come as recorded effects, one task answers each, and the answer is an effect
 * again. A replay opens nothing; a run that goes on live listens at the same place, and clients of before are gone.
 */

import { showText } from "../../../diagnostics/index.ts";
import { type Json, type ResultOf, redactHeader, shape } from "../../../effects/index.ts";
import {
  type AnswerHeaders,
  HostError,
  type HttpArrival,
  type HttpListener,
  type Reply,
} from "../../../host/index.ts";
import { spawnTask, stateKey, type Task, type TaskHandle } from "../../../interp/index.ts";
import {
  Bytes,
  Dict,
  display,
  fromBase64,
  List,
  type MaybePromise,
  proceed,
  ScriptError,
  thrown,
  toBase64,
  uncaughtText,
  type Value,
} from "../../../values/index.ts";
import { type Argument, bytesOfArgument, intOr, option, optionsOf, textOf } from "../../arguments.ts";
import { writeError } from "../../process/output.ts";
import { listenFields, serveFields } from "../../rows/http.ts";
import { LiveConnection } from "../../sockets/live-connections.ts";
import { connectClient, type SseClient, sseResponse } from "../../sockets/sse-server-state.ts";
import { takeInTime } from "../../time/timed-wait.ts";
import { textResponse } from "../http-messages.ts";
import { bodyLimit, handleRequest } from "./http-dispatch.ts";
import type { HttpServer } from "./http-server-state.ts";
import { parseListenAddress, tlsFiles } from "./listen-address.ts";

/** Where a server listens, and listens again after a replay. */
interface HttpListening {
  readonly server: HttpServer;
  readonly connection: LiveConnection<HttpListener>;
  readonly tls: Value | undefined;
  address: { readonly host: string; readonly port: number };
}

const listeners = stateKey<Map<string, HttpListening>>("http listeners", () => new Map());

/** Starts to listen: `{id, addr, url}`. Requests wait until `serve` takes them. */
export function startListening(
  task: Task,
  server: HttpServer,
  bind: Argument,
  options: Argument,
): MaybePromise<Value> {
  const wanted = parseListenAddress("http_server_listen", bind);
  if (server.down) throw thrown("http_server_listen: the server is shut down");
  if (server.stopListening !== undefined) throw thrown("http_server_listen: the server listens already");
  const { tls } = optionsOf("http_server_listen", options, listenFields);
  const listening: HttpListening = { server, connection: new LiveConnection(task), tls, address: wanted };
  const secure = option(tls, "terminate_tls") === true;
  const opened = task.perform<string>({
    effect: "write",
    kind: "http.listen",
    args: () => ({ ...wanted, tls: secure }),
    run: async () => (await open(task, listening)).address,
    result: shape.text,
  });
  return proceed(opened, (addr) => {
    listening.address = { ...wanted, port: Number(/\d+$/.exec(addr)?.[0]) };
    server.stopListening = () => listening.connection.close();
    task.runtime.state(listeners).set(server.id, listening);
    return Dict.of({ id: server.id, addr, url: `${secure ? "https" : "http"}://${addr}` });
  });
}

async function open(task: Task, { server, connection, tls, address }: HttpListening): Promise<HttpListener> {
  try {
    return await connection.get(() =>
      task.runtime.host.network.serving.listen(
        { ...address, tls: tlsFiles(task, "http_server_listen", tls) },
        (method, path) => bodyLimit(server, method, path),
      ),
    );
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    throw thrown(`http_server_listen: can't listen on ${address.host}:${address.port}: ${error.message}`);
  }
}

/** What is recorded of a request. */
const askedShape = shape.record({
  method: shape.text,
  target: shape.text,
  headers: shape.listOf(shape.pair(shape.text, shape.text)),
  /** Base64. */
  body: shape.text,
  excess: shape.orNull(shape.number),
  remoteAddress: shape.text,
});
type RawRequest = ResultOf<typeof askedShape>;

/** The next request, with the way back to a client that is really there; `null` when the server is shut down. */
function accept(
  task: Task,
  listening: HttpListening,
): MaybePromise<{ asked: RawRequest; reply: Reply | undefined } | null> {
  let reply: Reply | undefined;
  const accepted = task.perform<RawRequest | null>({
    effect: "read",
    kind: "http.accept",
    args: () => ({ server: listening.server.id }),
    run: async (signal) => {
      const listener = await open(task, listening);
      const next = await takeInTime<HttpArrival>(task.runtime.host.clock, listener, undefined, signal);
      if (next === undefined || next === "late") return null;
      reply = next.reply;
      const { body, excess, ...facts } = next.request;
      return { ...facts, body: toBase64(body), excess: excess ?? null };
    },
    result: shape.orNull(askedShape),
  });
  return proceed(accepted, (asked) => (asked === null ? null : { asked, reply }));
}

/** Answers requests until the server is shut down, or so many were answered; gives their number. */
export async function serve(task: Task, server: HttpServer, options: Argument): Promise<number> {
  const listening = task.runtime.state(listeners).get(server.id);
  if (listening === undefined)
    throw thrown("http_server_serve: the server does not listen; call http_server_listen first");
  const { maxRequests, maxConcurrent } = optionsOf("http_server_serve", options, serveFields);
  const max = maxRequests ?? Number.POSITIVE_INFINITY;
  const inFlight = new Set<TaskHandle>();
  let count = 0;
  while (count < max && !server.down) {
    const next = await accept(task, listening);
    if (next === null) break;
    count++;
    const answering = spawnTask(task, (child) => {
      const done = answer(child, task, server, next.asked, next.reply);
      return proceed(done, () => {
        inFlight.delete(answering);
        return null;
      });
    });
    inFlight.add(answering);
    const first = inFlight.size >= maxConcurrent ? inFlight.values().next().value : undefined;
    if (first !== undefined) await settled(task, first);
  }
  for (const answering of inFlight) await settled(task, answering);
  return count;
}

async function settled(task: Task, answering: TaskHandle): Promise<void> {
  if (!answering.over) await answering.watch(task, "a request to be answered");
}

/** One request from its arrival to its answer, in a task of its own; what it prints comes when it is over. */
async function answer(
  child: Task,
  server: Task,
  target: HttpServer,
  asked: RawRequest,
  reply: Reply | undefined,
): Promise<void> {
  let input: Dict;
  try {
    input = await handleRequest(child, target, requestOf(asked), asked.excess ?? undefined);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    writeError(child, `${showText(`${asked.method} ${pathOf(asked)}: ${uncaughtText(error)}`)}\n`);
    input = textResponse(500, "internal server error");
  }
  child.flushInto(server);
  if (input.get("streaming") === true) await streamBody(child, input, reply);
  else await respond(child, input, reply);
}

const pathOf = ({ target }: RawRequest): string => target.split("?", 1)[0] as string;

const requestOf = ({ method, target, headers, body, remoteAddress }: RawRequest): Dict =>
  Dict.of({
    method,
    path: target,
    headers: Dict.from(headers),
    body: new Bytes(fromBase64(body)),
    remote_addr: remoteAddress,
  });

const statusOf = (input: Dict): number => {
  const status = intOr(input.get("status"), 200);
  return status >= 200 && status <= 599 ? status : 500;
};

/** A line for each value of a list: cookies. */
function linesOf(input: Dict): AnswerHeaders {
  const headers = input.get("headers");
  if (!(headers instanceof Dict)) return [];
  return [...headers.entries()].flatMap(([name, value]) =>
    (value instanceof List ? value.toArray() : [value]).map((one) => [name, oneHeaderLine(one)] as const),
  );
}

/** A line break would begin another header. */
const oneHeaderLine = (value: Value): string => display(value).replace(/[\r\n\0]+/g, " ");

function respond(task: Task, input: Dict, reply: Reply | undefined): MaybePromise<boolean> {
  const status = statusOf(input);
  const headers = linesOf(input);
  const body = bytesOfArgument(input.get("body") ?? "");
  return task.perform<boolean>({
    effect: "write",
    kind: "http.respond",
    args: () => ({ status, headers: shownHeaders(headers), body: new TextDecoder().decode(body) }),
    run: () => reply?.send(status, headers, body) ?? false,
    result: shape.flag,
  });
}

const shownHeaders = (headers: AnswerHeaders): Json =>
  headers.map(([name, value]) => [name, redactHeader(name, value)]);

/** The head now, events whenever the program sends them. */
function streamBody(task: Task, input: Dict, reply: Reply | undefined): MaybePromise<void> {
  const status = statusOf(input);
  const headers = linesOf(input);
  const begun = task.perform<boolean>({
    effect: "write",
    kind: "http.respond.stream",
    args: () => ({ status, headers: shownHeaders(headers) }),
    run: () => reply?.begin(status, headers) ?? false,
    result: shape.flag,
  });
  return proceed(begun, () => {
    const id = textOf(input.get("id"));
    return connectClient(task, sseResponse(task, "http_server_serve", id), clientOf(id, reply));
  });
}

function clientOf(id: string, reply: Reply | undefined): SseClient {
  return {
    send: (task, frames) =>
      task.perform<boolean>({
        effect: "write",
        kind: "sse.send",
        args: () => ({ response: id, frames }),
        run: () => {
          const outcome = reply?.write(frames) ?? "closed";
          if (outcome !== "full") return outcome === "sent";
          throw thrown("sse_server_send: the client does not take what is sent; 1 MiB waits for it");
        },
        result: shape.flag,
      }),
    end: () => reply?.close(),
  };
}
