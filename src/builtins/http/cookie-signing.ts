/** Signed cookies and sessions in cookies: readable by the client, but it can't change them. HMAC-SHA256, base64url. */
import type { Task } from "../../interp/index.ts";
import {
  Dict,
  jsonParse,
  jsonStringify,
  ScriptError,
  textWithoutMark,
  thrown,
  type Value,
} from "../../values/index.ts";
import { type Argument, bytesOfArgument, needSecret, textOf, utf8 } from "../arguments.ts";
import { sameBytes } from "../formats/encodings.ts";
import { decodeBase64Url, encodeBase64Url } from "../formats/encodings-text.ts";
import { parseCookieHeader } from "./cookie-text.ts";

/** Changes when what is signed changes. */
const version = "v1";

function signature(task: Task, text: string, secret: Argument): string {
  return encodeBase64Url(task.runtime.host.crypto.hmac("sha256", bytesOfArgument(secret), utf8(text)));
}

/** `VALUE.SIG` */
export function signCookie(task: Task, value: Argument, secret: Argument): string {
  needSecret("cookie_sign", secret);
  const text = textOf(value);
  return `${text}.${signature(task, text, secret)}`;
}

export function verifyCookie(task: Task, signed: Argument, secret: Argument): Value {
  needSecret("cookie_verify", secret);
  const text = textOf(signed);
  const at = text.lastIndexOf(".");
  const value = text.slice(0, Math.max(at, 0));
  const right = at >= 0 && sameBytes(utf8(text.slice(at + 1)), utf8(signature(task, value, secret)));
  return Dict.of({ ok: right, value: right ? value : null, error: right ? null : "invalid_signature" });
}

/** `v1.PAYLOAD.SIG`, the payload as JSON. */
export function signSession(task: Task, caller: string, payload: Argument, secret: Argument): string {
  needSecret(caller, secret);
  const body = `${version}.${encodeBase64Url(utf8(jsonStringify(payload ?? null)))}`;
  return `${body}.${signature(task, body, secret)}`;
}

const failedCookie = (error: string): Value => Dict.of({ ok: false, payload: null, error });

export function verifySession(task: Task, caller: string, token: Argument, secret: Argument): Value {
  needSecret(caller, secret);
  const text = textOf(token);
  const parts = text.split(".");
  if (parts.length !== 3 || parts[0] !== version) return failedCookie("malformed");
  const [, payload = "", input = ""] = parts;
  const expected = signature(task, `${version}.${payload}`, secret);
  if (!sameBytes(utf8(input), utf8(expected))) return failedCookie("invalid_signature");
  try {
    const json = textWithoutMark(decodeBase64Url(payload, (why) => thrown(why)));
    if (json === undefined) return failedCookie("malformed");
    return Dict.of({ ok: true, payload: jsonParse(json), error: null });
  } catch (error) {
    if (error instanceof ScriptError) return failedCookie("malformed");
    throw error;
  }
}

/** The session in a request's `Cookie` header. */
export function sessionFromCookies(task: Task, header: Argument, name: Argument, secret: Argument): Value {
  needSecret("session_from_cookies", secret);
  const { pairs } = parseCookieHeader(header === null ? "" : textOf(header));
  const found = pairs.find((pair) => pair.name === textOf(name));
  if (found === undefined) return failedCookie("missing_cookie");
  return verifySession(task, "session_from_cookies", found.value, secret);
}
