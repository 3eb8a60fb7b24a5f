/**
 * JSON text to values. Numbers without fraction and exponent are ints, exact to 64 bits; others are floats. The last
 * of equal keys wins. No recursion, so depth is bounded only by memory. Errors throw the string
 * `JSON parse error: CAUSE at line L column C`.
 */
import { Dict } from "../collections/dict.ts";
import { List } from "../collections/list.ts";
import { fitsInt } from "../operators.ts";
import { Float } from "../scalars.ts";
import { Shape } from "../schema/shape.ts";
import { ScriptError, thrown } from "../script-error.ts";
import type { Value } from "../value.ts";

/** An array or object that is being read. */
interface OpenContainer {
  /** `undefined` for objects. */
  readonly items: Value[] | undefined;
  /** Objects begin shaped and move to a map when they grow out of shapes. */
  shape: Shape;
  slots: Value[];
  map: Map<string, Value> | undefined;
  key: string;
  /** Nothing read of it yet, but something is there. */
  fresh: boolean;
}

const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const COLON = 58;

/** Reads one JSON text; throws a script error for anything else. */
export function jsonParse(text: string): Value {
  return new JsonParser(text).read();
}

class JsonParser {
  private readonly text: string;
  private at = 0;
  private readonly stack: OpenContainer[] = [];

  constructor(text: string) {
    this.text = text;
  }

  read(): Value {
    let value = this.begin();
    for (;;) {
      const open = this.stack[this.stack.length - 1];
      if (open === undefined) break;
      if (value !== undefined) {
        storeMember(open, value);
        value = undefined;
      }
      if (open.fresh) value = this.firstPart(open);
      else value = open.items === undefined ? this.nextMember(open) : this.nextElement(open);
    }
    this.skipBlanks();
    if (this.at < this.text.length) throw this.error("trailing characters");
    return value as Value;
  }

  /** Reads a scalar or an empty collection; `undefined` when a collection was opened and has contents. */
  private begin(): Value | undefined {
    this.skipBlanks();
    const code = this.text.charCodeAt(this.at);
    if (code === QUOTE) return this.string();
    if (code === OPEN_ARRAY) return this.open(CLOSE_ARRAY, []);
    if (code === OPEN_OBJECT) return this.open(CLOSE_OBJECT, undefined);
    if (code === 45 || (code >= 48 && code <= 57)) return this.number();
    if (code === 116) return this.word("true", true);
    if (code === 102) return this.word("false", false);
    if (code === 110) return this.word("null", null);
    throw this.at >= this.text.length ? this.end("EOF while parsing a value") : this.error("expected value");
  }

  private open(close: number, items: Value[] | undefined): Value | undefined {
    this.at++;
    this.skipBlanks();
    if (this.text.charCodeAt(this.at) === close) {
      this.at++;
      return items === undefined ? new Dict() : new List(items);
    }
    const opened: OpenContainer = {
      items,
      shape: Shape.empty,
      slots: [],
      map: undefined,
      key: "",
      fresh: true,
    };
    this.stack.push(opened);
    return undefined;
  }

  private firstPart(open: OpenContainer): Value | undefined {
    open.fresh = false;
    if (open.items === undefined) this.key(open);
    return this.begin();
  }

  private nextElement(open: OpenContainer): Value | undefined {
    this.skipBlanks();
    const code = this.text.charCodeAt(this.at);
    if (code === COMMA) {
      this.at++;
      this.skipBlanks();
      if (this.text.charCodeAt(this.at) === CLOSE_ARRAY) throw this.error("trailing comma");
      return this.begin();
    }
    if (code === CLOSE_ARRAY) {
      this.at++;
      this.stack.pop();
      return new List(open.items as Value[]);
    }
    throw this.at >= this.text.length
      ? this.end("EOF while parsing a list")
      : this.error("expected `,` or `]`");
  }

  private nextMember(open: OpenContainer): Value | undefined {
    this.skipBlanks();
    const code = this.text.charCodeAt(this.at);
    if (code === COMMA) {
      this.at++;
      this.skipBlanks();
      if (this.text.charCodeAt(this.at) === CLOSE_OBJECT) throw this.error("trailing comma");
      this.key(open);
      return this.begin();
    }
    if (code === CLOSE_OBJECT) {
      this.at++;
      this.stack.pop();
      return open.map === undefined ? Dict.shaped(open.shape, open.slots) : new Dict(open.map);
    }
    throw this.at >= this.text.length
      ? this.end("EOF while parsing an object")
      : this.error("expected `,` or `}`");
  }

  private key(open: OpenContainer): void {
    if (this.at >= this.text.length) throw this.end("EOF while parsing an object");
    if (this.text.charCodeAt(this.at) !== QUOTE) throw this.error("key must be a string");
    open.key = this.string();
    this.skipBlanks();
    if (this.at >= this.text.length) throw this.end("EOF while parsing an object");
    if (this.text.charCodeAt(this.at) !== COLON) throw this.error("expected `:`");
    this.at++;
  }

  private skipBlanks(): void {
    const { text } = this;
    for (;;) {
      const code = text.charCodeAt(this.at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
      this.at++;
    }
  }

  private word<T extends Value>(word: string, value: T): T {
    for (let i = 0; i < word.length; i++) {
      if (this.at >= this.text.length) throw this.end("EOF while parsing a value");
      if (this.text[this.at] !== word[i]) throw this.error("expected ident");
      this.at++;
    }
    return value;
  }

  private number(): Value {
    const { text } = this;
    const start = this.at;
    let at = start;
    let isInt = true;
    if (text.charCodeAt(at) === 45) at++;
    const digits = at;
    at = skipDigits(text, at);
    if (at === digits || (text.charCodeAt(digits) === 48 && at > digits + 1)) {
      this.at = at === digits ? at : digits + 1;
      throw this.invalidNumber();
    }
    if (text.charCodeAt(at) === 46) {
      isInt = false;
      const fraction = at + 1;
      at = skipDigits(text, fraction);
      if (at === fraction) {
        this.at = at;
        throw this.invalidNumber();
      }
    }
    const mark = text.charCodeAt(at);
    if (mark === 101 || mark === 69) {
      isInt = false;
      at++;
      const sign = text.charCodeAt(at);
      if (sign === 43 || sign === 45) at++;
      const exponent = at;
      at = skipDigits(text, exponent);
      if (at === exponent) {
        this.at = at;
        throw this.invalidNumber();
      }
    }
    this.at = at;
    return isInt ? this.int(text.slice(start, at)) : this.float(text.slice(start, at));
  }

  private int(digits: string): Value {
    const value = Number(digits);
    if (Number.isSafeInteger(value)) return value + 0;
    const exact = BigInt(digits);
    return fitsInt(exact) ? exact : this.float(digits);
  }

  private float(digits: string): Value {
    const value = Number(digits);
    if (!Number.isFinite(value)) throw this.error("number out of range");
    return new Float(value);
  }

  private invalidNumber() {
    return this.at >= this.text.length ? this.end("EOF while parsing a value") : this.error("invalid number");
  }

  /** A string whose opening quote is next. */
  private string(): string {
    const { text } = this;
    const start = ++this.at;
    for (let at = start; ; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.at = at + 1;
        return text.slice(start, at);
      }
      if (code === BACKSLASH) {
        this.at = at;
        return this.escapedString(text.slice(start, at));
      }
      // NaN at the end fails both comparisons.
      if (!(code >= 32)) {
        this.at = at;
        throw this.badUnit();
      }
    }
  }

  private escapedString(begun: string): string {
    const { text } = this;
    let result = begun;
    for (;;) {
      const code = text.charCodeAt(this.at);
      if (code === QUOTE) {
        this.at++;
        return result;
      }
      if (!(code >= 32)) throw this.badUnit();
      if (code === BACKSLASH) result += this.escape();
      else {
        const start = this.at;
        for (;;) {
          const next = text.charCodeAt(this.at);
          if (next === QUOTE || next === BACKSLASH || !(next >= 32)) break;
          this.at++;
        }
        result += text.slice(start, this.at);
      }
    }
  }

  private badUnit() {
    return this.at >= this.text.length
      ? this.end("EOF while parsing a string")
      : this.error("control character (\\u0000-\\u001F) found while parsing a string");
  }

  private escape(): string {
    const letter = this.text[++this.at];
    if (letter === undefined) throw this.end("EOF while parsing a string");
    this.at++;
    if (letter === "u") return this.unicodeEscape();
    const plain = ESCAPES.get(letter);
    if (plain === undefined) {
      this.at--;
      throw this.error("invalid escape");
    }
    return plain;
  }

  private unicodeEscape(): string {
    const unit = this.hex();
    if ((unit & 0xf800) !== 0xd800) return String.fromCharCode(unit);
    if (unit >= 0xdc00) throw this.error("lone leading surrogate in hex escape");
    if (this.text[this.at] !== "\\" || this.text[this.at + 1] !== "u") {
      throw this.error("unexpected end of hex escape");
    }
    this.at += 2;
    const low = this.hex();
    if ((low & 0xfc00) !== 0xdc00) throw this.error("lone leading surrogate in hex escape");
    return String.fromCharCode(unit, low);
  }

  private hex(): number {
    const digits = this.text.slice(this.at, this.at + 4);
    if (digits.length < 4) {
      this.at = this.text.length;
      throw this.end("EOF while parsing a string");
    }
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.error("invalid escape");
    this.at += 4;
    return Number.parseInt(digits, 16);
  }

  /** Points at the character that does not fit. */
  private error(cause: string) {
    return this.failure(cause, this.at + 1);
  }

  /** Points at the last character, where the text ended too early. */
  private end(cause: string) {
    return this.failure(cause, this.text.length);
  }

  private failure(cause: string, upTo: number) {
    const before = this.text.slice(0, upTo);
    const lineStart = before.lastIndexOf("\n") + 1;
    let line = 1;
    for (let i = 0; i < lineStart; i++) if (before.charCodeAt(i) === 10) line++;
    const column = [...before.slice(lineStart)].length;
    return thrown(`JSON parse error: ${cause} at line ${line} column ${column}`);
  }
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

function skipDigits(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (!(code >= 48 && code <= 57)) return at;
    at++;
  }
}

function storeMember(open: OpenContainer, value: Value): void {
  if (open.items !== undefined) {
    open.items.push(value);
    return;
  }
  if (open.map !== undefined) {
    open.map.set(open.key, value);
    return;
  }
  const slot = open.shape.index.get(open.key);
  if (slot !== undefined) {
    open.slots[slot] = value;
    return;
  }
  const grown = open.shape.child(open.key);
  if (grown === undefined) {
    open.map = new Map(open.shape.keys.map((key, i) => [key, open.slots[i] as Value]));
    open.map.set(open.key, value);
  } else {
    open.shape = grown;
    open.slots.push(value);
  }
}

/** The same; `undefined` for a text that is no JSON. */
export function jsonParseOrNothing(text: string): Value | undefined {
  try {
    return jsonParse(text);
  } catch (error) {
    if (error instanceof ScriptError) return undefined;
    throw error;
  }
}
