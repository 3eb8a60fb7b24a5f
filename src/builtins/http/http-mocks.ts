/** Mocked HTTP answers: Runtime state, so that a replay goes through the same queue and fills the same log. */

import { redactHeader, redactUrl } from "../../effects/index.ts";
import { stateKey, type Task } from "../../interp/index.ts";
import type { Read } from "../../table/index.ts";
import { Bytes, Dict, display, List, starMatches, type Value } from "../../values/index.ts";
import { type Argument, optionsOf, textOf } from "../arguments.ts";
import { mockCallsFields, mockResponseFields } from "../rows/http.ts";
import type { Outgoing } from "./http-options.ts";

export interface HttpAnswer {
  readonly status: number;
  /** As written by a mock, in lower case from a server. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  readonly finalUrl: string;
  /** Of a mock: its body, where it is given as bytes. */
  readonly bytes?: Uint8Array;
  /** Of a mock: its `Set-Cookie` lines. */
  readonly setCookies?: readonly string[];
}

type MockResponse = Omit<Read<typeof mockResponseFields>, "responses">;

interface HttpMock {
  readonly method: string;
  readonly pattern: string;
  /** Never empty; the last one repeats. */
  readonly responses: readonly MockResponse[];
  next: number;
}

interface MockedCall {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Value;
}

const httpMocks = stateKey<{ mocks: HttpMock[]; calls: MockedCall[] }>("http mocks", () => ({
  mocks: [],
  calls: [],
}));

/** Registers a mock. The same method and pattern replace the older one, in its place. */
export function addHttpMock(task: Task, method: string, pattern: string, response: Argument): void {
  const { mocks } = task.runtime.state(httpMocks);
  const { responses, ...only } = optionsOf("http_mock", response, mockResponseFields);
  const listed = responses.length > 0 ? responses : [only];
  const mock: HttpMock = { method: method.toUpperCase(), pattern, responses: listed, next: 0 };
  const at = mocks.findIndex((one) => one.method === mock.method && one.pattern === pattern);
  if (at < 0) mocks.push(mock);
  else mocks[at] = mock;
}

export function clearHttpMocks(task: Task): void {
  const state = task.runtime.state(httpMocks);
  state.mocks = [];
  state.calls = [];
}

/** Whether some mock answers requests of this kind. */
export function isMocked(task: Task, method: string, url: string): boolean {
  return find(task, method, url) !== undefined;
}

/** The next answer of the mock that fits; the call is noted. `undefined` when none fits. */
export function mockedResponse(task: Task, request: Outgoing): HttpAnswer | undefined {
  const mock = find(task, request.method, request.url);
  if (mock === undefined) return undefined;
  const { method, url, headers, body } = request;
  const text = body === undefined ? null : new TextDecoder().decode(body);
  task.runtime.state(httpMocks).calls.push({ method, url, headers, body: text });
  const {
    status,
    headers: written,
    body: input,
  } = mock.responses[Math.min(mock.next++, mock.responses.length - 1)] as MockResponse;
  const fields = [...(written?.entries() ?? [])];
  return {
    status,
    headers: fields.map(([name, value]) => [name, display(value)]),
    body: input instanceof Bytes ? new TextDecoder().decode(input.data) : textOf(input ?? undefined),
    finalUrl: url,
    ...(input instanceof Bytes ? { bytes: input.data } : {}),
    setCookies: fields
      .filter(([name]) => name.toLowerCase() === "set-cookie")
      .flatMap(([, value]) => (value instanceof List ? value.toArray() : [value]).map((one) => display(one))),
  };
}

function find(task: Task, method: string, url: string): HttpMock | undefined {
  return task.runtime
    .state(httpMocks)
    .mocks.find((mock) => (mock.method === "*" || mock.method === method) && starMatches(mock.pattern, url));
}

/** The noted calls; what looks like a credential is hidden unless it is asked for. */
export function httpMockCalls(task: Task, options: Argument): List {
  const read = optionsOf("http_mock_calls", options, mockCallsFields);
  const open = read.includeSensitive || !read.redactSensitive;
  const calls = task.runtime.state(httpMocks).calls.map(({ method, url, headers, body }) =>
    Dict.of({
      method,
      url: open ? url : redactUrl(url),
      headers: Dict.from(
        headers.map(([name, value]) => [name, open ? value : redactHeader(name, value)] as const),
      ),
      body,
    }),
  );
  return new List(calls);
}
