/** URLs and queries (builtins.md §2.12). */

import { at, defineBuiltins, refusal } from "../../table/index.ts";
import { Dict, display, List, thrown, type Value } from "../../values/index.ts";
import { type Argument, textOf, utf8 } from "../arguments.ts";
import { urlDecode } from "../formats/encodings.ts";
import { urlPartFields } from "../rows/text.ts";

/** Percent-encoded text as it was; what is no such text stays. */
export const percentDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

function parseUrl(text: string): Value {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw thrown(
      `url_parse: ${/^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) ? "invalid URL" : "relative URL without a base"}`,
    );
  }
  const orNil = (part: string): Value => (part === "" ? null : part);
  return Dict.of({
    scheme: url.protocol.slice(0, -1),
    host: orNil(url.hostname),
    port: url.port === "" ? null : Number(url.port),
    path: url.pathname === "" ? "/" : url.pathname,
    query: orNil(url.search.slice(1)),
    fragment: orNil(url.hash.slice(1)),
    username: orNil(percentDecoded(url.username)),
    password: orNil(percentDecoded(url.password)),
  });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const blanks = /[\u0000-\u0020\u007f-\u00a0]/;

const hasBlanks = (text: string): boolean => blanks.test(text);

/** Blanks and control characters percent-encoded, where they would else be dropped or sent as they are. */
export const escapeBlanks = (text: string): string =>
  text.replaceAll(new RegExp(blanks, "g"), (character) => encodeURIComponent(character));

function buildUrl(parts: Argument): string {
  const part = (name: string): string | undefined => {
    const value = parts instanceof Dict ? parts.get(name) : undefined;
    return value === undefined || value === null ? undefined : display(value);
  };
  const scheme = part("scheme");
  if (scheme === undefined) throw thrown("url_build: 'scheme' is required");
  const host = part("host") ?? "";
  if (host === "") throw thrown("url_build: empty host");
  const refuse = (): never => {
    throw thrown(`url_build: invalid URL parts (scheme '${scheme}', host '${host}')`);
  };
  // The URL standard drops line breaks and blanks at the ends: another host than the one that was given.
  if (hasBlanks(scheme) || hasBlanks(host)) return refuse();
  try {
    const url = new URL(`${scheme}://${host}`);
    url.username = part("username") ?? "";
    url.password = part("password") ?? "";
    url.port = part("port") ?? "";
    url.pathname = escapeBlanks(part("path") ?? "/");
    url.search = escapeBlanks(part("query") ?? "");
    url.hash = escapeBlanks(part("fragment") ?? "");
    return url.href;
  } catch {
    return refuse();
  }
}

/** Form encoding: blanks as `+`, only letters, digits and `*-._` stay. */
function formEncode(text: string): string {
  let out = "";
  for (const byte of utf8(text)) {
    const char = String.fromCharCode(byte);
    if (char === " ") out += "+";
    else out += /[A-Za-z0-9*\-._]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return out;
}

function parseUrlQuery(text: string): Value[] {
  return text
    .replace(/^\?/, "")
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const at = pair.indexOf("=");
      const key = at < 0 ? pair : pair.slice(0, at);
      return Dict.of({ key: urlDecode(key), value: at < 0 ? "" : urlDecode(pair.slice(at + 1)) });
    });
}

function stringifyQuery(pairs: Argument): string {
  if (!(pairs instanceof List)) throw thrown("query_stringify: expected a list of {key, value} dicts");
  return pairs
    .toArray()
    .map((pair) => {
      const key = pair instanceof Dict ? pair.get("key") : undefined;
      if (!(pair instanceof Dict) || key === undefined) {
        throw refusal(at("query_stringify", "pairs"), "a {key, value} dict", pair);
      }
      return `${formEncode(textOf(key))}=${formEncode(textOf(pair.get("value")))}`;
    })
    .join("&");
}

export const urls = defineBuiltins(
  "urls",
  {
    url_parse: {
      doc: "The parts of an absolute URL: scheme, host, port, path, query, fragment, username, password.",
      sig: "(text: any) -> dict",
      effect: "pure",
      example: 'url_parse("https://a.de:8080/x?q=1").port  // 8080',
      run: (_task, text: Argument) => parseUrl(textOf(text)),
    },
    url_build: {
      doc: "A URL from its parts; `scheme` and `host` are required.",
      sig: "(parts: dict) -> string",
      effect: "pure",
      example: 'url_build({scheme: "https", host: "a.de", query: "q=1"})  // https://a.de/?q=1',
      fields: { parts: () => urlPartFields },
      run: (_task, parts: Argument) => buildUrl(parts),
    },
    query_parse: {
      doc: "`{key, value}` for each pair of a query, order and repeats kept.",
      sig: "(query: any) -> list<dict>",
      effect: "pure",
      example: 'query_parse("?a=1&b")  // [{key: a, value: 1}, {key: b, value: }]',
      run: (_task, query: Argument) => new List(parseUrlQuery(textOf(query))),
    },
    query_stringify: {
      doc: "A query from `{key, value}` dicts, in form encoding.",
      sig: "(pairs: list<dict>) -> string",
      effect: "pure",
      example: 'query_stringify([{key: "a b", value: "1,2"}])  // a+b=1%2C2',
      run: (_task, pairs: Argument) => stringifyQuery(pairs),
    },
  },
  { pairs: "parameters by name" },
);
