/**
 * The forms in which a secret travels: itself, escaped in JSON (also twice), percent-encoded, a line of it, inside base64.
 * Each has a placeholder of its own that says how to make the form again:
 *
 *     {{secret:NAME}}                     the value
 *     {{secret:NAME|json}}                as it stands inside a JSON text; `json2` inside a JSON text in a JSON text
 *     {{secret:NAME|url}}  {{…|form}}     percent-encoded (`url2`: as browsers do); with `+` for a blank
 *     {{secret:NAME|line:3}}              the fourth line of a value of several lines
 *     {{secret64:…}}                      a stretch of base64 that holds a secret; percent-encoded, with the placeholder in it
 *
 * Text that only looks like a placeholder gets a star after `{{secret`, so the two are never mistaken for each other.
 */
import { fromBase64, toBase64 } from "../../values/index.ts";

/** One way to write a secret, and what is stored instead. */
export interface SecretForm {
  readonly text: string;
  readonly placeholder: string;
  /** Also found in what is asked of a program's secrets: lines are not. */
  readonly whole: boolean;
}

/** Lines of keys are long; a line such as `}` or a blank one says nothing, and the frame of a PEM file is public. */
const shortestLine = 12;
const frame = /^-----/;

export const jsonEscaped = (value: string): string => JSON.stringify(value).slice(1, -1);

/** As RFC 3986 and `url_encode` want it. */
const strictly = (text: string): string =>
  text.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** A form of a value by its name; `undefined` for a name that is none. */
export function formOf(value: string, form: string): string | undefined {
  if (form === "json") return jsonEscaped(value);
  if (form === "json2") return jsonEscaped(jsonEscaped(value));
  if (form === "url") return strictly(encodeURIComponent(value.toWellFormed()));
  if (form === "url2") return encodeURIComponent(value.toWellFormed());
  if (form === "form") return encodeURIComponent(value.toWellFormed()).replaceAll("%20", "+");
  if (/^core[0-2]u?$/.test(form)) return coreOf(value, form);
  if (form.startsWith("line:")) return value.split(/\r?\n/)[Number(form.slice(5))];
  return undefined;
}

/** All forms of a value but base64, each once. */
export function formsOf(name: string, value: string): SecretForm[] {
  const forms = new Map<string, SecretForm>();
  const add = (text: string, form: string, whole: boolean): void => {
    const placeholder = `{{secret:${name}${form === "" ? "" : `|${form}`}}}`;
    if (!forms.has(text)) forms.set(text, { text, placeholder, whole });
  };
  add(value, "", true);
  for (const form of ["json", "json2", "url", "url2", "form"]) add(formOf(value, form) as string, form, true);
  const lines = value.split(/\r?\n/);
  if (lines.length > 1) {
    lines.forEach((line, at) => {
      if (line.trim().length >= shortestLine && !frame.test(line)) add(line, `line:${at}`, false);
    });
  }
  return [...forms.values()];
}

/**
 * The characters that a value leaves in base64, whatever stands around it, for each of the three ways it can lie: form
 * `core0` to `core2`, with `u` in the alphabet of addresses.
 */
export function base64Cores(value: string): { readonly text: string; readonly form: string }[] {
  const cores = new Map<string, string>();
  for (const form of ["core0", "core1", "core2", "core0u", "core1u", "core2u"]) {
    const text = coreOf(value, form);
    if (text.length >= shortestCore && !cores.has(text)) cores.set(text, form);
  }
  return [...cores].map(([text, form]) => ({ text, form }));
}

/** Shorter ones would be found by chance. */
const shortestCore = 7;

function coreOf(value: string, form: string): string {
  const before = Number(form[4]);
  const bytes = new TextEncoder().encode(value.toWellFormed());
  const all = new Uint8Array(before + bytes.length);
  all.set(bytes, before);
  const digits = toBase64(all).slice(Math.ceil((before * 8) / 6), Math.floor((all.length * 8) / 6));
  return form.endsWith("u") ? digits.replaceAll("+", "-").replaceAll("/", "_") : digits;
}

/** A stretch of base64 in a text. */
export interface ByteStretch {
  readonly from: number;
  readonly to: number;
  /** What it holds, a character a byte. */
  readonly bytes: string;
}

/**
 * The stretch round a core that was found at `at`, from the first place where it decodes to something that holds one of
 * the values. `undefined` where it can't be made again from what it holds.
 */
export function stretchAt(
  text: string,
  at: number,
  length: number,
  values: readonly string[],
): ByteStretch | undefined {
  const core = text.slice(at, at + length);
  const ours = /[-_]/.test(core) ? /[\w-]/ : /[A-Za-z0-9+/]/;
  let from = at;
  while (from > 0 && ours.test(text[from - 1] as string)) from--;
  let to = at + length;
  while (to < text.length && ours.test(text[to] as string)) to++;
  const end = to;
  while (to < end + 2 && text[to] === "=") to++;
  for (let shift = 0; shift < 4; shift++) {
    const start = from + shift;
    for (let stop = to; stop >= end; stop--) {
      const bytes = decodedBytes(text.slice(start, stop));
      if (bytes !== undefined && values.some((value) => bytes.includes(value)))
        return { from: start, to: stop, bytes };
    }
  }
  return undefined;
}

/** The text of a stretch. Flags: `u` the alphabet of addresses, `=` padded. */
export function encodedStretch(bytes: string, flags: string): string {
  let text = toBase64(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
  if (!flags.includes("=")) text = text.replace(/=+$/, "");
  return flags.includes("u") ? text.replaceAll("+", "-").replaceAll("/", "_") : text;
}

export const secretFlagsOf = (text: string): string =>
  `${/[-_]/.test(text) ? "u" : ""}${text.length % 4 === 0 ? "=" : ""}`;

/** A character a byte; `undefined` for what is no base64, or would not be the same again. */
function decodedBytes(text: string): string | undefined {
  const plain = text.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  if (plain.length % 4 === 1) return undefined;
  let bytes: Uint8Array | undefined;
  try {
    bytes = fromBase64(plain.padEnd(Math.ceil(plain.length / 4) * 4, "="));
  } catch {
    return undefined;
  }
  if (bytes === undefined) return undefined;
  const shown = byteText(bytes);
  return encodedStretch(shown, secretFlagsOf(text)) === text ? shown : undefined;
}

/** A character a byte. */
export function byteText(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return text;
}

/** A text as its bytes in UTF-8, a character a byte. */
export const bytesOf = (text: string): string => byteText(new TextEncoder().encode(text));

/** The other way round. */
export const textOfBytes = (bytes: string): string =>
  new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
