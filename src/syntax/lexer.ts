/**
 * Text to tokens. Hand-written: it is the first thing that runs on every script, it keeps string holes in the same
 * token stream (so the parser sees them with their true offsets), and it decides which line ends are tokens.
 *
 * Invariants: always ends, never throws on any text; tokens are in source order and do not overlap; every opening
 * bracket knows its partner; after an error the text goes on at the next plausible place, so one bad character does
 * not hide what follows. Brackets (and string holes) nest less than 256 deep: a later stage may recurse on them.
 */

import type { TokenType } from "chevrotain";
import { type Diagnostic, diagnostic } from "../diagnostics/index.ts";
import type { SourceFile, Span } from "../source/index.ts";
import { separates } from "./layout.ts";
import { dedent, unescapeText } from "./string-text.ts";
import { type BracketInfo, punctuationTokens, T, Token, type TokenValue, words } from "./tokens.ts";

/** Brackets nested this deep are an error. */
const NESTING_LIMIT = 256;
/** Enough to show what is wrong; a damaged file does not need ten thousand messages. */
const maxErrors = 20;

export interface Comment extends Span {
  readonly kind: "line" | "block" | "doc";
}

export interface LexResult {
  readonly tokens: Token[];
  readonly comments: readonly Comment[];
  /** Documentation text by the start offset of the token that it stands above. */
  readonly docs: ReadonlyMap<number, string>;
  readonly errors: readonly Diagnostic[];
  /** The deepest bracket nesting met. */
  readonly depth: number;
}

/** Splits a source into tokens. */
export function tokenize(source: SourceFile): LexResult {
  return new Lexer(source).run();
}

// Character classes of the first 128 code units.
const OTHER = 0;
const BLANK = 1;
const LETTER = 2;
const DIGIT = 3;
const classes = new Uint8Array(128);
for (let c = 0; c < 128; c++) {
  const char = String.fromCharCode(c);
  if (/[ \t\r]/.test(char)) classes[c] = BLANK;
  else if (/[A-Za-z_]/.test(char)) classes[c] = LETTER;
  else if (/[0-9]/.test(char)) classes[c] = DIGIT;
}
const LETTER_START = /\p{Alphabetic}/u;
const LETTER_PART = /[\p{Alphabetic}\p{N}]/u;

/** Operators and punctuation by first character code, longest first. */
const punctuationByCode: TokenType[][] = [];
for (const type of punctuationTokens) {
  const code = type.LABEL!.charCodeAt(0);
  punctuationByCode[code] ??= [];
  punctuationByCode[code].push(type);
}

const UNITS = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
  ["w", 604_800_000],
]);
const maxInt = 9223372036854775807n;

const NL = 10;
const QUOTE = 34;
const HASH = 35;
const DOLLAR = 36;
const STAR = 42;
const SLASH = 47;
const BACKSLASH = 92;
const LCURLY = 123;
const RCURLY = 125;

const CHAR_HELP = new Map([
  ["'", 'strings are written with double quotes: `"text"`'],
  ["`", 'strings are written with double quotes: `"text"`'],
  ["“", 'this is a typographic quote; strings are written with `"`'],
  ["”", 'this is a typographic quote; strings are written with `"`'],
  ["#", "comments begin with `//`"],
  ["\u00a0", "this is a no-break space; replace it with an ordinary one"],
  ["^", "power is written `**`"],
  ["\\", "a backslash joins lines only when it is the last character of its line"],
]);

interface OpenBracket {
  readonly closer: TokenType;
  readonly info: BracketInfo;
  /** The string whose hole this is. */
  readonly hole: boolean;
}

/** A string in progress: where it began, its texts so far, and the tokens that wait for them. */
interface OpenString {
  readonly start: number;
  readonly triple: boolean;
  readonly texts: string[];
  readonly tokens: Token[];
}

class Lexer {
  private readonly source: SourceFile;
  private readonly text: string;
  private at = 0;
  private readonly tokens: Token[] = [];
  private readonly comments: Comment[] = [];
  private readonly docs = new Map<number, string>();
  private readonly errors: Diagnostic[] = [];
  private readonly brackets: OpenBracket[] = [];
  private readonly strings: OpenString[] = [];
  private maxDepth = 0;
  /** Offset of a line end not yet known to be a token; -1 when there is none. */
  private lineEnd = -1;
  private lineEnds = 0;
  private readonly reported = new Set<string>();
  /** Documentation seen since the last token. */
  private doc: string[] = [];
  private docLine = 0;

  constructor(source: SourceFile) {
    this.source = source;
    this.text = source.text;
  }

  run(): LexResult {
    const nul = this.text.indexOf("\0");
    if (nul >= 0)
      this.errors.push(diagnostic("HARN-PAR-008", this.source, span(nul, nul + 1), { at: this.where(nul) }));
    else this.scan();
    return {
      tokens: this.tokens,
      comments: this.comments,
      docs: this.docs,
      errors: this.errors,
      depth: this.maxDepth,
    };
  }

  /** The main loop: one token, comment or run of blanks each time round. */
  private scan(): void {
    this.skipHead();
    const { text } = this;
    const end = text.length;
    while (this.at < end) {
      const code = text.charCodeAt(this.at);
      const kind = code < 128 ? classes[code]! : OTHER;
      if (kind === BLANK) this.at++;
      else if (kind === LETTER) this.word();
      else if (code === NL) this.newline();
      else if (kind === DIGIT) this.number();
      else if (code === QUOTE) this.openString();
      else if (code === SLASH && this.comment()) continue;
      else if (code === BACKSLASH && this.joinedLine()) continue;
      else this.punctuation(code);
      if (this.errors.length >= maxErrors) return;
    }
    const open = this.strings.at(-1);
    if (open !== undefined) this.unterminated(open);
  }

  /** A byte order mark and a `#!` line. */
  private skipHead(): void {
    if (this.text.charCodeAt(0) === 0xfeff) this.at = 1;
    if (!this.text.startsWith("#!", this.at)) return;
    const end = this.text.indexOf("\n", this.at);
    this.at = end < 0 ? this.text.length : end;
  }

  // ------------------------------------------------------------- tokens

  private push(type: TokenType, image: string, start: number, end: number, value?: TokenValue): Token {
    const { tokens } = this;
    if (this.lineEnd >= 0) {
      const previous = tokens.length;
      if (previous > 0 && separates(tokens[previous - 1]!.tokenTypeIdx, type.tokenTypeIdx!)) {
        tokens.push(new Token(T.Newline, "\n", this.lineEnd, this.lineEnd, undefined));
      }
      this.lineEnd = -1;
    }
    if (this.doc.length > 0) this.attachDoc(start);
    const token = new Token(type, image, start, end - 1, value);
    tokens.push(token);
    this.at = end;
    return token;
  }

  private newline(): void {
    const open = this.strings.at(-1);
    if (open !== undefined && !open.triple) {
      this.unterminated(open);
      return;
    }
    if (this.lineEnd < 0) this.lineEnd = this.at;
    this.lineEnds++;
    this.at++;
  }

  private joinedLine(): boolean {
    const length = this.text.startsWith("\r\n", this.at + 1) ? 3 : 2;
    if (this.text.charCodeAt(this.at + length - 1) !== NL) return false;
    this.at += length;
    this.lineEnds++;
    return true;
  }

  private word(): void {
    const { text } = this;
    const start = this.at;
    let end = start + 1;
    for (;;) {
      const code = text.charCodeAt(end);
      if (code < 128) {
        if (classes[code]! < LETTER) break;
        end++;
      } else {
        const length = this.letterAt(end, LETTER_PART);
        if (length === 0) break;
        end += length;
      }
    }
    const image = text.slice(start, end);
    if (image === "r" && this.rawString(start, end)) return;
    this.push(words.get(image) ?? T.Identifier, image, start, end);
  }

  /** Length of the letter at an offset, 0 when there is none (also at the end: `charCodeAt` gives NaN there). */
  private letterAt(offset: number, pattern: RegExp): number {
    const code = this.text.codePointAt(offset);
    if (code === undefined || code < 128) return 0;
    const char = String.fromCodePoint(code);
    return pattern.test(char) ? char.length : 0;
  }

  private digitsFrom(offset: number): number {
    let end = offset;
    while (classes[this.text.charCodeAt(end)] === DIGIT) end++;
    return end;
  }

  private number(): void {
    const { text } = this;
    const start = this.at;
    let end = this.digitsFrom(start);
    if (text.charCodeAt(end) === 46 && classes[text.charCodeAt(end + 1)] === DIGIT) {
      end = this.digitsFrom(end + 1);
      const image = text.slice(start, end);
      this.push(T.Float, image, start, end, Number(image));
      return;
    }
    const unit = this.unitAt(end);
    const digits = text.slice(start, end);
    if (unit === "") this.integer(digits, start, end);
    else this.duration(digits, unit, start, end + unit.length);
  }

  /** The duration unit directly at an offset, "" when a longer word or no unit stands there. */
  private unitAt(offset: number): string {
    let end = offset;
    while (end < offset + 3 && classes[this.text.charCodeAt(end)] === LETTER) end++;
    const unit = this.text.slice(offset, end);
    const next = this.text.charCodeAt(end);
    const continues = next < 128 ? classes[next]! >= LETTER : this.letterAt(end, LETTER_PART) > 0;
    return UNITS.has(unit) && !continues ? unit : "";
  }

  private integer(digits: string, start: number, end: number): void {
    let value: number | bigint = Number(digits);
    if (!Number.isSafeInteger(value)) {
      value = digits.length > 400 ? maxInt + 1n : BigInt(digits);
      if (value > maxInt) {
        const shown = digits.length > 60 ? `${digits.slice(0, 60)}…` : digits;
        this.report(
          diagnostic("HARN-PAR-006", this.source, span(start, end), { text: shown, at: this.where(start) }),
        );
        value = 0;
      }
    }
    this.push(T.Int, digits, start, end, value);
  }

  private duration(digits: string, unit: string, start: number, end: number): void {
    let ms = Number(digits) * UNITS.get(unit)!;
    if (ms > Number.MAX_SAFE_INTEGER) {
      const line = this.source.line(start);
      this.report(diagnostic("HARN-PAR-007", this.source, span(start, end), { line }));
      ms = 0;
    }
    this.push(T.Duration, this.text.slice(start, end), start, end, ms);
  }

  private punctuation(code: number): void {
    if (code === RCURLY && this.strings.length > 0 && this.endsHole()) {
      this.closeHole();
      return;
    }
    for (const type of punctuationByCode[code] ?? []) {
      const image = type.LABEL!;
      if (!this.text.startsWith(image, this.at)) continue;
      this.pushPunctuation(type, image);
      return;
    }
    if (code >= 128) {
      const length = this.letterAt(this.at, LETTER_START);
      if (length > 0) {
        this.word();
        return;
      }
    }
    this.unexpected();
  }

  private pushPunctuation(type: TokenType, image: string): void {
    const start = this.at;
    const token = this.push(type, image, start, start + image.length);
    if (type === T.LCurly) this.open(token, T.RCurly);
    else if (type === T.LParen) this.open(token, T.RParen);
    else if (type === T.LSquare) this.open(token, T.RSquare);
    else if (type === T.RCurly || type === T.RParen || type === T.RSquare) this.close(type);
    else if (type === T.Arrow) {
      const around = this.brackets.at(-1);
      if (around !== undefined) around.info.arrow = true;
    }
  }

  /** A character that begins nothing; each is reported once. */
  private unexpected(): void {
    const start = this.at;
    const char = String.fromCodePoint(this.text.codePointAt(start)!);
    const end = start + char.length;
    const shown = /^[\ud800-\udfff]$/.test(char) ? `\\u{${char.charCodeAt(0).toString(16)}}` : char;
    if (!this.reported.has(char)) {
      this.reported.add(char);
      const params = { char: shown, at: this.where(start), help: CHAR_HELP.get(char) };
      this.report(diagnostic("HARN-PAR-003", this.source, span(start, end), params));
    }
    this.at = end;
    while (this.text.startsWith(char, this.at)) this.at += char.length;
  }

  // ----------------------------------------------------------- brackets

  private open(token: Token, closer: TokenType, hole = false): void {
    const info: BracketInfo = { close: -1, arrow: false };
    token.value = info;
    this.nest({ closer, info, hole }, token.startOffset);
  }

  private nest(bracket: OpenBracket, offset: number): void {
    this.brackets.push(bracket);
    if (this.brackets.length <= this.maxDepth) return;
    this.maxDepth = this.brackets.length;
    if (this.maxDepth < NESTING_LIMIT) return;
    this.report(
      diagnostic("HARN-PAR-009", this.source, span(offset, offset + 1), {
        limit: NESTING_LIMIT,
        at: this.where(offset),
      }),
    );
    // Nothing after this can be judged: stop here with this one error.
    this.strings.length = 0;
    this.at = this.text.length;
  }

  /** Closes the nearest bracket that this character can close; a stray closer is left to the parser. */
  private close(closer: TokenType): void {
    for (let i = this.brackets.length - 1; i >= 0; i--) {
      const bracket = this.brackets[i]!;
      if (bracket.hole) return;
      if (bracket.closer !== closer) continue;
      bracket.info.close = this.tokens.length - 1;
      this.brackets.length = i;
      return;
    }
  }

  // ------------------------------------------------------------ strings

  /** `r"…"` and `r#"…"#`; false when the `r` is an ordinary name. */
  private rawString(start: number, offset: number): boolean {
    let quote = offset;
    while (this.text.charCodeAt(quote) === HASH) quote++;
    if (this.text.charCodeAt(quote) !== QUOTE) return false;
    const closer = `"${"#".repeat(quote - offset)}`;
    const lineEnd = this.text.indexOf("\n", quote);
    const limit = lineEnd < 0 ? this.text.length : lineEnd;
    const close = this.text.indexOf(closer, quote + 1);
    const closed = close >= 0 && close < limit;
    const contentEnd = closed ? close : limit;
    if (!closed) this.reportString(start, contentEnd, closer);
    const end = closed ? close + closer.length : limit;
    this.push(T.RawStr, this.text.slice(start, end), start, end, this.text.slice(quote + 1, contentEnd));
    return true;
  }

  private openString(): void {
    const start = this.at;
    const triple = this.text.startsWith('"""', start);
    this.at = start + (triple ? 3 : 1);
    this.stringText({ start, triple, texts: [], tokens: [] }, start);
  }

  /** Reads literal text up to the next hole or the closing quotes; `from` is where the token begins. */
  private stringText(string: OpenString, from: number): void {
    const { text } = this;
    const begin = this.at;
    let i = begin;
    for (; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === QUOTE && (!string.triple || text.startsWith('"""', i))) {
        this.closeString(string, from, text.slice(begin, i), i + (string.triple ? 3 : 1));
        return;
      }
      if (code === NL && !string.triple) break;
      if (code === BACKSLASH) {
        if (string.triple) i += text.startsWith("${", i + 1) ? 2 : 0;
        else if (text.charCodeAt(i + 1) !== NL && !text.startsWith("\r\n", i + 1)) i++;
      } else if (code === DOLLAR && text.charCodeAt(i + 1) === LCURLY) {
        this.openHole(string, from, text.slice(begin, i), i + 2);
        return;
      }
    }
    i = Math.min(i, text.length);
    const closer = string.triple ? '"""' : '"';
    this.reportString(string.start, string.triple ? string.start + 3 : i, closer);
    this.closeString(string, from, text.slice(begin, i), i);
  }

  private openHole(string: OpenString, from: number, content: string, end: number): void {
    string.texts.push(content);
    const type = string.tokens.length === 0 ? T.StrStart : T.StrMid;
    const token = this.push(type, "", from, end);
    string.tokens.push(token);
    this.strings.push(string);
    const info: BracketInfo = { close: -1, arrow: false };
    this.nest({ closer: T.StrEnd, info, hole: true }, end - 2);
  }

  /** Does a `}` here end the innermost hole? Other brackets left open inside it are dropped. */
  private endsHole(): boolean {
    const hole = this.brackets.findLastIndex((bracket) => bracket.hole || bracket.closer === T.RCurly);
    if (hole < 0 || !this.brackets[hole]!.hole) return false;
    this.brackets.length = hole + 1;
    return true;
  }

  /** At the `}` of a hole: the string's text goes on. */
  private closeHole(): void {
    const start = this.at;
    const string = this.strings.pop()!;
    this.brackets.pop();
    if (this.tokens.at(-1) === string.tokens.at(-1)) {
      this.report(
        diagnostic("HARN-PAR-003", this.source, span(start, start + 1), { char: "}", at: this.where(start) }),
      );
      this.push(T.Nil, "nil", start, start);
    }
    this.at = start + 1;
    this.stringText(string, start);
  }

  private closeString(string: OpenString, from: number, content: string, end: number): void {
    string.texts.push(content);
    const texts = string.triple ? dedent(string.texts) : string.texts.map(unescapeText);
    const type = string.tokens.length === 0 ? T.Str : T.StrEnd;
    string.tokens.push(this.push(type, "", from, end));
    for (let i = 0; i < texts.length; i++) string.tokens[i]!.value = texts[i];
  }

  /** A string whose hole never ends: report it, and close everything that was opened inside. */
  private unterminated(string: OpenString): void {
    const { at } = this;
    this.reportString(string.start, string.triple ? string.start + 3 : at, string.triple ? '"""' : '"');
    this.lineEnd = -1;
    const hole = this.brackets.findLastIndex((bracket) => bracket.hole);
    if (hole >= 0) this.brackets.length = hole;
    this.strings.pop();
    if (this.tokens.at(-1) === string.tokens.at(-1)) this.push(T.Nil, "nil", at, at);
    this.closeString(string, at, "", at);
  }

  private reportString(start: number, end: number, closer: string): void {
    this.report(
      diagnostic("HARN-PAR-004", this.source, span(start, Math.max(end, start + 1)), {
        closer,
        at: this.where(start),
      }),
    );
  }

  // ----------------------------------------------------------- comments

  /** At a `/`: skips a comment, or says that it is none. */
  private comment(): boolean {
    const next = this.text.charCodeAt(this.at + 1);
    if (next === SLASH) this.lineComment();
    else if (next === STAR) this.blockComment();
    else return false;
    return true;
  }

  private lineComment(): void {
    const start = this.at;
    const lineEnd = this.text.indexOf("\n", start);
    const end = lineEnd < 0 ? this.text.length : lineEnd;
    const isDoc = this.text.charCodeAt(start + 2) === SLASH && this.text.charCodeAt(start + 3) !== SLASH;
    this.comments.push({ kind: isDoc ? "doc" : "line", start, end });
    if (isDoc)
      this.addDoc(
        this.text
          .slice(start + 3, end)
          .replace(/^ /, "")
          .trimEnd(),
        0,
      );
    this.at = end;
  }

  private blockComment(): void {
    const start = this.at;
    const marks = /\/\*|\*\//g;
    marks.lastIndex = start + 2;
    let depth = 1;
    let nested = -1;
    while (depth > 0) {
      const mark = marks.exec(this.text);
      if (mark === null) {
        const isNested = nested >= 0;
        const opens = isNested ? nested : start;
        const facts = { at: this.where(start), isNested };
        this.report(diagnostic("HARN-PAR-005", this.source, span(opens, opens + 2), facts));
        this.at = this.text.length;
        return;
      }
      depth += mark[0] === "/*" ? 1 : -1;
      if (mark[0] === "/*" && nested < 0) nested = mark.index;
    }
    const end = marks.lastIndex;
    const isDoc =
      this.text.startsWith("/**", start) && end - start > 4 && this.text.charCodeAt(start + 3) !== STAR;
    this.comments.push({ kind: isDoc ? "doc" : "block", start, end });
    this.at = end;
    const breaks = countBreaks(this.text, start, end);
    if (isDoc) this.addDoc(blockDoc(this.text.slice(start + 3, end - 2)), breaks);
    else this.lineEnds += breaks;
  }

  /** Remembers documentation; a blank line before it starts afresh. `breaks` are the line ends inside. */
  private addDoc(text: string, breaks: number): void {
    if (this.doc.length > 0 && this.lineEnds > this.docLine + 1) this.doc = [];
    this.doc.push(text);
    this.lineEnds += breaks;
    this.docLine = this.lineEnds;
  }

  /** Gives the documentation to the token that follows it directly, and forgets it. */
  private attachDoc(offset: number): void {
    if (this.lineEnds <= this.docLine + 1) this.docs.set(offset, this.doc.join("\n"));
    this.doc = [];
  }

  // ------------------------------------------------------------- errors

  private report(error: Diagnostic): void {
    if (this.errors.length < maxErrors) this.errors.push(error);
  }

  private where(offset: number): string {
    const { line, column } = this.source.position(offset);
    return `${line}:${column}`;
  }
}

function span(start: number, end: number): Span {
  return { start, end };
}

function countBreaks(text: string, from: number, to: number): number {
  let count = 0;
  for (let i = text.indexOf("\n", from); i >= 0 && i < to; i = text.indexOf("\n", i + 1)) count++;
  return count;
}

/** The text of a `/** … end` comment: the stars at line starts and the empty first and last lines removed. */
function blockDoc(inner: string): string {
  return inner
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trim())
    .join("\n")
    .trim();
}
