/**
 * The HTTP client (builtins.md §2.15). A mock answers from Runtime state; everything else is one recorded effect per
 * attempt, of class read for GET and HEAD and of class write for the rest. The waits between attempts are recorded
 * sleeps, and their jitter comes from the run's seed.
 */

import type { Json } from "../effects/index.ts";
import { HostError, type HttpRequest } from "../host/index.ts";
import type { Task } from "../interp/index.ts";
import { defineBuiltins } from "../table/index.ts";
import { Bytes, Dict, type MaybePromise, proceed, thrown, type Value } from "../values/index.ts";
import { attempt, type Given, hostPath, intOr, option, textOf } from "./arguments.ts";
import { realSleep } from "./clock.ts";
import { realTime, sinceStart, sleepInMock } from "./clock-state.ts";
import {
  addHttpMock,
  clearHttpMocks,
  type HttpAnswer,
  httpMockCalls,
  isMocked,
  mockedResponse,
  redactHeader,
  redactUrl,
} from "./http-mocks.ts";
import { defaultMaxDownload, type Outgoing, outgoing } from "./http-options.ts";
import { bitsFrom, randomFraction } from "./random-source.ts";

/** Sends once: the mock's answer, or the recorded one of a server. */
type Send = (task: Task, request: Outgoing) => MaybePromise<HttpAnswer>;

const responseDict = (answer: HttpAnswer): Dict =>
  Dict.of({
    status: answer.status,
    headers: Dict.from(answer.headers),
    body: answer.body,
    ok: isOk(answer),
    final_url: answer.finalUrl,
  });

const isOk = ({ status }: HttpAnswer): boolean => status >= 200 && status < 300;

/** What the journal shows of a request: everything that counts, no credentials. */
const shown = (request: Outgoing): Json => ({
  method: request.method,
  url: redactUrl(request.url),
  headers: request.headers.map(([name, value]) => [name, redactHeader(name, value)]),
  body: request.body === undefined ? null : new TextDecoder().decode(request.body),
});

const hostRequest = (request: Outgoing, timeoutMs: number): HttpRequest => ({ ...request, timeoutMs });

function failed(error: unknown): unknown {
  return error instanceof HostError ? thrown(`http: request failed: ${error.message}`) : error;
}

/** The charset that the answer names, else UTF-8; what is no text in it becomes U+FFFD. */
function decodeBody(body: Uint8Array, headers: HttpAnswer["headers"]): string {
  const type = headers.find(([name]) => name === "content-type")?.[1] ?? "";
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(type)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

const effectOf = (method: string): "read" | "write" =>
  method === "GET" || method === "HEAD" ? "read" : "write";

const sendForText: Send = (task, request) => {
  const mocked = mockedResponse(task, request);
  if (mocked !== undefined) return mocked;
  return task.perform<HttpAnswer>({
    effect: effectOf(request.method),
    kind: "http.request",
    args: () => shown(request),
    run: async (signal) => {
      try {
        const { network } = task.runtime.host;
        const answer = await network.request(hostRequest(request, request.timeoutMs), { signal });
        return { ...answer, body: decodeBody(answer.body, answer.headers) };
      } catch (error) {
        throw failed(error);
      }
    },
    // The URL may carry a key: the journal has it only when a redirect led elsewhere.
    encode: ({ finalUrl, ...rest }) =>
      ({ ...rest, url: finalUrl === request.url ? null : finalUrl }) as unknown as Json,
    decode: (stored) => {
      const { url, ...rest } = stored as unknown as Omit<HttpAnswer, "finalUrl"> & { url: string | null };
      return { ...rest, finalUrl: url ?? request.url };
    },
  });
};

/** A download writes beside its target, chunk by chunk, and is renamed over it when it is whole. */
function sendForFile(path: string, noteSize: (bytes: number) => void): Send {
  return (task, request) => {
    const { files, network } = task.runtime.host;
    const mocked = mockedResponse(task, request);
    const perform = (
      load: (signal: AbortSignal) => Promise<HttpAnswer & { size: number }>,
    ): MaybePromise<HttpAnswer> =>
      proceed(
        task.perform<HttpAnswer & { size: number }>({
          effect: "write",
          kind: "http.download",
          args: () => ({ ...(shown(request) as object), path }) as Json,
          run: async (signal) => await load(signal),
          encode: (answer) => answer as unknown as Json,
          decode: (stored) => stored as unknown as HttpAnswer & { size: number },
        }),
        (answer) => {
          noteSize(answer.size);
          return answer;
        },
      );
    if (mocked !== undefined) {
      return perform(async () => {
        const data = new TextEncoder().encode(mocked.body);
        attempt(`Failed to write file ${path}`, () => files.write(path, data));
        return { ...mocked, body: "", size: data.length };
      });
    }
    return perform(async (signal) => {
      const beside = `${path}.part`;
      let size = 0;
      const put = (chunk: Uint8Array): void => {
        attempt(`Failed to write file ${path}`, () => files.append(beside, chunk));
        size += chunk.length;
      };
      try {
        attempt(`Failed to write file ${path}`, () => files.write(beside, ""));
        const answer = await network.request(hostRequest(request, request.timeoutMs), {
          signal,
          onData: put,
        });
        attempt(`Failed to write file ${path}`, () => files.rename(beside, path));
        return { ...answer, body: "", size };
      } catch (error) {
        if (files.stat(beside) !== undefined) files.remove(beside);
        throw failed(error);
      }
    });
  };
}

/** Sends until an answer is final, the attempts are used up or the time is over. */
async function sendWithRetries(task: Task, request: Outgoing, send: Send): Promise<HttpAnswer> {
  const { retry, totalTimeoutMs } = request;
  const start = totalTimeoutMs === undefined ? 0 : sinceStart(task);
  for (let failures = 0; ; failures++) {
    const mayRepeat = retry.allowed && failures < retry.max;
    const left = totalTimeoutMs === undefined ? undefined : totalTimeoutMs - (sinceStart(task) - start);
    if (left !== undefined && left <= 0) throw outOfTime(totalTimeoutMs as number);
    const timeoutMs = Math.min(request.timeoutMs, left ?? request.timeoutMs);
    let answer: HttpAnswer | undefined;
    try {
      answer = await send(task, { ...request, timeoutMs });
    } catch (error) {
      if (!mayRepeat || !isTransient(error)) throw error;
    }
    if (answer !== undefined && !(mayRepeat && retry.statuses.includes(answer.status))) return answer;
    const pause = pauseBefore(task, request, failures, answer);
    if (totalTimeoutMs !== undefined && sinceStart(task) - start + pause > totalTimeoutMs) {
      if (answer !== undefined) return answer;
      throw outOfTime(totalTimeoutMs);
    }
    if (pause > 0 && !sleepInMock(task, pause)) await realSleep(task, pause);
  }
}

const outOfTime = (ms: number): unknown =>
  thrown(`http: request failed: Deadline exceeded: no answer within total_timeout_ms (${ms})`);

/** Worth another attempt: not what would fail again in the same way. */
function isTransient(error: unknown): boolean {
  const text = String((error as { value?: unknown } | undefined)?.value ?? "");
  return (
    text.startsWith("http: request failed: ") &&
    !/builder error|max_response_bytes|certificate|only http/.test(text)
  );
}

/** `backoff · 2^n ± 25 %`, and at least what the server asks for. */
function pauseBefore(
  task: Task,
  request: Outgoing,
  failures: number,
  answer: HttpAnswer | undefined,
): number {
  const { backoffMs, respectRetryAfter } = request.retry;
  const base = Math.min(backoffMs * 2 ** failures, 24 * 3600 * 1000);
  const jitter = base === 0 ? 0 : base * (randomFraction(bitsFrom(task, undefined)) * 0.5 - 0.25);
  const asked = respectRetryAfter ? retryAfter(task, answer) : 0;
  return Math.round(Math.max(base + jitter, asked));
}

function retryAfter(task: Task, answer: HttpAnswer | undefined): number {
  const text = answer?.headers.find(([name]) => name.toLowerCase() === "retry-after")?.[1]?.trim();
  if (text === undefined) return 0;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? 0 : Math.max(0, date - realTime(task));
}

function request(task: Task, name: string, method: string, url: Given, options: Given): MaybePromise<Value> {
  const text = textOf(url);
  if (text === "") throw thrown(`${name}: URL is required`);
  const given = outgoing(task, method, text, options, (whole) => isMocked(task, method, whole));
  return proceed(sendWithRetries(task, given, sendForText), responseDict);
}

/** The body, unless it is a dict: any dict in its place is the options. */
function bodyOptions(body: Given, options: Given): Given {
  if (body instanceof Dict && !(options instanceof Dict)) return body;
  const base = options instanceof Dict ? options : new Dict();
  if (body === undefined || body === null) return base;
  if (body instanceof Dict) return body.merge(base);
  return base.with("body", body instanceof Bytes ? body : textOf(body));
}

const shared = { capability: "net", performs: true, suspends: "may" } as const;
const answerNote = "Gives `{status, headers, body, ok, final_url}`; no status is an error.";

function withoutBody(name: string, method: string, effect: "read" | "write", doc: string) {
  return {
    ...shared,
    doc: `${doc} ${answerNote}`,
    sig: "(url: string, options?: dict) -> dict",
    effect,
    run: (task: Task, url: Given, options: Given) => request(task, name, method, url, options),
  };
}

function withBody(name: string, method: string, doc: string) {
  return {
    ...shared,
    doc: `${doc} A dict in the body's place is taken as the options. ${answerNote}`,
    sig: "(url: string, body?: any, options?: dict) -> dict",
    effect: "write" as const,
    run: (task: Task, url: Given, body: Given, options: Given) =>
      request(task, name, method, url, bodyOptions(body, options)),
  };
}

export const http = defineBuiltins("http", {
  http_get: withoutBody(
    "http_get",
    "GET",
    "read",
    "Asks for a URL. Options: `headers`, `query`, `auth`, `timeout_ms` (30000), `total_timeout_ms`, `connect_timeout_ms`, " +
      "`read_timeout_ms`, `retry: {max, backoff_ms}`, `retry_on`, `retry_methods`, `respect_retry_after`, `follow_redirects`, " +
      "`max_redirects` (10), `proxy`, `proxy_auth`, `tls`, `decompress`, `max_response_bytes` (1 MiB).",
  ),
  http_delete: withoutBody(
    "http_delete",
    "DELETE",
    "write",
    "Deletes a resource. Options as for `http_get`.",
  ),
  http_post: withBody(
    "http_post",
    "POST",
    "Posts a body. Options as for `http_get`, and `body` or `multipart`.",
  ),
  http_put: withBody("http_put", "PUT", "Puts a body. Options as for `http_post`."),
  http_patch: withBody("http_patch", "PATCH", "Patches with a body. Options as for `http_post`."),
  http_request: {
    ...shared,
    doc: `A request of any method; the body is in the options. ${answerNote}`,
    sig: "(method: string, url: string, options?: dict) -> dict",
    effect: "write",
    run: (task, method: Given, url: Given, options: Given) => {
      if (textOf(method) === "") throw thrown("http_request: method is required");
      return request(task, "http_request", textOf(method).toUpperCase(), url, options);
    },
  },
  http_download: {
    ...shared,
    doc: "Downloads a URL to a file, up to `max_response_bytes` (1 GiB): `{bytes_written, status, headers, ok}`.",
    sig: "(url: string, destination: string, options?: dict) -> dict",
    effect: "write",
    capability: "net fs.write",
    run: (task, url: Given, destination: Given, options: Given) => {
      if (textOf(url) === "") throw thrown("http_download: URL is required");
      if (textOf(destination) === "") throw thrown("http_download: destination path is required");
      const limit = Math.max(0, intOr(option(options, "max_response_bytes"), defaultMaxDownload));
      const given = outgoing(task, "GET", textOf(url), options, () => false);
      let size = 0;
      const send = sendForFile(hostPath(task, destination), (bytes) => {
        size = bytes;
      });
      return proceed(sendWithRetries(task, { ...given, maxBytes: limit }, send), (answer) =>
        Dict.of({
          bytes_written: size,
          status: answer.status,
          headers: Dict.from(answer.headers),
          ok: isOk(answer),
        }),
      );
    },
  },
  http_mock: {
    doc:
      "Answers requests of a method (`*`: any) whose URL fits a pattern with `*`: `{status, body, headers}` or " +
      "`{responses: […]}`, played in order. The same method and pattern replace; else the first registered wins.",
    sig: "(method: string, url_pattern: string, response?: dict) -> nil",
    effect: "state",
    example: 'http_mock("GET", "https://a.test/*", {body: "hi"})  // nil',
    run: (task, method: Given, pattern: Given, response: Given) => {
      addHttpMock(task, textOf(method), textOf(pattern), response);
      return null;
    },
  },
  http_mock_calls: {
    doc:
      "The mocked calls so far, one per attempt: `{method, url, headers, body}`. Credentials are `[redacted]` unless " +
      "`{redact_sensitive: false}` is given.",
    sig: "(options?: dict) -> list<dict>",
    effect: "state",
    example: "http_mock_calls()  // []",
    run: (task, options: Given) => httpMockCalls(task, options),
  },
  http_mock_clear: {
    doc: "Forgets all HTTP mocks and the calls noted.",
    sig: "() -> nil",
    effect: "state",
    example: "http_mock_clear()  // nil",
    run: (task) => {
      clearHttpMocks(task);
      return null;
    },
  },
});
