/**
 * Reads the argument literal of a text tool call (agents.md §7.2) and turns it into strict JSON text.
 *
 * Models write JSON, JavaScript objects, a bit of Python and heredocs; what comes out is one JSON text, so that values
 * are made by `JSON.parse` alone (a key `__proto__` is just a key) and `5.0` stays apart from `5`.
 *
 * Time: one pass. An attempt that fails costs what it read, and all attempts on one answer draw on one budget
 * (`ScanBudget`), so that a megabyte of garbage full of half-open calls stays linear.
 */

/** How much text all failed attempts on one answer may read together. */
export class ScanBudget {
  private left: number;
  constructor(textLength: number) {
    this.left = textLength * 8 + 4096;
  }
  get exhausted(): boolean {
    return this.left <= 0;
  }
  spend(characters: number): void {
    this.left -= characters;
  }
}

export type LiteralResult =
  | { readonly ok: true; readonly json: string; readonly end: number }
  | { readonly ok: false; readonly reason: string; readonly at: number; readonly truncated: boolean };

/** Deeper literals are refused: they are never meant, and recursion must end. */
const maxDepth = 200;

const identifier = /[A-Za-z_$][\w$]*/y;
const numberForm = /[+-]?(?:0[xX][0-9a-fA-F]+|(?:\d[\d_]*)?\.?\d[\d_]*\.?(?:[eE][+-]?\d+)?)/y;
const heredocOpen = /<<-?\s*(["']?)([A-Za-z_]\w*)\1[ \t]*\r?\n/y;

/** Reads the object or list literal that begins at `at`. */
export function parseLiteral(text: string, at: number, budget: ScanBudget): LiteralResult {
  const reader = new LiteralReader(text, at);
  try {
    reader.value(0);
    return { ok: true, json: reader.out.join(""), end: reader.pos };
  } catch (failure) {
    if (!(failure instanceof LiteralFailure)) throw failure;
    budget.spend(Math.max(reader.pos, failure.at) - at);
    return { ok: false, reason: failure.reason, at: failure.at, truncated: failure.truncated };
  }
}

class LiteralFailure {
  readonly reason: string;
  readonly at: number;
  readonly truncated: boolean;
  constructor(reason: string, at: number, truncated: boolean) {
    this.reason = reason;
    this.at = at;
    this.truncated = truncated;
  }
}

class LiteralReader {
  readonly out: string[] = [];
  readonly text: string;
  pos: number;

  constructor(text: string, pos: number) {
    this.text = text;
    this.pos = pos;
  }

  value(depth: number): void {
    if (depth > maxDepth) this.fail(`literal nested deeper than ${maxDepth} levels`);
    this.blanks();
    const c = this.text[this.pos];
    if (c === undefined) this.cutOff("a value");
    if (c === "{") this.object(depth);
    else if (c === "[") this.list(depth);
    else if (c === '"' || c === "'" || c === "`") this.out.push(JSON.stringify(this.string(c)));
    else if (c === "<") this.out.push(JSON.stringify(this.heredoc()));
    else if ((c >= "0" && c <= "9") || c === "-" || c === "+" || c === ".") this.number();
    else this.word();
  }

  private object(depth: number): void {
    this.pos++;
    this.out.push("{");
    let first = true;
    for (;;) {
      this.blanks();
      if (this.take("}")) break;
      if (this.pos >= this.text.length) this.cutOff("`}`");
      if (!first) this.out.push(",");
      first = false;
      this.out.push(JSON.stringify(this.key()));
      this.blanks();
      if (!this.take(":") && !this.take("=")) this.expected("`:` after a key");
      this.out.push(":");
      this.value(depth + 1);
      this.blanks();
      if (this.take(",") || this.take(";")) continue;
      if (this.take("}")) break;
      this.expected("`,` or `}`");
    }
    this.out.push("}");
  }

  private list(depth: number): void {
    this.pos++;
    this.out.push("[");
    let first = true;
    for (;;) {
      this.blanks();
      if (this.take("]")) break;
      if (this.pos >= this.text.length) this.cutOff("`]`");
      if (!first) this.out.push(",");
      first = false;
      this.value(depth + 1);
      this.blanks();
      if (this.take(",")) continue;
      if (this.take("]")) break;
      this.expected("`,` or `]`");
    }
    this.out.push("]");
  }

  private key(): string {
    const c = this.text[this.pos];
    if (c === '"' || c === "'" || c === "`") return this.string(c);
    identifier.lastIndex = this.pos;
    const word = identifier.exec(this.text)?.[0];
    if (word !== undefined) {
      this.pos += word.length;
      // `content-type: …`: a dash inside a bare key can't mean anything else.
      while (this.text[this.pos] === "-" && /[\w]/.test(this.text[this.pos + 1] ?? "")) {
        const from = this.pos++;
        while (/[\w$-]/.test(this.text[this.pos] ?? "")) this.pos++;
        return word + this.text.slice(from, this.pos);
      }
      return word;
    }
    const digits = /\d+/y;
    digits.lastIndex = this.pos;
    const number = digits.exec(this.text)?.[0];
    if (number === undefined) this.expected("a key");
    this.pos += number.length;
    return number;
  }

  private string(quote: string): string {
    const start = this.pos++;
    const parts: string[] = [];
    let from = this.pos;
    for (;;) {
      const c = this.text.charCodeAt(this.pos);
      if (Number.isNaN(c)) throw new LiteralFailure("unterminated string literal", start, true);
      if (c === 92) {
        parts.push(this.text.slice(from, this.pos));
        parts.push(this.escape());
        from = this.pos;
      } else if (this.text[this.pos] === quote) {
        parts.push(this.text.slice(from, this.pos++));
        return parts.join("");
      } else this.pos++;
    }
  }

  private escape(): string {
    const c = this.text[this.pos + 1];
    this.pos += 2;
    const simple = c === undefined ? undefined : escapes.get(c);
    if (simple !== undefined) return simple;
    if (c === "\r" && this.text[this.pos] === "\n") this.pos++;
    if (c === "\n" || c === "\r" || c === undefined) return "";
    const hex =
      c === "x" ? /[0-9a-fA-F]{2}/y : c === "u" ? /[0-9a-fA-F]{4}|\{([0-9a-fA-F]{1,6})\}/y : undefined;
    if (hex === undefined) return c;
    hex.lastIndex = this.pos;
    const found = hex.exec(this.text);
    if (found === null) return c;
    this.pos += found[0].length;
    const code = Number.parseInt(found[1] ?? found[0], 16);
    return code > 0x10ffff
      ? "\ufffd"
      : found[1] === undefined
        ? String.fromCharCode(code)
        : String.fromCodePoint(code);
  }

  private heredoc(): string {
    heredocOpen.lastIndex = this.pos;
    const open = heredocOpen.exec(this.text);
    if (open === null) this.expected("a value");
    const tag = open[2] as string;
    const body = this.pos + open[0].length;
    let line = body;
    for (;;) {
      const eol = this.text.indexOf("\n", line);
      const end = eol === -1 ? this.text.length : eol;
      const after = this.closesHeredoc(line, end, tag);
      if (after !== -1) {
        this.pos = after;
        if (line === body) return "";
        const last = this.text[line - 2] === "\r" ? line - 2 : line - 1;
        return this.text.slice(body, last);
      }
      if (eol === -1) {
        this.pos = this.text.length;
        throw new LiteralFailure(`unterminated heredoc <<${tag}`, body, true);
      }
      line = eol + 1;
    }
  }

  /** The position after the closing tag when this line is one, else -1. */
  private closesHeredoc(line: number, end: number, tag: string): number {
    let at = line;
    while (at < end && (this.text[at] === " " || this.text[at] === "\t")) at++;
    if (!this.text.startsWith(tag, at)) return -1;
    const after = at + tag.length;
    // `EOF`, `EOF,`, `EOF })`: what follows must be able to follow a value.
    let next = after;
    while (next < end && (this.text[next] === " " || this.text[next] === "\t" || this.text[next] === "\r"))
      next++;
    return next >= end || ",;}])".includes(this.text[next] as string) ? after : -1;
  }

  private number(): void {
    numberForm.lastIndex = this.pos;
    const found = numberForm.exec(this.text)?.[0];
    if (found === undefined || found === "" || /[\w$.]/.test(this.text[this.pos + found.length] ?? "")) {
      this.fail("invalid number");
    }
    this.pos += found.length;
    this.out.push(jsonNumber(found));
  }

  private word(): void {
    identifier.lastIndex = this.pos;
    const word = identifier.exec(this.text)?.[0];
    if (word === undefined) this.fail(`unexpected character ${JSON.stringify(this.text[this.pos])}`);
    const meaning = words.get(word);
    if (meaning === undefined) this.fail(`unexpected word \`${word.slice(0, 40)}\`; strings need quotes`);
    this.pos += word.length;
    this.out.push(meaning);
  }

  /** Blanks and comments. */
  blanks(): void {
    for (;;) {
      const c = this.text[this.pos];
      if (c === " " || c === "\n" || c === "\t" || c === "\r" || c === "\ufeff" || c === "\u00a0") this.pos++;
      else if (c === "/" && this.text[this.pos + 1] === "/") {
        const eol = this.text.indexOf("\n", this.pos);
        this.pos = eol === -1 ? this.text.length : eol;
      } else if (c === "/" && this.text[this.pos + 1] === "*") {
        const close = this.text.indexOf("*/", this.pos + 2);
        if (close === -1) {
          const start = this.pos;
          this.pos = this.text.length;
          throw new LiteralFailure("unterminated comment", start, true);
        }
        this.pos = close + 2;
      } else return;
    }
  }

  private take(c: string): boolean {
    if (this.text[this.pos] !== c) return false;
    this.pos++;
    return true;
  }

  private fail(reason: string): never {
    throw new LiteralFailure(reason, this.pos, false);
  }
  private expected(what: string): never {
    const got = this.text[this.pos];
    if (got === undefined) this.cutOff(what);
    this.fail(`expected ${what}, got ${JSON.stringify(got)}`);
  }
  private cutOff(what: string): never {
    throw new LiteralFailure(`the text ends where ${what} should follow`, this.pos, true);
  }
}

const escapes = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["b", "\b"],
  ["f", "\f"],
  ["v", "\v"],
  ["0", "\0"],
]);

const words = new Map([
  ["true", "true"],
  ["false", "false"],
  ["null", "null"],
  ["undefined", "null"],
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
  ["nil", "null"],
]);

/** JavaScript's number forms in JSON's. */
function jsonNumber(source: string): string {
  const text = source.replaceAll("_", "");
  const sign = text[0] === "-" ? "-" : "";
  const digits = text[0] === "-" || text[0] === "+" ? text.slice(1) : text;
  if (/^0[xX]/.test(digits)) return sign + BigInt(digits).toString();
  let plain = digits.startsWith(".") ? `0${digits}` : digits;
  plain = plain.replace(/\.(?=$|[eE])/, ".0").replace(/^0+(?=\d)/, "");
  return sign + plain;
}
