/**
 * The cookies of one HTTP session: what servers set, and what goes back to whom. What a line means and who may set what
 * (RFC 6265, with the list of public suffixes: nobody sets a cookie for all of `co.uk`) is tough-cookie's; its own jar
 * reads the clock and keeps without limit, so cookies are kept here.
 */
import type { Cookie } from "tough-cookie";

type CookieRules = typeof import("tough-cookie");

interface JarCookie {
  readonly cookie: Cookie;
  readonly domain: string;
  /** Only for the very host that set it. */
  readonly hostOnly: boolean;
  readonly path: string;
  /** Milliseconds since the epoch; `undefined`: with the session. */
  readonly end: number | undefined;
}

/** A hop of an exchange: who answered, and its `Set-Cookie` lines. */
export interface ReceivedCookies {
  readonly url: string;
  readonly lines: readonly string[];
}

/** More than browsers keep; a server that sets cookies without end only pushes out its own. */
const maxCookies = 500;

export class CookieJar {
  private readonly kept = new Map<string, JarCookie>();
  private readonly rules: () => CookieRules;

  /** `rules` loads the library: a session that gets no cookie never does. */
  constructor(rules: () => CookieRules) {
    this.rules = rules;
  }

  copy(): CookieJar {
    const jar = new CookieJar(this.rules);
    for (const [key, cookie] of this.kept) jar.kept.set(key, cookie);
    return jar;
  }

  /** Takes what an answer set. `now` is asked only for cookies with an end. */
  receive({ url, lines }: ReceivedCookies, now: () => number): void {
    for (const line of lines) {
      const rules = this.rules();
      const cookie = rules.Cookie.parse(line);
      const from = new URL(url);
      const scope = cookie === undefined ? undefined : scopeOf(rules, cookie, from.hostname);
      if (cookie === undefined || scope === undefined) continue;
      const path = cookie.path ?? rules.defaultPath(from.pathname);
      const key = `${cookie.key};${scope.domain};${path}`;
      const end = endOfCookie(cookie, now);
      this.kept.delete(key);
      if (end !== undefined && (end <= 0 || end <= now())) continue;
      this.kept.set(key, { cookie, ...scope, path, end });
      const oldest = this.kept.keys().next().value;
      if (this.kept.size > maxCookies && oldest !== undefined) this.kept.delete(oldest);
    }
  }

  /** The `Cookie` header for a URL, longer paths first; `undefined` when nothing fits. */
  header(url: string, now: () => number): string | undefined {
    if (this.kept.size === 0) return undefined;
    const { domainMatch, pathMatch } = this.rules();
    const to = new URL(url);
    const secure = to.protocol === "https:" || to.protocol === "wss:" || isLoopbackHost(to.hostname);
    const fitting = [...this.kept.values()].filter(
      ({ cookie, domain, hostOnly, path, end }) =>
        (hostOnly ? to.hostname === domain : domainMatch(to.hostname, domain) === true) &&
        pathMatch(to.pathname, path) &&
        (secure || !cookie.secure) &&
        (end === undefined || end > now()),
    );
    if (fitting.length === 0) return undefined;
    return fitting
      .sort((a, b) => b.path.length - a.path.length)
      .map(({ cookie }) => cookie.cookieString())
      .join("; ");
  }
}

/** When a cookie ends, in milliseconds since the epoch; `undefined` when it ends with the session. */
export function endOfCookie({ maxAge, expires }: Cookie, now: () => number): number | undefined {
  if (typeof maxAge === "number") return maxAge <= 0 ? 0 : now() + maxAge * 1000;
  return expires instanceof Date ? expires.getTime() : undefined;
}

/** For whom a cookie that `host` set is; `undefined` when it may not set it. */
function scopeOf(
  { domainMatch, getPublicSuffix }: CookieRules,
  { domain }: Cookie,
  host: string,
): Pick<JarCookie, "domain" | "hostOnly"> | undefined {
  if (domain === null) return { domain: host, hostOnly: true };
  // `co.uk`, `github.io`, a top-level domain: what stands below belongs to others.
  const isPublic = getPublicSuffix(domain, { allowSpecialUseDomain: true, ignoreError: true }) === undefined;
  if (domain === host) return { domain, hostOnly: isPublic };
  return !isPublic && domainMatch(host, domain) === true ? { domain, hostOnly: false } : undefined;
}

const isLoopbackHost = (host: string): boolean =>
  host === "localhost" || host === "127.0.0.1" || host === "[::1]";
