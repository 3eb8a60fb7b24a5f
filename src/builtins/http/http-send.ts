/**
 * Sending a request, once or until an answer is final. A mock answers from Runtime state; everything else is one recorded
 * effect per attempt, of class read for GET and HEAD and of class write for the rest. The waits between attempts are
 * recorded sleeps, and their jitter comes from the run's seed.
 */

import {
  backoffMs,
  type Json,
  type ResultShape,
  redactHeader,
  redactUrl,
  shape,
} from "../../effects/index.ts";
import { HostError, type HttpHooks } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import { keysOf, type ValuesOf } from "../../table/index.ts";
import { Dict, type MaybePromise, proceed, thrown } from "../../values/index.ts";
import { bitsFrom, randomFraction } from "../data/random-source.ts";
import { realSleep } from "../time/clock.ts";
import { realTime, sinceStart, sleepInMock } from "../time/clock-state.ts";
import type { ReceivedCookies } from "./cookie-jar.ts";
import { type HttpAnswer, mockedResponse } from "./http-mocks.ts";
import type { Outgoing } from "./http-options.ts";
import type { HttpSession } from "./http-sessions.ts";

/** Sends once: the mock's answer, or the recorded one of a server. */
export type Send = (task: Task, request: Outgoing) => MaybePromise<HttpAnswer>;

/** Every key of an answer; a header may have any name. */
export const answerKeys = keysOf("status", "headers", "body", "ok", "final_url");

/** What other languages call keys of it. */
export const answerOtherKeys = {
  ...{ status_code: "status", statusCode: "status", code: "status", url: "final_url" },
  ...{ text: "body", content: "body", data: "body", json: "body" },
} as const;

export const responseDict = (answer: HttpAnswer): Dict =>
  Dict.of({
    status: answer.status,
    headers: Dict.from(answer.headers),
    body: answer.body,
    ok: isOk(answer),
    final_url: answer.finalUrl,
  } satisfies ValuesOf<typeof answerKeys>);

export const isOk = ({ status }: { readonly status: number }): boolean => status >= 200 && status < 300;

/** What the journal shows of a request: everything that counts, no credentials. */
export const shownRequest = (request: Outgoing): Json => ({
  method: request.method,
  url: redactUrl(request.url),
  headers: request.headers.map(([name, value]) => [name, redactHeader(name, value)]),
  body: request.body === undefined ? null : new TextDecoder().decode(request.body),
});

/** A failure of the network as scripts see it. */
export function sendError(error: unknown): unknown {
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

/** Asking twice does no harm for what only reads. */
export const methodEffect = (method: string): "read" | "write" =>
  method === "GET" || method === "HEAD" ? "read" : "write";

/** What a resume does with a request of which nobody knows whether it came: with a key the server does once what comes twice. */
export const requestInDoubt = ({ headers }: Pick<Outgoing, "headers">): "repeat" | "ask" =>
  headers.some(([name]) => name.toLowerCase() === "idempotency-key") ? "repeat" : "ask";

/** Cookies that the hops of one exchange set, and when: what a session learns from it. */
export interface CookieReceipt {
  readonly at: number;
  readonly hops: ReceivedCookies[];
}

export const learntShape = shape.optional(
  shape.record<CookieReceipt>({
    at: shape.number,
    hops: shape.listOf(shape.record<ReceivedCookies>({ url: shape.text, lines: shape.listOf(shape.text) })),
  }),
);

const answerFields = {
  status: shape.integer,
  headers: shape.listOf(shape.pair(shape.text, shape.text)),
  body: shape.text,
  learnt: learntShape,
};

type RecordedAnswer = Pick<HttpAnswer, "status" | "headers" | "body"> & {
  readonly learnt?: CookieReceipt | undefined;
  readonly url?: string | null | undefined;
};
type HttpReply = HttpAnswer & { readonly learnt?: CookieReceipt | undefined };

/** An answer of a server. Its URL may carry a key: the journal has it only where a redirect led elsewhere. */
export const answerShape = (asked: string): ResultShape<HttpReply> =>
  shape
    .record<RecordedAnswer>({ ...answerFields, url: shape.optional(shape.orNull(shape.text)) })
    .as<HttpReply>(
      ({ finalUrl, ...rest }) => ({ ...rest, url: finalUrl === asked ? null : finalUrl }),
      ({ url, ...rest }) => ({ ...rest, finalUrl: url ?? asked }),
    );

/** What the network asks and tells at each hop. Inside an effect: the session itself learns when the result is handed over. */
export function hooksFor(
  task: Task,
  { permit, resolved, session }: Outgoing,
): { hooks: HttpHooks; learnt?: CookieReceipt } {
  const judging = { beforeHop: permit, ...(resolved === undefined ? {} : { resolved }) };
  if (session === undefined) return { hooks: judging };
  const jar = session.jar.copy();
  const now = (): number => task.runtime.host.clock.now();
  const learnt: CookieReceipt = { at: now(), hops: [] };
  const cookies = {
    header: (url: string) => jar.header(url, now),
    received: (url: string, lines: readonly string[]) => {
      learnt.hops.push({ url, lines });
      jar.receive({ url, lines }, now);
    },
  };
  return { hooks: { ...judging, cookies }, learnt };
}

/** Takes over what an exchange, live or replayed, has set. */
export function learn(session: HttpSession | undefined, learnt: CookieReceipt | undefined): void {
  if (session === undefined || learnt === undefined) return;
  for (const hop of learnt.hops) session.jar.receive(hop, () => learnt.at);
}

/** The answer of a mock, with the session's cookies on both ways. */
export function mockedExchange(task: Task, request: Outgoing): HttpAnswer | undefined {
  const { session } = request;
  const now = (): number => realTime(task);
  const cookie = request.headers.some(([name]) => name === "cookie")
    ? undefined
    : session?.jar.header(request.url, now);
  const whole: Outgoing =
    cookie === undefined ? request : { ...request, headers: [...request.headers, ["cookie", cookie]] };
  const answer = mockedResponse(task, whole);
  if (answer?.setCookies !== undefined)
    session?.jar.receive({ url: request.url, lines: answer.setCookies }, now);
  return answer;
}

/** One exchange whose answer is a text. */
export const sendForText: Send = (task, request) => {
  const mocked = mockedExchange(task, request);
  if (mocked !== undefined) return mocked;
  const exchanged = task.perform<HttpAnswer & { readonly learnt?: CookieReceipt | undefined }>({
    effect: methodEffect(request.method),
    kind: "http.request",
    inDoubt: requestInDoubt(request),
    args: () => shownRequest(request),
    run: async (signal) => {
      const { hooks, learnt } = hooksFor(task, request);
      try {
        const answer = await task.runtime.host.network.request(request, { signal, ...hooks });
        return { ...answer, body: decodeBody(answer.body, answer.headers), learnt };
      } catch (error) {
        throw sendError(error);
      }
    },
    result: answerShape(request.url),
  });
  return proceed(exchanged, (answer) => {
    learn(request.session, answer.learnt);
    return answer;
  });
};

/** Sends until an answer is final, the attempts are used up or the time is over. */
export async function sendWithRetries(task: Task, request: Outgoing, send: Send): Promise<HttpAnswer> {
  const { retry, totalTimeoutMs } = request;
  const start = totalTimeoutMs === undefined ? 0 : sinceStart(task);
  for (let failures = 0; ; failures++) {
    const mayRepeat = retry.allowed && failures < retry.max;
    const left = totalTimeoutMs === undefined ? undefined : totalTimeoutMs - (sinceStart(task) - start);
    if (left !== undefined && left <= 0) throw outOfRequestTime(totalTimeoutMs as number);
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
      throw outOfRequestTime(totalTimeoutMs);
    }
    if (pause > 0 && !sleepInMock(task, pause)) await realSleep(task, pause);
  }
}

const outOfRequestTime = (ms: number): unknown =>
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
  const { backoffMs: baseMs, respectRetryAfter } = request.retry;
  const base = backoffMs({ baseMs, maxMs: 24 * 3600 * 1000 }, failures + 1);
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
