/** Reads `multipart/form-data` bodies (RFC 7578), with limits: they come from strangers. */
import type { Read } from "../../table/index.ts";
import { thrown } from "../../values/index.ts";
import type { formLimitFields } from "../rows/http.ts";
import { unquoted } from "./multipart-write.ts";

const multipartError = (why: string): unknown => thrown(`multipart_parse: ${why}`);
/** Longer headers of one part are nobody's honest form. */
const maxHeaderBytes = 16 * 1024;

/** The boundary that a content type names. */
export function boundaryOf(contentType: string): string {
  if (!/^\s*multipart\/form-data\s*(?:;|$)/i.test(contentType))
    throw multipartError(`expected multipart/form-data content type, got ${contentType}`);
  const boundary = headerParameter(contentType, "boundary");
  if (boundary === undefined || boundary === "") throw multipartError("content type is missing boundary");
  return boundary;
}

/** A parameter of a header value: quoted, bare, or with a character set (`name*=UTF-8''…`). */
function headerParameter(header: string, name: string): string | undefined {
  const encoded = new RegExp(`;\\s*${name}\\*\\s*=\\s*[^']*'[^']*'([^;]+)`, "i").exec(header)?.[1];
  if (encoded !== undefined) {
    try {
      return decodeURIComponent(encoded.trim());
    } catch {
      return encoded.trim();
    }
  }
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, "i").exec(header);
  if (found === null) return undefined;
  return found[1]?.replace(/\\(["\\])/g, "$1") ?? found[2];
}

export function parseMultipart(
  data: Uint8Array,
  boundary: string,
  limits: Read<typeof formLimitFields>,
): MultipartField[] {
  if (data.length > limits.maxTotalBytes)
    throw multipartError(`total body size ${data.length} exceeds max_total_bytes ${limits.maxTotalBytes}`);
  const delimiter = new TextEncoder().encode(`--${boundary}`);
  let at = nextDelimiter(data, delimiter, 0);
  if (at < 0) throw multipartError("body does not start with multipart boundary");
  const fields: MultipartField[] = [];
  for (;;) {
    const start = afterDelimiter(data, at + delimiter.length);
    if (start === undefined) return fields;
    const end = nextDelimiter(data, delimiter, start);
    if (end < 0) throw multipartError("the body ends before its closing boundary");
    if (fields.length >= limits.maxFields)
      throw multipartError(`field count exceeds max_fields ${limits.maxFields}`);
    // The line break before the delimiter belongs to it.
    fields.push(parseMultipartField(data.subarray(start, Math.max(start, end - 2)), limits));
    at = end;
  }
}

/** Where the part after a delimiter begins; `undefined` after the closing one. */
function afterDelimiter(data: Uint8Array, at: number): number | undefined {
  if (data[at] === 0x2d && data[at + 1] === 0x2d) return undefined;
  let start = at;
  while (data[start] === 0x20 || data[start] === 0x09) start++;
  if (data[start] === 0x0d && data[start + 1] === 0x0a) return start + 2;
  throw multipartError("a boundary is not followed by a line break");
}

/** The next delimiter at the beginning of a line. */
function nextDelimiter(data: Uint8Array, delimiter: Uint8Array, from: number): number {
  for (let at = data.indexOf(0x2d, from); at >= 0; at = data.indexOf(0x2d, at + 1)) {
    const first = at === 0 || (data[at - 2] === 0x0d && data[at - 1] === 0x0a);
    if (first && startsAt(data, delimiter, at) && endsBoundary(data[at + delimiter.length])) return at;
  }
  return -1;
}

/** A line that only begins like the delimiter is content: CR, `--`, blank or tab must follow. */
const endsBoundary = (byte: number | undefined): boolean =>
  byte === 0x0d || byte === 0x2d || byte === 0x20 || byte === 0x09;

function startsAt(data: Uint8Array, piece: Uint8Array, at: number): boolean {
  if (at + piece.length > data.length) return false;
  for (let i = 0; i < piece.length; i++) if (data[at + i] !== piece[i]) return false;
  return true;
}

function parseMultipartField(part: Uint8Array, limits: Read<typeof formLimitFields>) {
  const split = endOfHeaders(part);
  const headers = parsePartHeaders(new TextDecoder().decode(part.subarray(0, split.headers)));
  const content = part.slice(split.content);
  const disposition = headers.get("content-disposition") ?? "";
  const name = headerParameter(disposition, "name");
  if (name === undefined) throw multipartError("a part has no name in its content-disposition header");
  if (content.length > limits.maxFieldBytes)
    throw multipartError(`field size ${content.length} exceeds max_field_bytes ${limits.maxFieldBytes}`);
  const filename = headerParameter(disposition, "filename");
  return {
    name: unquoted(name),
    filename: filename === undefined ? undefined : unquoted(filename),
    contentType: headers.get("content-type"),
    /** Lower-case names. */
    headers: [...headers],
    content,
  };
}

export type MultipartField = Readonly<ReturnType<typeof parseMultipartField>>;

/** The blank line between a part's headers and its content; a part may have no headers at all. */
function endOfHeaders(part: Uint8Array): { headers: number; content: number } {
  if (part[0] === 0x0d && part[1] === 0x0a) return { headers: 0, content: 2 };
  const last = Math.min(part.length - 3, maxHeaderBytes);
  for (let at = 0; at < last; at++) {
    if (part[at] === 0x0d && part[at + 1] === 0x0a && part[at + 2] === 0x0d && part[at + 3] === 0x0a)
      return { headers: at, content: at + 4 };
  }
  throw multipartError("a part's headers do not end");
}

function parsePartHeaders(text: string): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of text.replace(/\r\n[ \t]+/g, " ").split("\r\n")) {
    const at = line.indexOf(":");
    if (at > 0) headers.set(line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim());
  }
  return headers;
}
