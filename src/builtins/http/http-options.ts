/** The options of the HTTP functions (builtins.md §2.15), read into a request. */

import { shape } from "../../effects/index.ts";
import type { HttpProxy, HttpTls } from "../../host/index.ts";
import { egressCheck, privateCheck } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import { at, refusal } from "../../table/index.ts";
import {
  Dict,
  Duration,
  display,
  Float,
  hexText,
  List,
  thrown,
  toBase64,
  type Value,
} from "../../values/index.ts";
import {
  type Argument,
  attempt,
  bytesOfArgument,
  hostPath,
  intOr,
  limitOption,
  option,
  textOf,
  utf8,
} from "../arguments.ts";
import { bitsFrom, randomBytes } from "../data/random-source.ts";
import { escapeBlanks } from "../text/urls.ts";
import { type HttpSession, httpSessionOf, withSession } from "./http-sessions.ts";
import { fixedBoundary, multipartBody } from "./multipart-write.ts";

/** What goes out, and how long and how often it is tried. */
export interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array | undefined;
  readonly timeoutMs: number;
  readonly totalTimeoutMs: number | undefined;
  readonly connectTimeoutMs: number | undefined;
  readonly readTimeoutMs: number | undefined;
  readonly maxRedirects: number;
  readonly maxBytes: number;
  readonly decompress: boolean;
  readonly proxy: HttpProxy | undefined;
  readonly tls: HttpTls | undefined;
  readonly retry: HttpRetry;
  /** Asked with every URL before anything is sent to it; throws what the egress policy refuses. */
  readonly permit: (url: string) => void;
  /** Asked with each address that a name has, where private ones are denied. */
  readonly resolved: ((url: string, address: string) => void) | undefined;
  /** Whose cookies go out and come back. */
  readonly session: HttpSession | undefined;
}

/** A request as its caller describes it. */
export interface HttpRequestInput {
  /** The function to name when the egress policy refuses it. */
  readonly surface: string;
  readonly method: string;
  readonly url: string;
  readonly options: Argument;
  /** For a web socket: `ws://` and `wss://`. */
  readonly socket?: boolean;
  /** Whether a mock will answer this URL. */
  readonly isMocked: (url: string) => boolean;
}

export interface HttpRetry {
  /** Further attempts after the first. */
  readonly max: number;
  readonly backoffMs: number;
  readonly statuses: readonly number[];
  /** This request may be sent again at all. */
  readonly allowed: boolean;
  readonly respectRetryAfter: boolean;
}

/** Documented limits: bodies that are held in memory, and downloads to a file. */
export const defaultMaxBytes = 1024 * 1024;
export const defaultMaxDownload = 1024 * 1024 * 1024;

const retryStatuses = [408, 429, 500, 502, 503, 504];
const retryMethods = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"];

const maxRedirectsOf = (options: Argument): number =>
  option(options, "follow_redirects") === false
    ? 0
    : Math.max(0, intOr(option(options, "max_redirects"), 10));

/** Reads everything; raises before anything is sent. */
export function outgoing(task: Task, asked: HttpRequestInput): Outgoing {
  const { surface, method, url, isMocked } = asked;
  const handle = option(asked.options, "session");
  const session = handle === undefined ? undefined : httpSessionOf(task, handle);
  const options = session === undefined ? asked.options : withSession(session, asked.options);
  checkScheme(asked);
  const headers = requestHeadersOf(option(options, "headers"));
  authorize(headers, option(options, "auth"));
  checkHead(method, headers);
  const whole = urlWithQuery(url, option(options, "query"));
  const allowed = egressCheck(task, surface);
  const proxy = proxyOf(options);
  const open = openNetOnly(asked, options, proxy);
  const permit = (hop: string): void => {
    allowed(hop);
    open?.permit(hop);
  };
  permit(whole);
  if (proxy !== undefined) permit(proxy.url);
  return {
    method,
    url: whole,
    // Before the headers: a multipart body sets one.
    body: bodyOf(task, options, headers, isMocked(whole)),
    headers: [...headers],
    timeoutMs: optionMilliseconds(options, "timeout_ms", "timeout") ?? 30_000,
    totalTimeoutMs: optionMilliseconds(options, "total_timeout_ms"),
    connectTimeoutMs: optionMilliseconds(options, "connect_timeout_ms"),
    readTimeoutMs: optionMilliseconds(options, "read_timeout_ms"),
    maxRedirects: maxRedirectsOf(options),
    maxBytes: limitOption(surface, options, "max_response_bytes", defaultMaxBytes),
    decompress: option(options, "decompress") !== false,
    proxy,
    tls: requestTlsOf(task, option(options, "tls")),
    retry: retryOf(method, options),
    permit,
    resolved: open?.resolved,
    session,
  };
}

/** `private_addresses: "deny"`; undefined where it is not asked for. */
function openNetOnly(
  { surface, socket }: HttpRequestInput,
  options: Argument,
  proxy: HttpProxy | undefined,
): ReturnType<typeof privateCheck> | undefined {
  const setting = option(options, "private_addresses");
  if (setting === undefined || setting === "allow") return undefined;
  if (setting !== "deny") throw refusal(at(surface, "private_addresses"), '"allow" or "deny"', setting);
  if (proxy !== undefined)
    throw thrown(
      `${surface}: \`private_addresses\` can't be judged behind a proxy: the proxy resolves the names`,
    );
  if (socket === true) throw thrown(`${surface}: \`private_addresses\` is for HTTP requests`);
  return privateCheck(surface);
}

function checkScheme({ url, socket }: HttpRequestInput): void {
  if (socket === true ? /^wss?:\/\//i.test(url) : /^https?:\/\//i.test(url)) return;
  throw thrown(
    socket === true
      ? `websocket: URL must start with ws:// or wss://, got '${url}'`
      : `http: URL must start with http:// or https://, got '${url}'`,
  );
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const headerText = /^[\t\x20-\x7e\x80-\xff]*$/;

/** What no server would be sent, a mock is not shown either. */
function checkHead(method: string, headers: ReadonlyMap<string, string>): void {
  const wrong = (what: string) => thrown(`http: request failed: builder error: ${what}`);
  if (!token.test(method)) throw wrong(`invalid method '${method}'`);
  for (const [name, value] of headers) {
    if (!token.test(name)) throw wrong(`invalid header name '${name}'`);
    if (!headerText.test(value))
      throw wrong(`the value of header '${name}' holds a character that isn't allowed`);
  }
}

function requestHeadersOf(input: Argument): Map<string, string> {
  const headers = new Map<string, string>();
  if (!(input instanceof Dict)) return headers;
  for (const [name, value] of input.entries())
    if (value !== null) headers.set(name.toLowerCase(), textOf(value));
  return headers;
}

/** A string is the header's value itself. */
function authorize(headers: Map<string, string>, auth: Argument): void {
  if (typeof auth === "string") headers.set("authorization", auth);
  const bearer = option(auth, "bearer");
  if (bearer !== undefined) headers.set("authorization", `Bearer ${textOf(bearer)}`);
  const basic = option(auth, "basic");
  if (basic === undefined) return;
  const user = textOf(option(basic, "user") ?? option(basic, "username"));
  headers.set("authorization", `Basic ${toBase64(utf8(`${user}:${textOf(option(basic, "password"))}`))}`);
}

/** Appended as text, so that the rest of the URL stays as it was written, but for blanks and control characters. */
function urlWithQuery(url: string, query: Argument): string {
  if (!(query instanceof Dict)) return url;
  const pairs = new URLSearchParams();
  for (const [key, value] of query.entries()) {
    const values = value instanceof List ? value.toArray() : [value];
    for (const one of values) if (one !== null) pairs.append(key, textOf(one));
  }
  if (pairs.size === 0) return url;
  const hash = url.indexOf("#");
  const [head, tail] = hash < 0 ? [url, ""] : [url.slice(0, hash), url.slice(hash)];
  return `${escapeBlanks(head)}${head.includes("?") ? "&" : "?"}${pairs}${escapeBlanks(tail)}`;
}

/** Milliseconds or a duration; the first name that is given counts. */
function optionMilliseconds(options: Argument, ...names: string[]): number | undefined {
  for (const name of names) {
    const value = option(options, name);
    if (value instanceof Duration) return value.ms;
    if (typeof value === "number") return value;
    if (value instanceof Float) return Math.round(value.value);
  }
  return undefined;
}

function retryOf(method: string, options: Argument): HttpRetry {
  const retry = option(options, "retry");
  const list = (name: string): readonly Value[] | undefined => {
    const value = option(options, name);
    return value instanceof List ? value.toArray() : undefined;
  };
  const methods = list("retry_methods")?.map((one) => display(one).toUpperCase()) ?? retryMethods;
  const backoff = option(retry, "backoff_ms") ?? option(options, "backoff_ms") ?? option(options, "backoff");
  return {
    max: Math.max(0, intOr(option(retry, "max") ?? option(options, "retries") ?? retry, 0)),
    backoffMs: Math.max(0, backoff instanceof Duration ? backoff.ms : intOr(backoff, 1000)),
    statuses: list("retry_on")?.map(Number) ?? retryStatuses,
    allowed: methods.includes(method),
    respectRetryAfter: option(options, "respect_retry_after") !== false,
  };
}

function proxyOf(options: Argument): HttpProxy | undefined {
  const proxyUrl = option(options, "proxy");
  if (proxyUrl === undefined) return undefined;
  const text = proxyUrl instanceof Dict ? textOf(option(proxyUrl, "url")) : textOf(proxyUrl);
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw refusal(at("http", "proxy"), "a URL such as http://proxy:8080", proxyUrl, { secret: true });
  }
  const auth = option(options, "proxy_auth");
  if (auth !== undefined) {
    url.username = encodeURIComponent(textOf(option(auth, "user")));
    url.password = encodeURIComponent(textOf(option(auth, "pass") ?? option(auth, "password")));
  }
  const without = option(proxyUrl, "no_proxy");
  const noProxy =
    without instanceof List
      ? without
          .toArray()
          .map((one) => display(one))
          .join(",")
      : without;
  return { url: url.href, noProxy: noProxy === undefined ? undefined : textOf(noProxy) };
}

/** PEM text, or the path of a file that holds it. */
function requestTlsOf(task: Task, input: Argument): HttpTls | undefined {
  if (!(input instanceof Dict)) return undefined;
  const pem = (...names: string[]): string | undefined => {
    for (const name of names) {
      const value = option(input, name);
      if (value === undefined) continue;
      const text = textOf(value);
      return text.includes("-----BEGIN") ? text : requestFileText(task, text);
    }
    return undefined;
  };
  const word = (name: string): string | undefined => {
    const value = option(input, name);
    return value === undefined ? undefined : textOf(value);
  };
  const version = word("min_version");
  return {
    ca: pem("ca", "ca_pem", "ca_path", "ca_bundle_path"),
    cert: pem("cert", "cert_pem", "cert_path", "client_cert_path"),
    key: pem("key", "key_pem", "key_path", "client_key_path"),
    serverName: word("server_name"),
    minVersion: version === undefined ? undefined : version.startsWith("TLS") ? version : `TLSv${version}`,
    insecure: option(input, "insecure") === true || option(input, "verify") === false,
  };
}

/** A file that a request needs, read as an effect of its own. */
function fileBytes(task: Task, path: Argument): Uint8Array {
  const full = hostPath(task, path);
  return task.perform<Uint8Array>({
    effect: "read",
    kind: "http.file",
    args: () => full,
    run: () => attempt(`Failed to read file ${full}`, () => task.runtime.host.files.readBytes(full)),
    result: shape.base64,
  }) as Uint8Array;
}

const requestFileText = (task: Task, path: string): string => new TextDecoder().decode(fileBytes(task, path));

function bodyOf(
  task: Task,
  options: Argument,
  headers: Map<string, string>,
  mocked: boolean,
): Uint8Array | undefined {
  const body = option(options, "body");
  const parts = option(options, "multipart");
  if (parts === undefined) return body === undefined ? undefined : bytesOfArgument(body);
  if (body !== undefined) throw thrown("http: body and multipart options are mutually exclusive");
  if (!(parts instanceof List)) throw refusal(at("http", "multipart"), "list", parts);
  const boundary = mocked
    ? fixedBoundary
    : `${fixedBoundary}-${hexText(randomBytes(bitsFrom(task, undefined), 12))}`;
  headers.set("content-type", `multipart/form-data; boundary=${boundary}`);
  return multipartBody({ caller: "http", readFile: (path) => fileBytes(task, path) }, parts, boundary);
}
