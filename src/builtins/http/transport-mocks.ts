/**
 * Mocked event streams and sockets: Runtime state, so that a replay goes through the same queues and fills the same log.
 * The same pattern replaces; else the first registered wins.
 */
import { redactHeader, redactUrl } from "../../effects/index.ts";
import { stateKey, type Task } from "../../interp/index.ts";
import { Bytes, Dict, List, starMatches, type Value } from "../../values/index.ts";

export type Transport = "sse" | "websocket";

interface TransportMock {
  readonly transport: Transport;
  readonly pattern: string;
  /** What a connection receives, in order. */
  readonly messages: readonly Value[];
  /** What is sent comes back. */
  readonly echo: boolean;
}

export interface TransportCall {
  readonly transport: Transport;
  readonly operation: "connect" | "send" | "close";
  readonly handle: string;
  readonly url: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly message?: Value;
}

const transportMocks = stateKey<{ mocks: TransportMock[]; calls: TransportCall[] }>(
  "transport mocks",
  () => ({ mocks: [], calls: [] }),
);

export function addTransportMock(task: Task, mock: TransportMock): void {
  const { mocks } = task.runtime.state(transportMocks);
  const at = mocks.findIndex((one) => one.transport === mock.transport && one.pattern === mock.pattern);
  if (at < 0) mocks.push(mock);
  else mocks[at] = mock;
}

export function transportMock(task: Task, transport: Transport, url: string): TransportMock | undefined {
  const { mocks } = task.runtime.state(transportMocks);
  return mocks.find((mock) => mock.transport === transport && starMatches(mock.pattern, url));
}

export function noteTransport(task: Task, call: TransportCall): void {
  task.runtime.state(transportMocks).calls.push(call);
}

export function clearTransportMocks(task: Task): void {
  const state = task.runtime.state(transportMocks);
  state.mocks = [];
  state.calls = [];
}

/** Every mocked connect, send and close; credentials are hidden. */
export function transportCalls(task: Task): List {
  return new List(
    task.runtime.state(transportMocks).calls.map(({ transport, operation, handle, url, headers, message }) =>
      Dict.of({
        transport,
        operation,
        handle,
        url: redactUrl(url),
        headers: headers && Dict.from(headers.map(([name, value]) => [name, redactHeader(name, value)])),
        message,
      }),
    ),
  );
}

/** How many bytes a message has, for limits. */
export const messageBytes = (data: string | Uint8Array | Bytes): number =>
  data instanceof Bytes
    ? data.data.length
    : typeof data === "string"
      ? new TextEncoder().encode(data).length
      : data.length;
