/**
 * The cookies of one HTTP session: what servers set, and what goes back to whom (RFC 6265 without a list of public
 * suffixes: a cookie for a whole top-level domain is refused, one for `co.uk` is not recognised as such).
 */
import { endOf, readSetCookie } from "./cookie-text.ts";

interface Kept {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  /** Only for the very host that set it. */
  readonly hostOnly: boolean;
  readonly path: string;
  readonly secure: boolean;
  /** Milliseconds since the epoch; `undefined`: with the session. */
  readonly end: number | undefined;
}

/** A hop of an exchange: who answered, and its `Set-Cookie` lines. */
export interface ReceivedCookies {
  readonly url: string;
  readonly lines: readonly string[];
}

/** More than browsers keep; a server that sets cookies without end only pushes out its own. */
const mostCookies = 500;

export class CookieJar {
  private readonly kept = new Map<string, Kept>();

  copy(): CookieJar {
    const jar = new CookieJar();
    for (const [key, cookie] of this.kept) jar.kept.set(key, cookie);
    return jar;
  }

  /** Takes what an answer set. `now` is asked only for cookies with an end. */
  receive({ url, lines }: ReceivedCookies, now: () => number): void {
    const from = new URL(url);
    for (const line of lines) {
      const set = readSetCookie(line);
      if (set === undefined) continue;
      const { attributes } = set;
      const domain = attributes.domain ?? from.hostname;
      if (!mayServe(from.hostname, domain, attributes.domain === undefined)) continue;
      const path = attributes.path ?? defaultPath(from.pathname);
      const key = `${set.name};${domain};${path}`;
      const end = endOf(attributes, now);
      this.kept.delete(key);
      if (end !== undefined && (end <= 0 || end <= now())) continue;
      this.kept.set(key, {
        name: set.name,
        value: set.value,
        domain,
        hostOnly: attributes.domain === undefined,
        path,
        secure: attributes.secure === true,
        end,
      });
      const oldest = this.kept.keys().next().value;
      if (this.kept.size > mostCookies && oldest !== undefined) this.kept.delete(oldest);
    }
  }

  /** The `Cookie` header for a URL, longer paths first; `undefined` when nothing fits. */
  header(url: string, now: () => number): string | undefined {
    const to = new URL(url);
    const secure = to.protocol === "https:" || to.protocol === "wss:";
    const fitting = [...this.kept.values()].filter(
      (cookie) =>
        (cookie.hostOnly ? to.hostname === cookie.domain : isWithin(to.hostname, cookie.domain)) &&
        coversPath(cookie.path, to.pathname) &&
        (secure || !cookie.secure || isLoopback(to.hostname)) &&
        (cookie.end === undefined || cookie.end > now()),
    );
    if (fitting.length === 0) return undefined;
    return fitting
      .sort((a, b) => b.path.length - a.path.length)
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ");
  }
}

const isAddress = (host: string): boolean => /^[\d.]+$|:/.test(host);
const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "127.0.0.1" || host === "[::1]";
const isWithin = (host: string, domain: string): boolean =>
  host === domain || (host.endsWith(`.${domain}`) && !isAddress(host));

function mayServe(host: string, domain: string, own: boolean): boolean {
  return own || host === domain || (domain.includes(".") && isWithin(host, domain));
}

const defaultPath = (path: string): string => {
  const end = path.lastIndexOf("/");
  return end <= 0 ? "/" : path.slice(0, end);
};

const coversPath = (path: string, asked: string): boolean =>
  asked === path || asked.startsWith(path.endsWith("/") ? path : `${path}/`);
