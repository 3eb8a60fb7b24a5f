/**
 * Answers read piece by piece (builtins.md §2.15). What the program holds is a handle with a recipe: the request and how
 * much it has read. Opening and each read are recorded effects; a replay that goes on live asks again and skips what the
 * program has had.
 */

import { shape } from "../../effects/index.ts";
import { HostError, type HttpBody } from "../../host/index.ts";
import { stateKey, type Task } from "../../interp/index.ts";
import { defineBuiltins, keysOf } from "../../table/index.ts";
import { Bytes, Dict, type MaybePromise, proceed, thrown, type Value } from "../../values/index.ts";
import { type Argument, intOr, textOf, utf8 } from "../arguments.ts";
import { streamRequestFields } from "../rows/http.ts";
import { LiveConnection } from "../sockets/live-connections.ts";
import type { HttpAnswer } from "./http-mocks.ts";
import { defaultMaxDownload, httpOptions, type Outgoing, outgoing } from "./http-options.ts";
import {
  answerShape,
  type CookieReceipt,
  hooksFor,
  isOk,
  learn,
  methodEffect,
  mockedExchange,
  requestInDoubt,
  type Send,
  sendError,
  sendWithRetries,
  shownRequest,
} from "./http-send.ts";

/** A server that is silent for longer has most likely gone. */
const defaultReadTimeoutMs = 60_000;
const defaultPiece = 64 * 1024;

interface HttpStream {
  readonly handle: string;
  readonly request: Outgoing;
  readonly connection: LiveConnection<HttpBody>;
  answer: HttpAnswer | undefined;
  /** What a mock has left to give; `undefined` for a real answer. */
  mocked: Uint8Array | undefined;
  /** Bytes that the program has had. */
  offset: number;
  ended: boolean;
}

const streams = stateKey<{ opened: number; readonly open: Map<string, HttpStream> }>("http streams", () => ({
  opened: 0,
  open: new Map(),
}));

function streamOf(task: Task, caller: string, handle: Argument): HttpStream {
  const stream = task.runtime.state(streams).open.get(textOf(handle));
  if (stream !== undefined) return stream;
  throw thrown(`${caller}: unknown stream '${textOf(handle)}'`);
}

function openStream(task: Task, url: Argument, options: Argument): MaybePromise<Value> {
  if (textOf(url) === "") throw thrown("http_stream_open: URL is required");
  const read = httpOptions(task, "http_stream_open", options, streamRequestFields);
  const request = outgoing(task, {
    surface: "http_stream_open",
    method: read.method.toUpperCase(),
    url: textOf(url),
    options: {
      ...read,
      maxResponseBytes: read.maxResponseBytes ?? defaultMaxDownload,
      readTimeoutMs: read.readTimeoutMs ?? defaultReadTimeoutMs,
    },
    isMocked: () => false,
  });
  const state = task.runtime.state(streams);
  const handle = `http_stream_${++state.opened}`;
  const stream: HttpStream = {
    handle,
    request,
    connection: new LiveConnection(task),
    answer: undefined,
    mocked: undefined,
    offset: 0,
    ended: false,
  };
  return proceed(sendWithRetries(task, request, sendForStream(stream)), (answer) => {
    stream.answer = answer;
    state.open.set(handle, stream);
    return handle;
  });
}

/** Opens once. An answer that is tried again was opened for nothing, and is closed. */
const sendForStream =
  (stream: HttpStream): Send =>
  (task, request) => {
    stream.connection.close();
    const mocked = mockedExchange(task, request);
    stream.mocked = mocked === undefined ? undefined : (mocked.bytes ?? utf8(mocked.body));
    if (mocked !== undefined) return mocked;
    const opened = task.perform<HttpAnswer & { readonly learnt?: CookieReceipt | undefined }>({
      effect: methodEffect(request.method),
      kind: "http.stream.open",
      inDoubt: requestInDoubt(request),
      args: () => shownRequest(request),
      run: async (signal) => {
        const { hooks, learnt } = hooksFor(task, request);
        try {
          const { network } = task.runtime.host;
          const body = await stream.connection.get(() => network.open(request, { signal, ...hooks }));
          return { status: body.status, headers: body.headers, body: "", finalUrl: request.url, learnt };
        } catch (error) {
          throw sendError(error);
        }
      },
      result: answerShape(request.url),
    });
    return proceed(opened, (answer) => {
      learn(request.session, answer.learnt);
      return answer;
    });
  };

/** After a replay: the same answer once more, without what the program has had. */
async function openAgain(task: Task, stream: HttpStream, signal: AbortSignal): Promise<HttpBody> {
  const { handle, request, offset } = stream;
  if (methodEffect(request.method) === "write")
    throw new HostError(
      "EINVAL",
      `stream '${handle}' can't go on after a replay: its ${request.method} would be sent twice`,
    );
  const body = await task.runtime.host.network.open(request, { signal, ...hooksFor(task, request).hooks });
  for (let had = 0; had < offset; ) {
    const piece = await body.read(offset - had, signal);
    if (piece === undefined) break;
    had += piece.length;
  }
  return body;
}

function readStream(task: Task, handle: Argument, max: Argument): MaybePromise<Value> {
  const stream = streamOf(task, "http_stream_read", handle);
  const limit = Math.max(1, intOr(max, defaultPiece));
  if (stream.ended) return null;
  const piece = stream.mocked === undefined ? readLive(task, stream, limit) : nextMocked(stream, limit);
  return proceed(piece, (data) => {
    if (data === undefined) {
      stream.ended = true;
      stream.connection.close();
      return null;
    }
    stream.offset += data.length;
    return new Bytes(data);
  });
}

function nextMocked(
  { mocked = new Uint8Array(), offset }: HttpStream,
  limit: number,
): Uint8Array | undefined {
  return offset < mocked.length ? mocked.subarray(offset, offset + limit) : undefined;
}

const readLive = (task: Task, stream: HttpStream, limit: number): MaybePromise<Uint8Array | undefined> =>
  task.perform<Uint8Array | undefined>({
    effect: "read",
    kind: "http.stream.read",
    args: () => ({ stream: stream.handle, max: limit }),
    run: async (signal) => {
      try {
        const body = await stream.connection.get(() => openAgain(task, stream, signal));
        return await body.read(limit, signal);
      } catch (error) {
        throw sendError(error);
      }
    },
    result: shape.orNull(shape.base64).as(
      (data) => data ?? null,
      (stored) => stored ?? undefined,
    ),
  });

function describe(task: Task, handle: Argument): Value {
  const { answer } = streamOf(task, "http_stream_info", handle);
  if (answer === undefined) return null;
  return Dict.of({ status: answer.status, headers: Dict.from(answer.headers), ok: isOk(answer) });
}

function closeStream(task: Task, handle: Argument): boolean {
  const { open } = task.runtime.state(streams);
  open.get(textOf(handle))?.connection.close();
  return open.delete(textOf(handle));
}

export const httpStreams = defineBuiltins("http_streams", {
  http_stream_open: {
    doc:
      "Asks for a URL whose answer is read piece by piece, and gives a handle. Options as for `http_get`, and `method`; " +
      "`timeout_ms` counts until the answer begins, `total_timeout_ms` until its end, `read_timeout_ms` is 60000 and " +
      "`max_response_bytes` 1 GiB.",
    sig: "(url: string, options?: dict) -> string",
    effect: "write",
    performs: true,
    suspends: "may",
    capability: "net",
    fields: { options: () => streamRequestFields },
    run: (task, url: Argument, options: Argument) => openStream(task, url, options),
  },
  http_stream_read: {
    doc: "The next bytes, at most `max` (65536) and as soon as there are some; nil at the end.",
    sig: "(stream: string, max?: int) -> bytes?",
    effect: "read",
    performs: true,
    suspends: "may",
    capability: "net",
    run: (task, handle: Argument, max: Argument) => readStream(task, handle, max),
  },
  http_stream_info: {
    doc: "`{status, headers, ok}` of a streamed answer.",
    sig: "(stream: string) -> dict",
    effect: "state",
    resultKeys: () => keysOf("status", "headers", "ok"),
    run: (task, handle: Argument) => describe(task, handle),
  },
  http_stream_close: {
    doc: "Leaves a streamed answer; false when it was not open.",
    sig: "(stream: string) -> bool",
    effect: "state",
    example: 'http_stream_close("none")  // false',
    run: (task, handle: Argument) => closeStream(task, handle),
  },
});
