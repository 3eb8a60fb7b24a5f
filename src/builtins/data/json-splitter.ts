/**
 * Finds the elements of a JSON list that is too big to be held at once, or the values of a text that has many, without
 * reading them: brackets and strings are all that has to be understood. Each element is then parsed by itself.
 */
import { utf8Text } from "../../values/index.ts";
import { joinedBytes } from "./bytes.ts";

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;

const isJsonBlank = (byte: number): boolean => byte === 32 || byte === 10 || byte === 13 || byte === 9;
const opens = (byte: number): boolean => byte === OPEN_LIST || byte === 123;
const closesValue = (byte: number): boolean => byte === CLOSE_LIST || byte === 125;

export class JsonSplitter {
  private readonly limit: number;
  private readonly refuse: (why: string) => unknown;
  /** Nothing seen yet; inside a list; between values side by side; after a list. */
  private mode: "start" | "list" | "values" | "over" = "start";
  private depth = 0;
  private inString = false;
  private escaped = false;
  /** A comma was read, so another element must follow. */
  private owed = false;
  private chunk: Uint8Array = new Uint8Array();
  private at = 0;
  /** Where in the chunk the element in progress begins; below 0 when none has begun. */
  private start = -1;
  /** What earlier chunks had of it. */
  private held: Uint8Array[] = [];
  private heldBytes = 0;

  constructor(limit: number, refuse: (why: string) => unknown) {
    this.limit = limit;
    this.refuse = refuse;
  }

  /** Goes on with a chunk; all elements of the one before must have been taken. */
  feed(chunk: Uint8Array): void {
    this.chunk = chunk;
    this.at = 0;
    if (this.start >= 0) this.start = 0;
  }

  /** The text of the next element; `undefined` when more must be fed. */
  next(): string | undefined {
    const { chunk } = this;
    while (this.at < chunk.length) {
      const end = this.step(chunk[this.at] as number, this.at);
      this.at++;
      if (end >= 0) return this.take(end);
    }
    if (this.start >= 0) this.hold(chunk.subarray(this.start));
    return undefined;
  }

  /** The last value, when values stand side by side and nothing follows it. */
  last(): string | undefined {
    if (this.mode === "list") throw this.refuse("the text ends in the middle of the list");
    if (this.start < 0) return undefined;
    this.chunk = new Uint8Array();
    this.start = 0;
    return this.take(0);
  }

  /** Understands one byte; where an element ends there, else below 0. */
  private step(byte: number, at: number): number {
    if (this.inString) {
      this.stringByte(byte);
      return !this.inString && this.mode === "values" && this.depth === 0 ? at + 1 : -1;
    }
    if (this.start >= 0) return this.inside(byte, at);
    if (!isJsonBlank(byte)) this.begin(byte, at);
    return -1;
  }

  private stringByte(byte: number): void {
    if (this.escaped) this.escaped = false;
    else if (byte === BACKSLASH) this.escaped = true;
    else if (byte === QUOTE) this.inString = false;
  }

  /** The first byte of an element, or the bracket of the list itself. */
  private begin(byte: number, at: number): void {
    if (this.mode === "over") throw this.refuse("something follows the list");
    if (this.mode === "start") {
      this.mode = byte === OPEN_LIST ? "list" : "values";
      if (byte === OPEN_LIST) return;
    }
    if (this.mode === "list" && byte === CLOSE_LIST) {
      if (this.owed) throw this.refuse("trailing comma");
      this.mode = "over";
      return;
    }
    if (this.mode === "list" && byte === COMMA) throw this.refuse("an element is missing before a comma");
    this.owed = false;
    if (byte === QUOTE) this.inString = true;
    else if (opens(byte)) this.depth++;
    this.start = at;
  }

  private inside(byte: number, at: number): number {
    if (byte === QUOTE) this.inString = true;
    else if (opens(byte)) this.depth++;
    else if (this.depth > 0) {
      if (closesValue(byte)) this.depth--;
      if (this.depth === 0 && this.mode === "values") return at + 1;
    } else if (this.mode === "values") {
      if (isJsonBlank(byte)) return at;
    } else if (byte === COMMA) {
      this.owed = true;
      return at;
    } else if (closesValue(byte)) {
      this.mode = "over";
      return at;
    }
    return -1;
  }

  /** A copy: the chunk's buffer may be used again. */
  private hold(piece: Uint8Array): void {
    this.held.push(piece.slice());
    this.heldBytes += piece.length;
    if (this.heldBytes > this.limit) throw this.refuse(`an element is longer than ${this.limit} bytes`);
  }

  private take(end: number): string {
    const last = this.chunk.subarray(this.start, end);
    const data = this.held.length === 0 ? last : joinedBytes([...this.held, last]);
    this.start = -1;
    this.held = [];
    this.heldBytes = 0;
    const text = utf8Text(data);
    if (text === undefined) throw this.refuse("the text is not valid UTF-8");
    return text;
  }
}
