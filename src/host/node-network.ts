/**
 * HTTP over Node's own client. Not over `fetch`: its proxies, TLS settings and connect timeouts need a package of their
 * own. Everything that can hang has a timer, everything that can grow has a limit, and no message shows more of a URL
 * than host and port: paths and queries carry keys.
 */
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { Readable } from "node:stream";
import { HostError, type HttpRequest, type HttpResponse, type Network } from "./ports.ts";

interface Options {
  readonly signal?: AbortSignal;
  readonly onData?: (chunk: Uint8Array) => void;
}

/** One request of a chain of redirects. */
interface Hop {
  readonly method: string;
  readonly url: URL;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array | undefined;
}

export const nodeNetwork: Network = {
  async request(request, options = {}) {
    const deadline = new Deadline(request.timeoutMs, options.signal);
    try {
      return await follow(request, options, deadline);
    } finally {
      deadline.clear();
    }
  },
};

/** Aborts with the caller's reason, or when the time is over. */
class Deadline {
  readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout | undefined;
  private readonly outer: AbortSignal | undefined;
  private readonly passOn = (): void => this.controller.abort(this.outer?.reason);

  constructor(ms: number | undefined, outer: AbortSignal | undefined) {
    this.outer = outer;
    if (ms !== undefined && ms < 0x7fff_ffff) {
      const words = `Deadline exceeded: no complete answer within ${ms} ms`;
      this.timer = setTimeout(() => this.expire(words), Math.max(ms, 0));
    }
    if (outer?.aborted === true) this.passOn();
    else outer?.addEventListener("abort", this.passOn, { once: true });
  }
  get signal(): AbortSignal {
    return this.controller.signal;
  }
  expire(words: string): void {
    this.controller.abort(new HostError("ETIMEDOUT", words));
  }
  clear(): void {
    clearTimeout(this.timer);
    this.outer?.removeEventListener("abort", this.passOn);
  }
}

async function follow(request: HttpRequest, options: Options, deadline: Deadline): Promise<HttpResponse> {
  let hop = firstHop(request);
  for (let followed = 0; ; followed++) {
    const answer = await exchange(hop, request, deadline);
    const next = redirected(hop, answer);
    if (next === undefined || request.maxRedirects === 0)
      return receive(answer, hop, request, options, deadline.signal);
    answer.message.destroy();
    if (followed >= request.maxRedirects)
      throw new HostError(
        "ELOOP",
        `too many redirects (${request.maxRedirects}), the last one to ${next.url.host}`,
      );
    hop = next;
  }
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

function parsed(text: string, base?: URL): URL {
  let url: URL;
  try {
    url = new URL(text, base);
  } catch {
    throw new HostError("EINVAL", "builder error: invalid URL");
  }
  if (url.protocol === "http:" || url.protocol === "https:") return url;
  throw new HostError("EINVAL", `only http and https can be asked, not ${url.protocol}`);
}

/** Where an answer sends the request on, as browsers do it. */
function redirected(hop: Hop, { message }: Answer): Hop | undefined {
  const status = message.statusCode ?? 0;
  const { location } = message.headers;
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined;
  const url = parsed(location, hop.url);
  const headers = new Map(hop.headers);
  headers.delete("host");
  if (url.origin !== hop.url.origin) {
    for (const name of ["authorization", "cookie", "proxy-authorization"]) headers.delete(name);
  }
  const dropsBody = status === 303 ? hop.method !== "HEAD" : status < 303 && hop.method === "POST";
  if (!dropsBody) return { ...hop, url, headers };
  for (const name of ["content-length", "content-type", "content-encoding"]) headers.delete(name);
  return { method: "GET", url, headers, body: undefined };
}

interface Answer {
  readonly message: IncomingMessage;
  readonly request: ClientRequest;
}

/** Sends one request and waits for the head of its answer. */
function exchange(hop: Hop, settings: HttpRequest, deadline: Deadline): Promise<Answer> {
  const { signal } = deadline;
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const request = open(hop, settings);
    const abort = (): void => void request.destroy(new Error("aborted"));
    signal.addEventListener("abort", abort, { once: true });
    const connecting = limitConnect(request, settings.connectTimeoutMs, deadline);
    const { readTimeoutMs } = settings;
    if (readTimeoutMs !== undefined) {
      const words = `Deadline exceeded: the server was silent for ${readTimeoutMs} ms`;
      request.setTimeout(readTimeoutMs, () => deadline.expire(words));
    }
    request.once("response", (message) => {
      clearTimeout(connecting);
      resolve({ message, request });
    });
    request.on("error", (error) => {
      clearTimeout(connecting);
      signal.removeEventListener("abort", abort);
      reject(signal.aborted ? signal.reason : failure(error, hop.url));
    });
    request.once("close", () => signal.removeEventListener("abort", abort));
    request.end(hop.body);
  });
}

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

function open(hop: Hop, settings: HttpRequest): ClientRequest {
  const secure = hop.url.protocol === "https:";
  const library = secure ? process.getBuiltinModule("node:https") : process.getBuiltinModule("node:http");
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of hop.headers) headers[name] = value;
  const options: RequestOptions = {
    method: hop.method,
    headers,
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
function agentOf(settings: HttpRequest, secure: boolean): RequestOptions {
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

function tlsOf({ tls }: HttpRequest): object {
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

/** Reads the body, decompressed, up to the limit. */
async function receive(
  { message, request }: Answer,
  hop: Hop,
  settings: HttpRequest,
  options: Options,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    const declared = Number(message.headers["content-length"] ?? 0);
    if (declared > settings.maxBytes && hop.method !== "HEAD") throw tooBig(settings.maxBytes, declared);
    for await (const chunk of plain(message, settings, hop.method)) {
      const data = chunk as Uint8Array;
      size += data.length;
      if (size > settings.maxBytes) throw tooBig(settings.maxBytes, undefined);
      if (options.onData === undefined) chunks.push(data);
      else options.onData(data);
    }
  } catch (error) {
    request.destroy();
    if (signal.aborted) throw signal.reason;
    throw failure(error, hop.url);
  }
  return {
    status: message.statusCode ?? 0,
    headers: headersOf(message),
    body: Buffer.concat(chunks),
    finalUrl: hop.url.href,
  };
}

function tooBig(limit: number, declared: number | undefined): HostError {
  const what = declared === undefined ? "response body" : `response body of ${declared} bytes`;
  return new HostError("EFBIG", `${what} exceeds max_response_bytes (${limit})`);
}

/** The body as the server meant it. */
function plain(message: IncomingMessage, settings: HttpRequest, method: string): Readable {
  const coding = (message.headers["content-encoding"] ?? "").trim().toLowerCase();
  const empty = method === "HEAD" || message.statusCode === 204 || message.statusCode === 304;
  if (!settings.decompress || coding === "" || empty) return message;
  const zlib = process.getBuiltinModule("node:zlib");
  const decoders: Readonly<Record<string, (() => NodeJS.ReadWriteStream) | undefined>> = {
    gzip: () => zlib.createGunzip(),
    "x-gzip": () => zlib.createGunzip(),
    deflate: () => zlib.createInflate(),
    br: () => zlib.createBrotliDecompress(),
    zstd: () => zlib.createZstdDecompress(),
  };
  const decoder = Object.hasOwn(decoders, coding) ? decoders[coding]?.() : undefined;
  if (decoder === undefined) return message;
  const stream = decoder as unknown as Readable;
  message.once("error", (error) => stream.destroy(error));
  message.pipe(decoder);
  return stream;
}

function headersOf(message: IncomingMessage): [string, string][] {
  const joined = new Map<string, string>();
  const { rawHeaders } = message;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase();
    const value = rawHeaders[i + 1] as string;
    const old = joined.get(name);
    joined.set(name, old === undefined ? value : `${old}, ${value}`);
  }
  return [...joined];
}

/** Words that say what happened, and by which `error_category` recognises it. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ECONNABORTED: "connection closed",
  EPIPE: "broken pipe",
  ENOTFOUND: "dns error: host not found",
  EAI_AGAIN: "dns error: the name server does not answer",
  ETIMEDOUT: "Deadline exceeded: the host does not answer",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network is unreachable",
  ERR_STREAM_PREMATURE_CLOSE: "connection closed before the answer was complete",
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the server's certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "the server's certificate is self-signed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server's certificate can't be verified",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the server's certificate can't be verified",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for another host",
};

function failure(error: unknown, url: URL): HostError {
  if (error instanceof HostError) return error;
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const code = String((first as { code?: unknown } | undefined)?.code ?? "EIO");
  const known = Object.hasOwn(words, code) ? words[code] : undefined;
  if (known !== undefined) return new HostError(code, `${known} (${url.host})`);
  if (
    code.startsWith("Z_") ||
    code.startsWith("ERR_BROTLI") ||
    code.startsWith("ERR_ZSTD") ||
    code.startsWith("ERR__ERROR")
  )
    return new HostError(code, `the body is compressed wrongly (${url.host})`);
  if (code.startsWith("HPE_")) return new HostError(code, `the server does not speak HTTP (${url.host})`);
  return new HostError(code, `${code} (${url.host})`);
}
