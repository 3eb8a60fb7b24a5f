/** The body of a request: at most so many bytes, and JSON that can't hurt. */
import { textWithoutMark } from "../values/index.ts";
import { HttpProblem } from "./problems.ts";

/** Throws 413 `too-large`, without reading on. */
export async function bytesOf(request: Request, maxBytes: number): Promise<Uint8Array> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > maxBytes) throw tooLarge(maxBytes);
  if (request.body === null) return new Uint8Array();
  const pieces: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.byteLength;
    if (size > maxBytes) {
      await reader.cancel().catch(() => {});
      throw tooLarge(maxBytes);
    }
    pieces.push(next.value);
  }
  return pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces, size);
}

const tooLarge = (maxBytes: number): HttpProblem =>
  new HttpProblem("too-large", `the body has more than ${maxBytes} bytes`);

/**
 * Throws 400 `bad-json`: no JSON, no UTF-8, nested deeper than `depth`; 422 `invalid`: a key `__proto__`. Halves of
 * surrogate pairs become U+FFFD.
 */
export function jsonOf(bytes: Uint8Array, depth: number): unknown {
  const text = textWithoutMark(bytes);
  if (text === undefined) throw new HttpProblem("bad-json", "the body is not UTF-8");
  if (isDeeper(text, depth))
    throw new HttpProblem("bad-json", `the body is nested more than ${depth} levels deep`);
  if (text.trim() === "") throw new HttpProblem("bad-json", "there is no body: send JSON");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The engine's words quote the body; only the place is told.
    const [place = ""] = /at position \d+|end of JSON input/.exec(String(error)) ?? [];
    throw new HttpProblem("bad-json", `the body is no JSON${place === "" ? "" : ` (${place})`}`);
  }
  return wellFormed(value, "body");
}

/** Brackets outside of strings, counted before anything is built. */
function isDeeper(text: string, maxBytes: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (inString) {
      if (character === 0x5c) at++;
      else if (character === 0x22) inString = false;
    } else if (character === 0x22) inString = true;
    else if (character === 0x7b || character === 0x5b) {
      if (++depth > maxBytes) return true;
    } else if (character === 0x7d || character === 0x5d) depth--;
  }
  return false;
}

function wellFormed(value: unknown, path: string): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item, index) => wellFormed(item, `${path}[${index}]`));
  if (Object.hasOwn(value, "__proto__"))
    throw new HttpProblem("invalid", "a key can't be used", {
      errors: [{ path: `${path}.__proto__`, message: "this key is not allowed" }],
    });
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item, `${path}.${key}`)]),
  );
}
