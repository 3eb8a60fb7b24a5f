/** The options of the HTTP functions (builtins.md §2.15), made into a request. */

import { shape } from "../../effects/index.ts";
import type { HttpProxy, HttpTls } from "../../host/index.ts";
import { egressCheck, privateCheck } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import { at, type Read, type Rows, type RowTable, refusal } from "../../table/index.ts";
import { type Dict, hexText, List, thrown, toBase64, type Value } from "../../values/index.ts";
import {
  type Argument,
  attempt,
  bytesOfArgument,
  hostPath,
  option,
  optionsOf,
  textOf,
  utf8,
} from "../arguments.ts";
import { bitsFrom, randomBytes } from "../data/random-source.ts";
import type { requestFields } from "../rows/http.ts";
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

/** What a caller says of its request, and the session that it is part of. */
type HttpOptions = Read<typeof requestFields> & { readonly ofSession: HttpSession | undefined };

/** A request as its caller describes it. */
export interface HttpRequestInput {
  /** The function to name when the egress policy refuses it. */
  readonly surface: string;
  readonly method: string;
  readonly url: string;
  readonly options: HttpOptions;
  /** For a web socket: `ws://` and `wss://`. */
  readonly socket?: boolean;
  /** Whether a mock will answer this URL. */
  readonly isMocked: (url: string) => boolean;
}

/** Documented limits: bodies that are held in memory, and downloads to a file. */
export const defaultMaxBytes = 1024 * 1024;
export const defaultMaxDownload = 1024 * 1024 * 1024;

/** Reads options by their rows, those of the session that they name beneath them. */
export function httpOptions<R extends Rows>(
  task: Task,
  caller: string,
  options: Argument,
  fields: RowTable<R>,
): Read<RowTable<R>> & { readonly ofSession: HttpSession | undefined } {
  const handle = option(options, "session");
  const ofSession = handle === undefined ? undefined : httpSessionOf(task, handle);
  const whole = ofSession === undefined ? options : withSession(ofSession, options);
  return { ...optionsOf(caller, whole, fields), ofSession };
}

/** Raises before anything is sent. */
export function outgoing(task: Task, asked: HttpRequestInput): Outgoing {
  const { surface, method, url, options, isMocked } = asked;
  checkScheme(asked);
  const headers = requestHeadersOf(options.headers);
  authorize(headers, options.auth);
  checkHead(method, headers);
  const whole = urlWithQuery(url, options.query);
  const allowed = egressCheck(task, surface);
  const proxy = proxyOf(options);
  const open = openNetOnly(asked, proxy);
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
    timeoutMs: options.timeoutMs ?? options.timeout ?? 30_000,
    totalTimeoutMs: options.totalTimeoutMs ?? undefined,
    connectTimeoutMs: options.connectTimeoutMs ?? undefined,
    readTimeoutMs: options.readTimeoutMs ?? undefined,
    maxRedirects: options.followRedirects ? Math.max(0, options.maxRedirects) : 0,
    maxBytes: options.maxResponseBytes ?? defaultMaxBytes,
    decompress: options.decompress,
    proxy,
    tls: requestTlsOf(task, options.tls),
    retry: retryOf(method, options),
    permit,
    resolved: open?.resolved,
    session: options.ofSession,
  };
}

/** `private_addresses: "deny"`; undefined where it is not asked for. */
function openNetOnly(
  { surface, socket, options }: HttpRequestInput,
  proxy: HttpProxy | undefined,
): ReturnType<typeof privateCheck> | undefined {
  if (options.privateAddresses === "allow") return undefined;
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

function requestHeadersOf(input: Dict | null): Map<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of input?.entries() ?? [])
    if (value !== null) headers.set(name.toLowerCase(), textOf(value));
  return headers;
}

/** A string is the header's value itself. */
function authorize(headers: Map<string, string>, auth: HttpOptions["auth"]): void {
  if (typeof auth === "string") headers.set("authorization", auth);
  else if (auth?.basic) {
    const { user, password } = auth.basic;
    headers.set("authorization", `Basic ${toBase64(utf8(`${user}:${password}`))}`);
  } else if (typeof auth?.bearer === "string") headers.set("authorization", `Bearer ${auth.bearer}`);
}

/** Appended as text, so that the rest of the URL stays as it was written, but for blanks and control characters. */
function urlWithQuery(url: string, query: Dict | null): string {
  const pairs = new URLSearchParams();
  for (const [key, value] of query?.entries() ?? []) {
    const values = value instanceof List ? value.toArray() : [value];
    for (const one of values) if (one !== null) pairs.append(key, textOf(one));
  }
  if (pairs.size === 0) return url;
  const hash = url.indexOf("#");
  const [head, tail] = hash < 0 ? [url, ""] : [url.slice(0, hash), url.slice(hash)];
  return `${escapeBlanks(head)}${head.includes("?") ? "&" : "?"}${pairs}${escapeBlanks(tail)}`;
}

function retryOf(method: string, options: HttpOptions) {
  const { retry, retries, backoff, backoffMs, retryOn, retryMethods, respectRetryAfter } = options;
  const own = typeof retry === "number" ? null : retry;
  return {
    /** Further attempts after the first. */
    max: Math.max(0, own?.max ?? retries ?? (typeof retry === "number" ? retry : 0)),
    backoffMs: Math.max(0, own?.backoffMs ?? backoffMs ?? backoff ?? 1000),
    statuses: retryOn,
    /** This request may be sent again at all. */
    allowed: retryMethods.some((one) => one.toUpperCase() === method),
    respectRetryAfter,
  };
}

export type HttpRetry = Readonly<ReturnType<typeof retryOf>>;

function proxyOf({ proxy, proxyAuth }: HttpOptions): HttpProxy | undefined {
  if (proxy === null) return undefined;
  const read = typeof proxy === "string" ? { url: proxy, noProxy: [] } : proxy;
  let url: URL;
  try {
    url = new URL(read.url);
  } catch {
    throw refusal(at("http", "proxy"), "a URL such as http://proxy:8080", read.url, { secret: true });
  }
  if (proxyAuth !== null) {
    url.username = encodeURIComponent(proxyAuth.user);
    url.password = encodeURIComponent(proxyAuth.pass);
  }
  return { url: url.href, noProxy: read.noProxy.length === 0 ? undefined : read.noProxy.join(",") };
}

/** PEM text, or the path of a file that holds it. */
function requestTlsOf(task: Task, tls: HttpOptions["tls"]): HttpTls | undefined {
  if (tls === null) return undefined;
  const pem = (value: Value): string | undefined => {
    if (value === null) return undefined;
    const text = textOf(value);
    return text.includes("-----BEGIN") ? text : requestFileText(task, text);
  };
  return {
    ca: pem(tls.ca),
    cert: pem(tls.cert),
    key: pem(tls.key),
    serverName: tls.serverName ?? undefined,
    minVersion: tls.minVersion ?? undefined,
    insecure: tls.insecure || !tls.verify,
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
  { body, multipart }: HttpOptions,
  headers: Map<string, string>,
  mocked: boolean,
): Uint8Array | undefined {
  if (multipart === null) return body === null ? undefined : bytesOfArgument(body);
  if (body !== null) throw thrown("http: body and multipart options are mutually exclusive");
  const boundary = mocked
    ? fixedBoundary
    : `${fixedBoundary}-${hexText(randomBytes(bitsFrom(task, undefined), 12))}`;
  headers.set("content-type", `multipart/form-data; boundary=${boundary}`);
  return multipartBody({ caller: "http", readFile: (path) => fileBytes(task, path) }, multipart, boundary);
}
