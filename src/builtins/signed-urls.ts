/** Signed URLs: the signature covers a version, the URL without its query, and the sorted query. */
import type { Task } from "../interp/index.ts";
import { compareText, Dict, display, runtimeError, typeOf, type Value } from "../values/index.ts";
import { type Given, intOr, needSecret, option, textOf, utf8 } from "./arguments.ts";
import { urlDecode, urlEncode } from "./encodings.ts";
import { encodeBase64Url } from "./encodings-text.ts";

type Pair = readonly [string, string];

/** Changes when what is signed changes. */
const version = "harn-signed-url-v1";

interface Names {
  readonly expires: string;
  readonly kid: string;
  readonly signature: string;
}

function namesOf(options: Given): Names {
  const name = (key: string, standard: string): string => textOf(option(options, key), standard);
  return {
    expires: name("expires_param", "exp"),
    kid: name("kid_param", "kid"),
    signature: name("signature_param", "sig"),
  };
}

function split(url: string): { resource: string; pairs: Pair[] } {
  const whole = url.split("#", 1)[0] as string;
  const at = whole.indexOf("?");
  if (at < 0) return { resource: whole, pairs: [] };
  const pairs = whole
    .slice(at + 1)
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair): Pair => {
      const equals = pair.indexOf("=");
      return equals < 0
        ? [urlDecode(pair), ""]
        : [urlDecode(pair.slice(0, equals)), urlDecode(pair.slice(equals + 1))];
    });
  return { resource: whole.slice(0, at), pairs };
}

const queryOf = (pairs: readonly Pair[]): string =>
  pairs
    .map(([key, value]) => `${urlEncode(key)}=${urlEncode(value)}`)
    .sort(compareText)
    .join("&");

/** Scheme and host in lower case, as servers take them. */
const canonical = (resource: string): string =>
  resource.replace(/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]*/, (origin) => origin.toLowerCase());

function signatureOf(task: Task, secret: Uint8Array, resource: string, query: string): string {
  const message = utf8(`${version}\n${canonical(resource)}\n${query}`);
  return encodeBase64Url(task.runtime.host.crypto.hmac("sha256", secret, message));
}

export function signUrl(
  task: Task,
  base: string,
  claims: Given,
  secret: Given,
  expiresAt: number,
  options: Given,
): string {
  if (!(claims instanceof Dict))
    throw runtimeError(`signed_url: claims must be a dict, got ${typeOf(claims ?? null)}`);
  const key = needSecret("signed_url", secret);
  const names = namesOf(options);
  const kid = option(options, "kid");
  const { resource, pairs } = split(base);
  const own = [names.expires, names.kid, names.signature];
  const reserved = own.find((name) => claims.has(name));
  if (reserved !== undefined)
    throw runtimeError(`signed_url: the claim '${reserved}' is the name of a parameter of its own`);
  // Whoever verifies would read the base's parameter instead of ours.
  const taken = own.find((name) => pairs.some(([given]) => given === name));
  if (taken !== undefined)
    throw runtimeError(`signed_url: the base has the parameter '${taken}', which the signature needs`);
  const query = queryOf([
    ...pairs,
    ...[...claims.entries()].map(([key, value]): Pair => [key, display(value)]),
    [names.expires, String(expiresAt)],
    ...(kid === undefined ? [] : [[names.kid, textOf(kid)] as const]),
  ]);
  return `${resource}?${query}&${urlEncode(names.signature)}=${signatureOf(task, key, resource, query)}`;
}

export function verifyUrl(task: Task, url: string, secret: Given, now: number, options: Given): Value {
  const names = namesOf(options);
  const { resource, pairs } = split(url);
  const value = (name: string): string | undefined => pairs.find(([key]) => key === name)?.[1];
  const signed = pairs.filter(([key]) => key !== names.signature);
  const given = value(names.signature);
  const kid = value(names.kid);
  const ofKid = secret instanceof Dict ? secret.get(kid ?? "") : secret;
  // A `kid` nobody knows is a bad signature; a secret that is nil or empty is the caller's mistake.
  const unknown = secret instanceof Dict && ofKid === undefined;
  const key = unknown ? undefined : needSecret("verify_signed_url", ofKid);
  const right =
    given !== undefined &&
    key !== undefined &&
    sameText(given, signatureOf(task, key, resource, queryOf(signed)));
  const expiresAt = /^-?\d{1,15}$/.test(value(names.expires) ?? "")
    ? Number(value(names.expires))
    : undefined;
  const expired = expiresAt !== undefined && now > expiresAt + intOr(option(options, "skew_seconds"), 0);
  const reason =
    given === undefined ? "missing_signature" : !right ? "bad_signature" : expired ? "expired" : "ok";
  const own = new Set([names.expires, names.kid]);
  return Dict.of({
    valid: reason === "ok",
    reason,
    signature_valid: right,
    expired,
    expires_at: expiresAt ?? null,
    kid: kid ?? null,
    claims: Dict.from(signed.filter(([name]) => !own.has(name))),
  });
}

/** In a time that does not tell how much of it fits. */
function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < b.length; i++)
    difference |= (a.charCodeAt(i % Math.max(1, a.length)) || 0) ^ b.charCodeAt(i);
  return difference === 0;
}
