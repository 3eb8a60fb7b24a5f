/**
 * Keys and signatures (builtins.md §2.12): Ed25519, X25519, JSON web tokens, signed URLs. Keys that are made here come
 * from the machine's own randomness and stand in the journal of a recorded run; private keys that are given never do.
 */

import { type Json, shape } from "../../effects/index.ts";
import type { Curve, JwtAlgorithm } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import { at, defineBuiltins, refusal } from "../../table/index.ts";
import {
  Dict,
  hexText,
  jsonParse,
  jsonStringify,
  runtimeError,
  ScriptError,
  type Value,
} from "../../values/index.ts";
import {
  type Argument,
  attempt,
  bytesOfArgument,
  intOr,
  numberOf,
  option,
  textOf,
  utf8,
} from "../arguments.ts";
import { jwtFields, signUrlFields, verifyUrlFields } from "../rows/text.ts";
import { wallClock } from "../time/clock-state.ts";
import { decodeBase64Url, decodeHex, encodeBase64Url } from "./encodings-text.ts";
import { signUrl, verifyUrl } from "./signed-urls.ts";

const keypair = (curve: Curve) => ({
  doc: `A new ${curve === "ed25519" ? "Ed25519" : "X25519"} key pair: \`{private, public}\` in hex.`,
  sig: "() -> {private: string, public: string}",
  effect: "observe" as const,
  example: `len(${curve}_keypair().public)  // 64`,
  run: (task: Task): Value => {
    const { crypto } = task.runtime.host;
    const raw = crypto.randomBytes(32);
    return Dict.of({ private: hexText(raw), public: hexText(crypto.publicKey(curve, raw)) });
  },
});

/** 32 bytes in hex. */
function rawKey(name: string, which: string, value: Argument): Uint8Array {
  const text = textOf(value);
  if (!/^[0-9a-fA-F]{64}$/.test(text))
    throw refusal(at(name, which), "64 hex characters", value, { secret: true });
  return decodeHex(text, (why) => runtimeError(`${name}: ${why}`));
}

function algorithmOf(name: string, value: Argument): JwtAlgorithm {
  const algorithm = textOf(value);
  if (algorithm === "ES256" || algorithm === "RS256") return algorithm;
  throw runtimeError(`${name}: unsupported algorithm \`${algorithm}\`; expected ES256 or RS256`);
}

const encoded = (text: string): string => encodeBase64Url(utf8(text));

function signJwt(task: Task, value: Argument, claims: Dict, pem: Argument): Value {
  const algorithm = algorithmOf("jwt_sign", value);
  const payload = jsonStringify(claims);
  const head = `${encoded(`{"alg":"${algorithm}","typ":"JWT"}`)}.${encoded(payload)}`;
  // ES256 signatures are random: recorded, without the key among the arguments.
  const signature = task.perform<string>({
    effect: "observe",
    kind: "jwt_sign",
    args: (): Json => [algorithm, payload],
    run: () =>
      attempt(
        `jwt_sign: invalid ${algorithm} PEM private key`,
        () => encodeBase64Url(task.runtime.host.crypto.signJwt(algorithm, textOf(pem), utf8(head))),
        runtimeError,
      ),
    result: shape.text,
  }) as string;
  return `${head}.${signature}`;
}

interface SignatureVerdict {
  readonly reason: string;
  readonly header?: Value;
  readonly claims?: Value;
}

function verifyJwt(task: Task, token: Argument, pem: Argument, options: Argument): Value {
  const verdict = judgeSignature(task, textOf(token), textOf(pem), options);
  return Dict.of({
    valid: verdict.reason === "ok",
    reason: verdict.reason,
    header: verdict.header ?? null,
    claims: verdict.claims ?? null,
  });
}

function judgeSignature(task: Task, token: string, pem: string, options: Argument): SignatureVerdict {
  const parts = token.split(".");
  const header = part(parts[0]);
  const claims = part(parts[1]);
  if (parts.length !== 3 || !(header instanceof Dict) || !(claims instanceof Dict))
    return { reason: "malformed" };
  const algorithm = header.get("alg");
  if (algorithm !== "ES256" && algorithm !== "RS256") return { reason: "unsupported_algorithm", header };
  const signature = bytesOf(parts[2] ?? "");
  const data = utf8(`${parts[0]}.${parts[1]}`);
  const right = attempt(
    `jwt_verify: invalid ${algorithm} PEM key`,
    () =>
      signature === undefined ? false : task.runtime.host.crypto.verifyJwt(algorithm, pem, data, signature),
    runtimeError,
  );
  if (!right) return { reason: "bad_signature", header };
  const now = numberOf(option(options, "now")) ?? wallClock(task) / 1000;
  const skew = intOr(option(options, "skew_seconds"), 0);
  const expires = numberOf(claims.get("exp"));
  const begins = numberOf(claims.get("nbf"));
  if (expires !== undefined && now > expires + skew) return { reason: "expired", header, claims };
  if (begins !== undefined && now < begins - skew) return { reason: "not_yet_valid", header, claims };
  return { reason: "ok", header, claims };
}

function bytesOf(text: string): Uint8Array | undefined {
  try {
    return decodeBase64Url(text, (why) => runtimeError(why));
  } catch (error) {
    if (error instanceof ScriptError) return undefined;
    throw error;
  }
}

function part(text: string | undefined): Value | undefined {
  const data = text === undefined ? undefined : bytesOf(text);
  if (data === undefined) return undefined;
  try {
    return jsonParse(new TextDecoder().decode(data));
  } catch (error) {
    if (error instanceof ScriptError) return undefined;
    throw error;
  }
}

export const signatures = defineBuiltins(
  "signatures",
  {
    ed25519_keypair: keypair("ed25519"),
    ed25519_sign: {
      doc: "The Ed25519 signature of a message, in hex.",
      sig: "(private: string, message: string | bytes) -> string",
      effect: "pure",
      oneWay: true,
      example: 'len(ed25519_sign("00".repeat(32), "hi"))  // 128',
      run: (task, key: Argument, message: Argument) =>
        hexText(
          task.runtime.host.crypto.sign(rawKey("ed25519_sign", "private", key), bytesOfArgument(message)),
        ),
    },
    ed25519_verify: {
      doc: "Whether a signature fits a message and a public key.",
      sig: "(public: string, message: string | bytes, signature: string) -> bool",
      effect: "pure",
      example: 'ed25519_verify("00".repeat(32), "hi", "00")  // false',
      run: (task, key: Argument, message: Argument, signature: Argument) => {
        const raw = rawKey("ed25519_verify", "public", key);
        const text = textOf(signature);
        if (!/^[0-9a-fA-F]{128}$/.test(text)) return false;
        const value = decodeHex(text, (why) => runtimeError(`ed25519_verify: ${why}`));
        return task.runtime.host.crypto.verify(raw, bytesOfArgument(message), value);
      },
    },
    x25519_keypair: keypair("x25519"),
    x25519_agree: {
      doc: "The secret that two sides share, in hex: each gives its own private key and the other's public key.",
      sig: "(private: string, peer_public: string) -> string",
      effect: "pure",
      example: 'len(x25519_agree("01".repeat(32), x25519_keypair().public))  // 64',
      run: (task, key: Argument, peer: Argument) => {
        const own = rawKey("x25519_agree", "private", key);
        const other = rawKey("x25519_agree", "public", peer);
        return attempt(
          "x25519_agree",
          () => hexText(task.runtime.host.crypto.agree(own, other)),
          runtimeError,
        );
      },
    },
    jwt_sign: {
      doc: "A signed JSON web token of claims: ES256 or RS256, with a private key in PEM form.",
      sig: '(algorithm: "ES256" | "RS256", claims!: dict, private_pem: string) -> string',
      effect: "observe",
      performs: true,
      run: signJwt,
    },
    jwt_verify: {
      doc:
        "Checks a JSON web token with a key in PEM form: `{valid, reason, header, claims}`. Reasons: ok, malformed, " +
        "unsupported_algorithm, bad_signature, expired, not_yet_valid. Options: `now` (Unix seconds), `skew_seconds`.",
      sig: "(token: string, pem: string, options?: dict) -> {valid: bool, reason: string, header: dict?, claims: dict?}",
      effect: "observe",
      performs: true,
      example: 'jwt_verify("x", "").reason  // malformed',
      fields: { options: () => jwtFields },
      run: verifyJwt,
    },
    signed_url: {
      doc:
        "A URL with claims as its query, an expiry (Unix seconds) and an HMAC-SHA256 signature. The base has a host or " +
        "begins with `/`; what an earlier signature left in it is replaced. Options: `kid`, `expires_param` (exp), " +
        "`kid_param` (kid), `signature_param` (sig).",
      sig: "(base: string, claims!: dict?, secret: string | bytes, expires_at!: int, options?: dict) -> string",
      effect: "pure",
      oneWay: true,
      example:
        'signed_url("https://a.de/f", {b: "x y"}, "s", 9).starts_with("https://a.de/f?b=x%20y&exp=9&sig=")  // true',
      fields: { options: () => signUrlFields },
      run: (
        task,
        base: Argument,
        claims: Dict | null,
        secret: Argument,
        expires: number,
        options: Argument,
      ) => signUrl(task, base, claims, secret, expires, options),
    },
    verify_signed_url: {
      doc:
        "Checks a signed URL with the secret, or with a dict of secrets by `kid`: `{valid, reason, signature_valid, expired, " +
        "expires_at, kid, claims}`. Reasons: ok, missing_signature, bad_signature, missing_expiry, invalid_expiry, expired, " +
        "duplicate_kid, unknown_key. Options: the names of signed_url and `skew_seconds` (0).",
      sig: "(url!: string, secret: string | bytes | dict, now!: int, options?: dict) -> dict",
      effect: "pure",
      oneWay: true,
      example: 'verify_signed_url("https://a.de/f", "s", 0).reason  // missing_signature',
      fields: { options: () => verifyUrlFields },
      run: (task, url: string, secret: Argument, now: number, options: Argument) =>
        verifyUrl(task, url, secret, Number(now), options),
    },
  },
  { claims: "the claims of a token or link", secret: "secrets by the name of their key" },
);
