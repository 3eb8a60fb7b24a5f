/**
 * One request and the redirects after it, up to the head of the final answer. Over Node's own client, not over `fetch`:
 * its proxies, TLS settings and connect timeouts need a package of their own; where a program brings its own `fetch`, that is what
 * sends a hop (`fetch-hop.ts`). Everything that can hang has a timer.
 */
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { Readable } from "node:stream";
import type { Deadline } from "../deadline.ts";
import { HostError, type HttpHooks, type HttpRequest } from "../ports.ts";
import { JudgedLookup } from "./judged-lookup.ts";
import { failure } from "./node-http-errors.ts";

/** One request of a chain of redirects. */
export interface Hop {
  readonly method: string;
  readonly url: URL;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array | undefined;
}

/** The head of a final answer, and where it came from. */
export interface HopAnswer {
  readonly answer: HopResponse;
  readonly hop: Hop;
}

/** Sends one request and waits for the head of its answer. */
export type SendHop = (
  hop: Hop,
  settings: HttpRequest,
  deadline: Deadline,
  hooks: HttpHooks,
) => Promise<HopResponse>;

/** Asks, and follows redirects. The body is not read yet. */
export async function answerOf(
  send: SendHop,
  request: HttpRequest,
  hooks: HttpHooks,
  deadline: Deadline,
): Promise<HopAnswer> {
  let hop = firstHop(request);
  for (let hops = 0; ; hops++) {
    await connectionsSeen();
    hooks.beforeHop?.(hop.url.href);
    const answer = await send(withCookies(hop, hooks), request, deadline, hooks);
    if (answer.cookies.length > 0) hooks.cookies?.received(hop.url.href, answer.cookies);
    const next = redirected(hop, answer);
    if (next === undefined || request.maxRedirects === 0) return { answer, hop };
    answer.close();
    if (hops >= request.maxRedirects)
      throw new HostError(
        "ELOOP",
        `too many redirects (${request.maxRedirects}), the last one to ${next.url.host}`,
      );
    hop = next;
  }
}

/**
 * Resolves when what servers did to kept connections meanwhile has been seen: whoever stood still (a long computation, the barrier of a
 * run on a worker) would send on one that its server has closed since.
 */
async function connectionsSeen(): Promise<void> {
  // The first is of the turn of the loop that is at work; the network is looked at before the second.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** With the cookies kept for this hop; a header that the caller gave goes before. */
function withCookies(hop: Hop, { cookies }: HttpHooks): Hop {
  const header = hop.headers.has("cookie") ? undefined : cookies?.header(hop.url.href);
  return header === undefined ? hop : { ...hop, headers: new Map([...hop.headers, ["cookie", header]]) };
}

function firstHop(request: HttpRequest): Hop {
  const headers = new Map<string, string>([
    ["user-agent", "harn"],
    ["accept", "*/*"],
  ]);
  if (request.decompress) headers.set("accept-encoding", "gzip, deflate, br, zstd");
  for (const [name, value] of request.headers) headers.set(name.toLowerCase(), value);
  if (request.body !== undefined) headers.set("content-length", String(request.body.length));
  return { method: request.method, url: parsed(request.url), headers, body: request.body };
}

export function parsed(text: string, base?: URL): URL {
  let url: URL;
  try {
    url = new URL(text, base);
  } catch {
    throw new HostError("EINVAL", "builder error: invalid URL");
  }
  if (url.protocol === "http:" || url.protocol === "https:") return url;
  throw new HostError("EINVAL", `only http and https can be asked, not ${url.protocol}`);
}

/**
 * What another host may be told of a request: what it wants back and what the body is. Everything else may be a credential
 * (`x-api-key`, `private-token`, a signature), whatever its name.
 */
const saysNothing: ReadonlySet<string> = new Set([
  "accept",
  "accept-charset",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "content-encoding",
  "content-language",
  "content-length",
  "content-type",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "pragma",
  "range",
  "user-agent",
]);

/** Where an answer sends the request on, as browsers do it. */
function redirected(hop: Hop, { status, header }: HopResponse): Hop | undefined {
  const location = header("location");
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined;
  const url = parsed(location, hop.url);
  const headers = new Map(hop.headers);
  headers.delete("host");
  if (url.origin !== hop.url.origin) {
    for (const name of [...headers.keys()]) if (!saysNothing.has(name)) headers.delete(name);
  }
  const dropsBody = status === 303 ? hop.method !== "HEAD" : status < 303 && hop.method === "POST";
  if (!dropsBody) return { ...hop, url, headers };
  for (const name of ["content-length", "content-type", "content-encoding"]) headers.delete(name);
  return { method: "GET", url, headers, body: undefined };
}

/** The head of an answer, and its body to be read. */
export interface HopResponse {
  readonly status: number;
  /** Lower-case names; several lines of one name joined by `, `. */
  readonly headers: readonly (readonly [string, string])[];
  /** The `Set-Cookie` lines. */
  readonly cookies: readonly string[];
  /** As `body` is still coded; "" where it is what the server meant. */
  readonly coding: string;
  readonly body: Readable;
  /** How the connection broke off. A body that lasts until the connection ends looks whole then. */
  broken: unknown;
  header(name: string): string | undefined;
  /** Nothing more is wanted of it. */
  close(): void;
}

class NodeAnswer implements HopResponse {
  readonly status: number;
  readonly body: IncomingMessage;
  broken: unknown;
  private readonly request: ClientRequest;

  constructor(message: IncomingMessage, request: ClientRequest) {
    this.status = message.statusCode ?? 0;
    this.body = message;
    this.request = request;
  }
  get headers(): [string, string][] {
    return headersOf(this.body);
  }
  get cookies(): readonly string[] {
    return this.body.headers["set-cookie"] ?? [];
  }
  get coding(): string {
    return this.header("content-encoding") ?? "";
  }
  readonly header = (name: string): string | undefined => this.body.headers[name] as string | undefined;
  close(): void {
    this.request.destroy();
  }
}

/** Over a connection of our own. */
export function exchangeHop(
  hop: Hop,
  settings: HttpRequest,
  deadline: Deadline,
  { resolved }: HttpHooks,
): Promise<HopResponse> {
  const { signal } = deadline;
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const asked = settings.proxy?.url ?? hop.url.href;
    const judged =
      resolved === undefined ? undefined : new JudgedLookup((address) => resolved(asked, address));
    const request = open(hop, settings, judged);
    judged?.watch(request);
    let answer: HopResponse | undefined;
    // However it ends, and whatever of that Node tells: an end that nobody notices would never come.
    const fail = (why: unknown): void => {
      request.destroy();
      if (judged?.refused !== undefined) reject(judged.refused.why);
      else reject(signal.aborted ? signal.reason : why);
    };
    const abort = (): void => fail(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    const connecting = limitConnect(request, settings.connectTimeoutMs, deadline);
    const { readTimeoutMs } = settings;
    if (readTimeoutMs !== undefined) {
      const words = `Deadline exceeded: the server was silent for ${readTimeoutMs} ms`;
      request.setTimeout(readTimeoutMs, () => deadline.expire(words));
    }
    request.once("response", (message) => {
      clearTimeout(connecting);
      if ((message.statusCode ?? 0) < 200) fail(noAnswerError(message.statusCode, hop.url));
      else {
        answer = new NodeAnswer(message, request);
        resolve(answer);
      }
    });
    request.once("upgrade", (message) => fail(noAnswerError(message.statusCode, hop.url)));
    request.on("error", (error) => {
      if (answer !== undefined) answer.broken = error;
      fail(failure(error, hop.url));
    });
    request.once("close", () => {
      clearTimeout(connecting);
      signal.removeEventListener("abort", abort);
      fail(new HostError("ECONNRESET", `connection closed before there was an answer (${hop.url.host})`));
    });
    request.end(hop.body);
  });
}

export function headersOf(message: IncomingMessage): [string, string][] {
  const { rawHeaders } = message;
  return joinedHeaders(
    rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [[name, rawHeaders[i + 1] as string] as const] : [])),
  );
}

/** Lines of one name joined by `, `. */
export function joinedHeaders(lines: Iterable<readonly [string, string]>): [string, string][] {
  const joined = new Map<string, string>();
  for (const [line, value] of lines) {
    const name = line.toLowerCase();
    const old = joined.get(name);
    joined.set(name, old === undefined ? value : `${old}, ${value}`);
  }
  return [...joined];
}

const noAnswerError = (status: number | undefined, { host }: URL): HostError =>
  new HostError(
    "EPROTO",
    status === 101
      ? `the server switches to another protocol, which was not asked for (${host})`
      : `the server does not speak HTTP: status ${status} (${host})`,
  );

function limitConnect(
  request: ClientRequest,
  ms: number | undefined,
  deadline: Deadline,
): NodeJS.Timeout | undefined {
  if (ms === undefined) return undefined;
  const timer = setTimeout(() => deadline.expire(`Deadline exceeded: no connection within ${ms} ms`), ms);
  request.once("socket", (socket) => {
    if (!socket.connecting) clearTimeout(timer);
    else socket.once("encrypted" in socket ? "secureConnect" : "connect", () => clearTimeout(timer));
  });
  return timer;
}

function open(hop: Hop, settings: HttpRequest, judged: JudgedLookup | undefined): ClientRequest {
  const secure = hop.url.protocol === "https:";
  const library = secure ? process.getBuiltinModule("node:https") : process.getBuiltinModule("node:http");
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of hop.headers) headers[name] = value;
  const options: RequestOptions = {
    method: hop.method,
    headers,
    ...(judged === undefined ? {} : { lookup: judged.lookup }),
    ...agentOf(settings, secure),
    ...tlsOf(settings),
  };
  try {
    return library.request(hop.url, options);
  } catch (error) {
    const code = (error as { code?: string }).code ?? "";
    if (code === "ERR_INVALID_HTTP_TOKEN")
      throw new HostError("EINVAL", "builder error: invalid method or header name");
    if (code === "ERR_INVALID_CHAR")
      throw new HostError("EINVAL", "builder error: a header value holds a character that isn't allowed");
    throw failure(error, hop.url);
  }
}

/** An agent of its own where the shared pool won't do: a proxy, or TLS settings that other requests don't share. */
export function agentOf(settings: Pick<HttpRequest, "proxy" | "tls">, secure: boolean): RequestOptions {
  const { proxy } = settings;
  if (proxy === undefined && settings.tls === undefined) return {};
  const proxyEnv =
    proxy === undefined
      ? undefined
      : { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: proxy.noProxy ?? "" };
  const Agent = secure
    ? process.getBuiltinModule("node:https").Agent
    : process.getBuiltinModule("node:http").Agent;
  return {
    agent: new Agent({
      keepAlive: false,
      ...(proxyEnv === undefined ? {} : { proxyEnv }),
      ...tlsOf(settings),
    }),
  };
}

export function tlsOf({ tls }: Pick<HttpRequest, "tls">): object {
  if (tls === undefined) return {};
  return {
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
    ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
    ...(tls.minVersion === undefined ? {} : { minVersion: tls.minVersion }),
    ...(tls.insecure === true ? { rejectUnauthorized: false } : {}),
  };
}
