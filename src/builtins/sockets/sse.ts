/** Server-sent events, both sides (builtins.md §2.15). */

import type { Task } from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { List, type MaybePromise, type Value } from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";
import { addTransportMock } from "../http/transport-mocks.ts";
import { sseConnectFields, sseEventFields, sseResponseFields } from "../rows/http.ts";
import { closeEvents, connectEvents, receiveEvent } from "./sse-client.ts";
import { frameOf, frameText } from "./sse-frames.ts";
import {
  cancelEventStream,
  closeEventStream,
  disconnect,
  flushEvents,
  makeSseResponse,
  mockReceive,
  type SseResponse,
  sendEvent,
  sendHeartbeat,
  sseResponse,
  statusOf,
} from "./sse-server-state.ts";

/** A builtin that may reach a connected client. */
function sending(
  name: string,
  doc: string,
  sig: string,
  run: (task: Task, stream: SseResponse, argument: Argument) => MaybePromise<Value>,
) {
  return {
    doc,
    sig,
    effect: "write" as const,
    performs: true,
    suspends: "may" as const,
    run: (task: Task, handle: Argument, value: Argument): MaybePromise<Value> =>
      run(task, sseResponse(task, name, handle), value),
  };
}

/** A builtin over the stream that a response stands for. */
function onResponse(
  name: string,
  doc: string,
  sig: string,
  run: (stream: SseResponse, argument: Argument) => Value,
) {
  return {
    doc,
    sig,
    effect: "state" as const,
    run: (task: Task, handle: Argument, value: Argument): Value =>
      run(sseResponse(task, name, handle), value),
  };
}

const unary = "(response: dict) -> bool";

export const sse = defineBuiltins(
  "sse",
  {
    sse_mock: {
      doc:
        "Answers connections to URLs that fit a pattern with `*` by these events: texts, or `{event, data, id, retry_ms}`; " +
        '`{type: "timeout"}` is a pause. The same pattern replaces.',
      sig: "(pattern: string, events: list) -> nil",
      effect: "state",
      example: 'sse_mock("https://a.test/*", ["hi"])  // nil',
      run: (task, pattern: Argument, events: Argument) => {
        const messages = events instanceof List ? events.toArray() : events === undefined ? [] : [events];
        addTransportMock(task, { transport: "sse", pattern: textOf(pattern), messages, echo: false });
        return null;
      },
    },
    sse_connect: {
      doc:
        "Connects to a stream of events and gives a handle. Options as for `http_get`, `body`, and `max_message_bytes` (1 MiB); " +
        "`timeout_ms` counts until the answer begins.",
      sig: "(method: string, url: string, options?: dict) -> string",
      effect: "write",
      traits: ["opens"],
      performs: true,
      suspends: "may",
      capability: "net",
      fields: { options: () => sseConnectFields },
      run: (task, method: Argument, url: Argument, options: Argument) =>
        connectEvents(task, method, url, options),
    },
    sse_receive: {
      doc:
        '`{type: "open"}` first, then `{type: "event", event, data, id, retry_ms}` for each event; `{type: "timeout"}` when ' +
        "none came within `timeout_ms`; nil when the stream has ended.",
      sig: "(stream: string, timeout_ms?: int | duration) -> dict?",
      effect: "read",
      performs: true,
      suspends: "may",
      capability: "net",
      run: (task, handle: Argument, timeout: Argument) => receiveEvent(task, handle, timeout),
    },
    sse_close: {
      doc: "Leaves a stream of events; false when it was not open.",
      sig: "(stream: string) -> bool",
      effect: "state",
      example: 'sse_close("none")  // false',
      run: (task, handle: Argument) => closeEvents(task, handle),
    },
    sse_event: {
      doc:
        "The frame of an event: a dict `{event | name, data, id, retry | retry_ms, comment}`, or anything else as its data; the " +
        "options fill in what a dict does not say. Nothing at all is an empty comment.",
      sig: "(event: any, options?: dict) -> string",
      effect: "pure",
      example: 'sse_event({event: "tick", data: "1"}).lines()  // [event: tick, data: 1, ]',
      fields: { options: () => sseEventFields },
      run: (_task, event: Argument, options: Argument) => frameText(frameOf("sse_event", event, options)),
    },
    sse_server_response: {
      doc:
        "An answer whose events are sent one by one: a handler returns it. Options: `max_event_bytes` (1 MiB), " +
        "`max_buffered_events` (1000), `status`, `headers`.",
      sig: "(options?: dict) -> dict",
      effect: "state",
      example: "sse_server_response().streaming  // true",
      fields: { options: () => sseResponseFields },
      run: (task, options: Argument) => makeSseResponse(task, options),
    },
    sse_server_send: sending(
      "sse_server_send",
      "Sends an event, as `sse_event` takes it; false when the stream is over. Throws when it is too big or the buffer is full.",
      "(response: dict, event: any) -> bool",
      sendEvent,
    ),
    sse_server_heartbeat: sending(
      "sse_server_heartbeat",
      "Sends a comment, so that the connection does not look dead; false when the stream is over.",
      "(response: dict, comment?: string) -> bool",
      sendHeartbeat,
    ),
    sse_server_flush: onResponse(
      "sse_server_flush",
      "Pushes out what was sent; it stays buffered until the client has taken it. False when the stream is over.",
      unary,
      flushEvents,
    ),
    sse_server_close: onResponse(
      "sse_server_close",
      "Ends the stream after what was sent; false when it was over.",
      unary,
      closeEventStream,
    ),
    sse_server_cancel: onResponse(
      "sse_server_cancel",
      "Closes the stream and notes the reason; false when it was over.",
      "(response: dict, reason?: string) -> bool",
      cancelEventStream,
    ),
    sse_server_status: onResponse(
      "sse_server_status",
      "`{id, status, headers, max_event_bytes, max_buffered_events, buffered_events, sent_events, flushed_events, disconnected, " +
        "cancelled, cancel_reason, closed}`. Heartbeats count like events; an event is buffered until the client has taken it.",
      "(response: dict) -> dict",
      statusOf,
    ),
    sse_server_disconnected: onResponse(
      "sse_server_disconnected",
      "Whether the client has gone.",
      unary,
      (stream) => stream.disconnected,
    ),
    sse_server_cancelled: onResponse(
      "sse_server_cancelled",
      "Whether the stream was broken off.",
      unary,
      (stream) => stream.cancelReason !== undefined,
    ),
    sse_server_mock_receive: onResponse(
      "sse_server_mock_receive",
      'What a client would receive next: `{type: "event" | "comment" | "timeout" | "close", …}`.',
      "(response: dict) -> dict",
      mockReceive,
    ),
    sse_server_mock_disconnect: onResponse(
      "sse_server_mock_disconnect",
      "Lets the client go; false when it had gone.",
      unary,
      disconnect,
    ),
  },
  { response: "a response, as `sse_server_response` gives it" },
);
