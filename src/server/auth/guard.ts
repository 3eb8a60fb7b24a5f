/** What is refused before anybody is asked who he is: foreign hosts, foreign origins, requests that another page may have forged. */
import { HttpProblem } from "../problems.ts";

export interface OwnNames {
  /** The address listened at: `127.0.0.1`, `::1`, `0.0.0.0`. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** `--allowed-host`, with or without a port. */
  readonly allowed: readonly string[];
}

const local = ["localhost", "127.0.0.1", "[::1]"];

/** A name as `Host` writes it: lower case, an IPv6 address in brackets. */
const asWritten = (host: string): string =>
  (host.includes(":") && !host.startsWith("[") ? `[${host}]` : host).toLowerCase();

/** What `Host` may say. The port may be missing where it is the scheme's own. */
export function hostNames({ host, port, isTls, allowed }: OwnNames): ReadonlySet<string> {
  const usual = isTls ? 443 : 80;
  const names = new Set<string>();
  for (const name of [...local, asWritten(host)]) {
    names.add(`${name}:${port}`);
    if (port === usual) names.add(name);
  }
  for (const name of allowed.map(asWritten)) {
    names.add(name);
    // Behind a proxy the port is the proxy's: a name without one stands for itself and for the server's own port.
    if (!/:\d+$/.test(name.replace(/^\[.*\]/, ""))) names.add(`${name}:${port}`);
  }
  return names;
}

/** Throws 403 `bad-host` or `bad-origin`. `target`: the host of a request line that is a whole address; it goes before `Host` (RFC 9112, 3.2.2). */
export function mustBeOurs(request: Request, names: ReadonlySet<string>, target?: string): void {
  const host = (target ?? request.headers.get("host") ?? new URL(request.url).host).toLowerCase();
  if (!names.has(host))
    throw new HttpProblem(
      "bad-host",
      "the Host of the request is not one of this server's; see --allowed-host",
    );
  const origin = request.headers.get("origin");
  if (origin !== null && !isOwnOrigin(origin, host))
    throw new HttpProblem("bad-origin", "requests of other origins are not answered");
}

function isOwnOrigin(origin: string, host: string): boolean {
  // The scheme may be that of a proxy in front: who can serve pages at this very host and port is the server itself.
  return origin === `http://${host}` || origin === `https://${host}`;
}

/** Throws 403 `csrf`: what changes something by cookie has to prove that it comes from a page of ours. */
export function mustNotBeForged(request: Request): void {
  const { headers } = request;
  const site = headers.get("sec-fetch-site");
  // `mustBeOurs` has looked at an Origin that is there.
  const isSameOrigin = site === "same-origin" || (site === null && headers.get("origin") !== null);
  if (!isSameOrigin) throw forged("it does not come from a page of this server");
  if (headers.get("x-harn") !== "1") throw forged("the header `X-Harn: 1` is missing");
}

/** As above, for bodies: a form can't send JSON. */
export function mustNotBeForm(request: Request): void {
  if (!isJson(request)) throw forged("the content type is not application/json");
}

export const isJson = (request: Request): boolean =>
  /^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? "");

const forged = (why: string): HttpProblem =>
  new HttpProblem("csrf", `${why}; programs send a token instead of a cookie`);
