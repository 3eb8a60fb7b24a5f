/** The request that handlers of an HTTP server see, from what a test or a client gave. */
import { Bytes, Dict, jsonStringify, List } from "../../values/index.ts";
import { type Argument, bytesOfArgument, option, textOf, utf8 } from "../arguments.ts";
import { urlDecode } from "../formats/encodings.ts";
import { headerDict } from "./http-messages.ts";
import { foldedPath } from "./servers/http-paths.ts";

/**
 * Reads `{method, path | url, query, headers, body, remote_addr, client_ip}`; a dict or list as body is sent as JSON. Addresses
 * are taken as they are given. `undefined`: no path that is served.
 */
export function requestOfDict(input: Argument) {
  const first = (...names: readonly string[]): string | undefined => {
    const value = names.map((name) => option(input, name)).find((one) => one !== undefined);
    return value === undefined ? undefined : textOf(value);
  };
  const address = first("remote_addr", "remote");
  const { path, query } = splitTarget(textOf(option(input, "path") ?? option(input, "url"), "/"));
  if (path === undefined) return undefined;
  const asked = option(input, "query");
  const headers = headerDict(option(input, "headers"));
  const body = option(input, "body") ?? option(input, "raw_body") ?? "";
  const isData = body instanceof Dict || body instanceof List;
  return {
    method: textOf(option(input, "method"), "GET").toUpperCase(),
    path,
    query:
      asked instanceof Dict ? query.merge(asked) : typeof asked === "string" ? parseQueryText(asked) : query,
    headers:
      isData && !headers.has("content-type") ? headers.with("content-type", "application/json") : headers,
    body: isData ? utf8(jsonStringify(body)) : bytesOfArgument(body),
    /** Host and port of the connection. */
    remoteAddress: address,
    /** As it was given; else the host of the connection. */
    clientIp:
      first("client_ip", "remote_ip", "ip") ??
      (address === undefined ? undefined : requestAddressOf(address)),
  };
}

export type ServerRequest = Readonly<NonNullable<ReturnType<typeof requestOfDict>>>;

/** The path of a target, and its query; the host of a whole URL is left out. */
function splitTarget(target: string): { path: string | undefined; query: Dict } {
  const local = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "").replace(/#.*$/s, "");
  const at = local.indexOf("?");
  const path = at < 0 ? local : local.slice(0, at);
  return {
    path: foldedPath(path.startsWith("/") ? path : `/${path}`),
    query: parseQueryText(at < 0 ? "" : local.slice(at + 1)),
  };
}

/** Of a repeated name the first value counts. */
function parseQueryText(text: string): Dict {
  const pairs = new Map<string, string>();
  for (const piece of text.replace(/^\?/, "").split("&")) {
    const at = piece.indexOf("=");
    const name = urlDecode(at < 0 ? piece : piece.slice(0, at));
    if (name !== "" && !pairs.has(name)) pairs.set(name, at < 0 ? "" : urlDecode(piece.slice(at + 1)));
  }
  return Dict.from(pairs);
}

/** As a handler sees it. */
export function requestDict(request: ServerRequest, params: Dict, retainRaw: boolean): Dict {
  const { method, path, query, headers, body, remoteAddress, clientIp } = request;
  return Dict.of({
    method,
    path,
    path_params: params,
    params,
    query,
    headers,
    body: new TextDecoder().decode(body),
    raw_body: retainRaw ? new Bytes(body) : null,
    body_bytes: body.length,
    remote_addr: remoteAddress ?? null,
    client_ip: clientIp ?? null,
  });
}

/** Without the port. Headers such as x-forwarded-for are not believed: anybody can send them. */
const requestAddressOf = (remote: string): string =>
  /^\[(.+)\](?::\d+)?$/.exec(remote)?.[1] ?? /^([^:]+):\d+$/.exec(remote)?.[1] ?? remote;
