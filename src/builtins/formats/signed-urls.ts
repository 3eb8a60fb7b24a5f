/** Signed URLs (builtins.md §2.12): the signature covers a version, origin and path, and the sorted query. */

import type { Task } from "../../interp/index.ts";
import { at, refusal } from "../../table/index.ts";
import { compareTexts, Dict, display, runtimeError, thrown, type Value } from "../../values/index.ts";
import { type Argument, limitOption, needSecret, option, textOf, utf8 } from "../arguments.ts";
import { urlDecode, urlEncode } from "./encodings.ts";
import { encodeBase64Url } from "./encodings-text.ts";

type QueryPair = readonly [string, string];

/** Changes when what is signed changes. */
const version = "harn-signed-url-v1";

interface UrlParamNames {
  readonly expires: string;
  readonly kid: string;
  readonly signature: string;
}

/** The names of the three parameters; texts that are not empty and differ, or they would read each other. */
function namesOf(caller: string, options: Argument): UrlParamNames {
  const name = (key: string, standard: string): string => textOf(option(options, key), standard);
  const names = {
    expires: name("expires_param", "exp"),
    kid: name("kid_param", "kid"),
    signature: name("signature_param", "sig"),
  };
  if (new Set(Object.values(names)).size < 3)
    throw thrown(`${caller}: expires_param, signature_param and kid_param must differ from each other`);
  return names;
}

/** Origin in lower case, as servers take it; the path with everything escaped that is not unreserved. */
function signedResourceOf(url: string): string {
  const origin = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]*/.exec(url)?.[0] ?? "";
  const path = url
    .slice(origin.length)
    .split(/(%[0-9A-Fa-f]{2}|\/)/)
    .map((piece, index) => (index % 2 === 1 ? piece.toUpperCase() : urlEncode(piece)));
  return origin.toLowerCase() + path.join("");
}

function splitUrl(url: string): { resource: string; pairs: QueryPair[] } {
  const whole = url.split("#", 1)[0] as string;
  const at = whole.indexOf("?");
  if (at < 0) return { resource: signedResourceOf(whole), pairs: [] };
  const pairs = whole
    .slice(at + 1)
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair): QueryPair => {
      const equals = pair.indexOf("=");
      return equals < 0
        ? [urlDecode(pair), ""]
        : [urlDecode(pair.slice(0, equals)), urlDecode(pair.slice(equals + 1))];
    });
  return { resource: signedResourceOf(whole.slice(0, at)), pairs };
}

/** Escaped pairs, by name, then by value. */
const signedQueryOf = (pairs: readonly QueryPair[]): string =>
  pairs
    .map(([key, value]): QueryPair => [urlEncode(key), urlEncode(value)])
    .sort((a, b) => compareTexts(a[0], b[0]) || compareTexts(a[1], b[1]))
    .map(([key, value]) => `${key}=${value}`)
    .join("&");

function urlSignatureOf(task: Task, secret: Uint8Array, resource: string, query: string): string {
  return encodeBase64Url(
    task.runtime.host.crypto.hmac("sha256", secret, utf8(`${version}\n${resource}\n${query}`)),
  );
}

function needBase(base: Argument): string {
  const absolute = /^(?:[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]|\/)/;
  if (typeof base === "string" && absolute.test(base)) return base;
  throw refusal(at("signed_url", "base"), "an absolute URL with a host, or a path that begins with /", base);
}

export function signUrl(
  task: Task,
  base: Argument,
  claims: Dict | null,
  secret: Argument,
  expiresAt: number,
  options: Argument,
): string {
  const url = needBase(base);
  const key = needSecret("signed_url", secret);
  const names = namesOf("signed_url", options);
  const kid = option(options, "kid");
  const { resource, pairs } = splitUrl(url);
  const reserved = new Set([names.expires, names.kid, names.signature]);
  const claimed = [...(claims ?? new Dict()).entries()].filter(([, value]) => value !== null);
  const taken = claimed.find(([name]) => reserved.has(name));
  if (taken !== undefined)
    throw runtimeError(`signed_url: claims cannot contain reserved parameter \`${taken[0]}\``);
  const signed: QueryPair[] = [
    // What an earlier signature left is replaced, so that a signed URL can be signed again.
    ...pairs.filter(([name]) => !reserved.has(name)),
    ...claimed.map(([name, value]): QueryPair => [name, display(value)]),
    [names.expires, String(expiresAt)],
    ...(kid === undefined ? [] : [[names.kid, textOf(kid)] as const]),
  ];
  const signature = urlSignatureOf(task, key, resource, signedQueryOf(signed));
  return `${resource}?${signedQueryOf([...signed, [names.signature, signature]])}`;
}

/** What is wrong with a signed URL, the first that applies; `ok` for nothing. */
type Reason =
  | "ok"
  | "missing_signature"
  | "bad_signature"
  | "missing_expiry"
  | "invalid_expiry"
  | "expired"
  | "duplicate_kid"
  | "unknown_key";

/** Epoch seconds of the only expiry. */
function expirySeconds(expiries: readonly string[]): number | undefined {
  const expiry = expiries[0] ?? "";
  return expiries.length === 1 && /^-?\d{1,15}$/.test(expiry) ? Number(expiry) : undefined;
}

interface UrlFindings {
  readonly signatures: readonly string[];
  readonly kids: readonly string[];
  readonly expiries: readonly string[];
  /** Nobody knows the key that it names. */
  readonly unknown: boolean;
  readonly right: boolean;
  readonly expiresAt: number | undefined;
  readonly expired: boolean;
}

/** The first thing that is wrong with it. */
function verdictOfUrl(url: UrlFindings): Reason {
  if (url.signatures.length === 0) return "missing_signature";
  if (url.kids.length > 1) return "duplicate_kid";
  if (url.unknown) return "unknown_key";
  if (!url.right) return "bad_signature";
  if (url.expiries.length === 0) return "missing_expiry";
  if (url.expiresAt === undefined) return "invalid_expiry";
  return url.expired ? "expired" : "ok";
}

export function verifyUrl(task: Task, url: string, secret: Argument, now: number, options: Argument): Value {
  const caller = "verify_signed_url";
  const names = namesOf(caller, options);
  const skew = limitOption(caller, options, "skew_seconds", 0);
  const { resource, pairs } = splitUrl(url);
  const valuesOf = (name: string) => pairs.flatMap(([key, value]) => (key === name ? value : []));
  const signatures = valuesOf(names.signature);
  const expiries = valuesOf(names.expires);
  const kids = valuesOf(names.kid);
  const signed = pairs.filter(([key]) => key !== names.signature);
  const ofKid = secret instanceof Dict ? secret.get(kids[0] ?? "") : secret;
  // A `kid` that nobody knows is an answer; a secret that is nil or empty is the caller's mistake.
  const unknown = secret instanceof Dict && (kids.length === 0 || ofKid === undefined);
  const key = unknown ? undefined : needSecret(caller, ofKid);
  const right =
    signatures.length === 1 &&
    key !== undefined &&
    isSameSecret(signatures[0] as string, urlSignatureOf(task, key, resource, signedQueryOf(signed)));
  const expiresAt = expirySeconds(expiries);
  const expired = expiresAt !== undefined && now > expiresAt + skew;

  const reason = verdictOfUrl({ signatures, kids, unknown, right, expiries, expiresAt, expired });
  return Dict.of({
    valid: reason === "ok",
    reason,
    signature_valid: right,
    expired,
    expires_at: expiresAt ?? null,
    kid: kids[0] ?? null,
    claims: Dict.from(signed.filter(([name]) => name !== names.expires && name !== names.kid)),
  });
}

/** In a time that does not tell how much of it fits. */
function isSameSecret(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < b.length; i++)
    difference |= (a.charCodeAt(i % Math.max(1, a.length)) || 0) ^ b.charCodeAt(i);
  return difference === 0;
}
