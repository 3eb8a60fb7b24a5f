/**
 * Cookies as text (builtins.md §2.15): the `Cookie` header of a request, `Set-Cookie` lines of answers. Pure; what is
 * kept between requests is in cookie-jar.ts, what is signed in cookie-signing.ts.
 */
import { thrown } from "../../values/index.ts";

export interface CookiePair {
  readonly name: string;
  readonly value: string;
}

/** A `Cookie` header: its pairs in order, and the pieces that are none. */
export interface CookieHeader {
  readonly pairs: readonly CookiePair[];
  readonly invalid: readonly { readonly segment: string; readonly reason: string }[];
}

const unquotedCookie = (value: string): string => /^"(.*)"$/s.exec(value)?.[1] ?? value;

/** Reads a `Cookie` header. Values stay as they were sent, but for quotes around them. */
export function parseCookieHeader(header: string): CookieHeader {
  const pairs: CookiePair[] = [];
  const invalid: { segment: string; reason: string }[] = [];
  for (const piece of header.split(";")) {
    const segment = piece.trim();
    if (segment === "") continue;
    const at = segment.indexOf("=");
    if (at < 0) invalid.push({ segment, reason: "missing '='" });
    else if (segment.slice(0, at).trim() === "") invalid.push({ segment, reason: "empty name" });
    else
      pairs.push({ name: segment.slice(0, at).trim(), value: unquotedCookie(segment.slice(at + 1).trim()) });
  }
  return { pairs, invalid };
}

/** What a server may say about a cookie. */
export interface CookieAttributes {
  readonly path?: string | undefined;
  readonly domain?: string | undefined;
  /** Seconds. */
  readonly maxAge?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly expires?: number | undefined;
  readonly httpOnly?: boolean | undefined;
  readonly secure?: boolean | undefined;
  readonly sameSite?: "Strict" | "Lax" | "None" | undefined;
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// Control characters, `;` and what is not ASCII would end the cookie or be read differently by each client.
const unfit = /[^\x20-\x3a\x3c-\x7e]/;

/** One `Set-Cookie` line. Refuses what would smuggle another attribute or header in. */
export function writeSetCookie(
  caller: string,
  name: string,
  value: string,
  attributes: CookieAttributes,
): string {
  if (!token.test(name)) throw thrown(`${caller}: invalid cookie name '${name}'`);
  const refuse = (what: string): unknown =>
    thrown(
      `${caller}: invalid cookie ${what}; encode it first (url_encode, base64url_encode): no ';', control or non-ASCII characters`,
    );
  if (unfit.test(value)) throw refuse("value");
  for (const what of ["path", "domain"] as const) {
    if (unfit.test(attributes[what] ?? "")) throw refuse(what);
  }
  if (attributes.sameSite === "None" && attributes.secure !== true) {
    throw thrown(`${caller}: SameSite=None requires secure: true`);
  }
  const { path, domain, maxAge, expires, httpOnly, secure, sameSite } = attributes;
  return [
    `${name}=${value}`,
    ...(path === undefined ? [] : [`Path=${path}`]),
    ...(domain === undefined ? [] : [`Domain=${domain}`]),
    ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
    ...(expires === undefined ? [] : [`Expires=${new Date(expires).toUTCString()}`]),
    ...(httpOnly === true ? ["HttpOnly"] : []),
    ...(secure === true ? ["Secure"] : []),
    ...(sameSite === undefined ? [] : [`SameSite=${sameSite}`]),
  ].join("; ");
}
