/** Cookies and signed sessions (builtins.md §2.15). */

import type { Task } from "../../interp/index.ts";
import { type At, defineBuiltins, refusal, row, rows } from "../../table/index.ts";
import { Dict, Duration, Float, List, type Value } from "../../values/index.ts";
import { type Argument, optionsOf, textOf } from "../arguments.ts";
import { wallClock } from "../time/clock-state.ts";
import { endOfCookie } from "./cookie-jar.ts";
import {
  sessionFromCookies,
  signCookie,
  signSession,
  verifyCookie,
  verifySession,
} from "./cookie-signing.ts";
import { type CookieAttributes, type CookiePair, parseCookieHeader, writeSetCookie } from "./cookie-text.ts";

function parse(header: Argument): Value {
  const { pairs, invalid } = parseCookieHeader(header === null ? "" : textOf(header));
  const all = new Map<string, string[]>();
  for (const { name, value } of pairs) all.set(name, [...(all.get(name) ?? []), value]);
  const repeated = [...all].filter(([, values]) => values.length > 1);
  return Dict.of({
    cookies: Dict.from([...all].map(([name, values]) => [name, values[0] as string])),
    pairs: new List(pairs.map(({ name, value }) => Dict.of({ name, value }))),
    duplicates: Dict.from(repeated.map(([name, values]) => [name, new List(values)])),
    invalid: new List(invalid.map(({ segment, reason }) => Dict.of({ segment, reason }))),
  });
}

const sameSites: ReadonlyMap<string, "Strict" | "Lax" | "None"> = new Map([
  ["strict", "Strict"],
  ["lax", "Lax"],
  ["none", "None"],
]);

function sameSiteOf(value: string, place: At): "Strict" | "Lax" | "None" {
  const known = sameSites.get(value.toLowerCase());
  if (known !== undefined) return known;
  throw refusal(place, '"Strict", "Lax" or "None"', value);
}

function cookieSecondsOf(value: Argument): number | undefined {
  if (value instanceof Duration) return Math.trunc(value.ms / 1000);
  if (value instanceof Float) return Math.trunc(value.value);
  return typeof value === "number" ? value : undefined;
}

/** Seconds since the epoch, a date dict, or the text of a date. */
function cookieMomentOf(value: Value, place: At): number {
  const seconds = value instanceof Dict ? cookieSecondsOf(value.get("timestamp")) : cookieSecondsOf(value);
  const ms = seconds === undefined ? Date.parse(textOf(value)) : seconds * 1000;
  if (Number.isFinite(ms) && Math.abs(ms) <= 8.64e15) return ms;
  throw refusal(place, "a timestamp or a date", value);
}

const cookieFields = rows(() => ({
  path: row.text("Where the cookie is sent."),
  domain: row.text("Hosts that it is sent to."),
  max_age: row.handle<Value>("int | duration", "Seconds that it lives.").to(cookieSecondsOf),
  expires: row
    .value("When it ends: seconds, a date, or its text.", "seconds, a date, or its text")
    .to(cookieMomentOf),
  http_only: row.bool("Scripts of the page do not see it."),
  secure: row.bool("It is sent over TLS only."),
  same_site: row.text("`Strict`, `Lax` or `None`.").to(sameSiteOf),
}));

/** The options of a cookie; what is not given is what `standard` says. */
function attributesOf(caller: string, options: Argument, standard: CookieAttributes): CookieAttributes {
  const read = optionsOf(caller, options, cookieFields);
  return { ...standard, ...Object.fromEntries(Object.entries(read).filter(([, value]) => value !== null)) };
}

const sessionDefaults = { path: "/", httpOnly: true, secure: true, sameSite: "Lax" } as const;
const deletion = { path: "/", maxAge: 0, expires: 0, httpOnly: true, sameSite: "Lax" } as const;

/** What a browser sends next, after it sent `header` and got `lines`. */
function roundTrip(task: Task, header: Argument, lines: Argument): Value {
  const sent = parseCookieHeader(header === undefined || header === null ? "" : textOf(header)).pairs;
  const held = new Map(sent.toReversed().map(({ name, value }) => [name, value]));
  const order = [...new Set(sent.map(({ name }) => name))];
  const input =
    lines instanceof List ? lines.toArray() : lines === undefined || lines === null ? [] : [lines];
  const now = (): number => wallClock(task);
  for (const line of input) {
    const set = task.runtime.host.libraries.toughCookie().Cookie.parse(textOf(line));
    if (set === undefined) continue;
    const end = endOfCookie(set, now);
    if (end !== undefined && (end <= 0 || end <= now())) held.delete(set.key);
    else {
      if (!held.has(set.key)) order.push(set.key);
      held.set(set.key, set.value);
    }
  }
  const left: CookiePair[] = [...new Set(order)]
    .filter((name) => held.has(name))
    .map((name) => ({ name, value: held.get(name) as string }));
  return Dict.of({
    cookie_header: left.map(({ name, value }) => `${name}=${value}`).join("; "),
    cookies: Dict.from(left.map(({ name, value }) => [name, value])),
  });
}

export const cookies = defineBuiltins("cookies", {
  cookie_parse: {
    doc: "Reads a `Cookie` header: `{cookies, pairs, duplicates, invalid}`; of a repeated name the first value counts.",
    sig: "(header: string) -> dict",
    effect: "pure",
    example: 'cookie_parse("a=1; b=2; a=3; x").cookies  // {a: 1, b: 2}',
    run: (_task, header: Argument) => parse(header),
  },
  cookie_serialize: {
    doc:
      "A `Set-Cookie` line. Options: `path`, `domain`, `max_age` (seconds or duration), `expires`, `http_only`, `secure`, " +
      "`same_site` (Strict, Lax, None; None needs `secure`).",
    sig: "(name: string, value: string, options?: dict) -> string",
    effect: "pure",
    example: 'cookie_serialize("n", "v", {path: "/", max_age: 60})  // n=v; Path=/; Max-Age=60',
    fields: { options: () => cookieFields },
    run: (_task, name: Argument, value: Argument, options: Argument) =>
      writeSetCookie(
        "cookie_serialize",
        textOf(name),
        textOf(value),
        attributesOf("cookie_serialize", options, {}),
      ),
  },
  cookie_delete: {
    doc: "A `Set-Cookie` line that makes clients forget a cookie. Path and domain must be those it was set with.",
    sig: "(name: string, options?: dict) -> string",
    effect: "pure",
    example:
      'cookie_delete("n")  // n=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax',
    fields: { options: () => cookieFields },
    run: (_task, name: Argument, options: Argument) =>
      writeSetCookie("cookie_delete", textOf(name), "", {
        ...attributesOf("cookie_delete", options, deletion),
        maxAge: 0,
        expires: 0,
      }),
  },
  cookie_round_trip: {
    doc: "What a client sends next after it sent `request_cookie` and got these `Set-Cookie` lines: `{cookie_header, cookies}`.",
    sig: "(request_cookie: string?, set_cookies: list<string>) -> dict",
    effect: "observe",
    performs: true,
    example: 'cookie_round_trip("a=1", ["b=2; Path=/", "a=; Max-Age=0"]).cookie_header  // b=2',
    run: (task, header: Argument, lines: Argument) => roundTrip(task, header, lines),
  },
  cookie_sign: {
    doc: "A value with its signature: `VALUE.SIG`. Readable by the client, but not changeable.",
    sig: "(value: string, secret: string | bytes) -> string",
    effect: "pure",
    oneWay: true,
    example: 'cookie_sign("v", "s").starts_with("v.")  // true',
    run: (task, value: Argument, secret: Argument) => signCookie(task, value, secret),
  },
  cookie_verify: {
    doc: "Checks a signed value: `{ok, value, error}`, error nil or `invalid_signature`.",
    sig: "(signed: string, secret: string | bytes) -> dict",
    effect: "pure",
    oneWay: true,
    example: 'cookie_verify(cookie_sign("v", "s"), "s")  // {error: nil, ok: true, value: v}',
    run: (task, signed: Argument, secret: Argument) => verifyCookie(task, signed, secret),
  },
  session_sign: {
    doc: "A payload as a signed token: `v1.PAYLOAD.SIG`.",
    sig: "(payload: any, secret: string | bytes) -> string",
    effect: "pure",
    oneWay: true,
    example: 'session_sign({id: 7}, "s").split(".").count  // 3',
    run: (task, payload: Argument, secret: Argument) => signSession(task, "session_sign", payload, secret),
  },
  session_verify: {
    doc: "Checks a session token: `{ok, payload, error}`, error nil, `invalid_signature` or `malformed`.",
    sig: "(token: string, secret: string | bytes) -> dict",
    effect: "pure",
    oneWay: true,
    example: 'session_verify(session_sign({id: 7}, "s"), "s").payload  // {id: 7}',
    run: (task, token: Argument, secret: Argument) => verifySession(task, "session_verify", token, secret),
  },
  session_cookie: {
    doc: "A `Set-Cookie` line with a signed session; `Path=/; HttpOnly; Secure; SameSite=Lax` unless the options differ.",
    sig: "(name: string, payload: any, secret: string | bytes, options?: dict) -> string",
    effect: "pure",
    example:
      'session_cookie("sid", {id: 7}, "s").ends_with("; Path=/; HttpOnly; Secure; SameSite=Lax")  // true',
    fields: { options: () => cookieFields },
    run: (task, name: Argument, payload: Argument, secret: Argument, options: Argument) =>
      writeSetCookie(
        "session_cookie",
        textOf(name),
        signSession(task, "session_cookie", payload, secret),
        attributesOf("session_cookie", options, sessionDefaults),
      ),
  },
  session_from_cookies: {
    doc: "The session in a `Cookie` header: as `session_verify`; error `missing_cookie` when it isn't there.",
    sig: "(header: string?, name: string, secret: string | bytes) -> dict",
    effect: "pure",
    example: 'session_from_cookies("a=1", "sid", "s").error  // missing_cookie',
    run: (task, header: Argument, name: Argument, secret: Argument) =>
      sessionFromCookies(task, header, name, secret),
  },
});
