/** Prompt templates as trees (language.md §24.1). */
import {
  type TemplateExpression,
  TemplateMistake,
  TemplateReader,
  type TemplateToken,
  templateTokens,
} from "./template-expression.ts";

export interface TemplatePlace {
  readonly line: number;
  readonly column: number;
}

export type TemplateNode =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "value"; readonly at: TemplatePlace; readonly expression: TemplateExpression }
  | {
      readonly kind: "if";
      readonly at: TemplatePlace;
      readonly branches: readonly TemplateBranch[];
      readonly otherwise: readonly TemplateNode[];
    }
  | {
      readonly kind: "for";
      readonly at: TemplatePlace;
      readonly names: readonly string[];
      readonly over: TemplateExpression;
      readonly body: readonly TemplateNode[];
      readonly otherwise: readonly TemplateNode[];
    }
  | {
      readonly kind: "include";
      readonly at: TemplatePlace;
      readonly path: TemplateExpression;
      readonly bindings: readonly (readonly [string, TemplateExpression])[];
    };

export interface TemplateBranch {
  readonly at: TemplatePlace;
  readonly condition: TemplateExpression;
  readonly body: readonly TemplateNode[];
}

/** A mistake at a place. */
export class TemplateError {
  readonly at: TemplatePlace;
  readonly message: string;
  constructor(at: TemplatePlace, message: string) {
    this.at = at;
    this.message = message;
  }
}

/** Runs what may find a mistake and says where it was. */
export function located<T>(at: TemplatePlace, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw error instanceof TemplateMistake ? new TemplateError(at, error.message) : error;
  }
}

interface TemplatePiece {
  readonly kind: "text" | "directive";
  readonly text: string;
  readonly at: TemplatePlace;
}

const trimTextStart = (text: string): string => text.replace(/^[ \t]*(\r?\n)?/, "");
/** A loop, because a pattern for the end would try every run of blanks. */
function trimTextEnd(text: string): string {
  let end = text.length;
  while (text[end - 1] === " " || text[end - 1] === "\t") end -= 1;
  if (text[end - 1] === "\n") end -= text[end - 2] === "\r" ? 2 : 1;
  return text.slice(0, end);
}

/** Cuts a template into texts and directives; comments and raw blocks are done here. */
class Cutter {
  private readonly text: string;
  private readonly pieces: TemplatePiece[] = [];
  private pending = "";
  private trimNext = false;
  private line = 1;
  private lineStart = 0;
  private counted = 0;

  constructor(text: string) {
    this.text = text;
  }

  cut(): TemplatePiece[] {
    let at = 0;
    for (;;) {
      const open = this.text.indexOf("{{", at);
      this.addText(this.text.slice(at, open < 0 ? this.text.length : open));
      if (open < 0) break;
      at = this.directive(open);
    }
    this.flush();
    return this.pieces;
  }

  private place(offset: number): TemplatePlace {
    for (; this.counted < offset; this.counted++) {
      if (this.text.charCodeAt(this.counted) !== 10) continue;
      this.line += 1;
      this.lineStart = this.counted + 1;
    }
    return { line: this.line, column: offset - this.lineStart + 1 };
  }

  private addText(text: string): void {
    this.pending += this.trimNext ? trimTextStart(text) : text;
    this.trimNext = false;
  }

  private flush(): void {
    if (this.pending !== "")
      this.pieces.push({ kind: "text", text: this.pending, at: this.place(this.counted) });
    this.pending = "";
  }

  /** Takes the directive at `open`; gives the offset after it. */
  private directive(open: number): number {
    const at = this.place(open);
    let start = open + 2;
    if (this.text[start] === "-") {
      this.pending = trimTextEnd(this.pending);
      start += 1;
    }
    if (this.text[start] === "#") {
      const end = this.text.indexOf("#}}", start);
      if (end < 0) throw new TemplateError(at, "unterminated comment");
      return end + 3;
    }
    const end = this.close(start, at);
    const trims = this.text[end - 1] === "-" && end - 1 >= start;
    const inner = this.text.slice(start, trims ? end - 1 : end).trim();
    this.trimNext = trims;
    if (inner === "raw") return this.raw(end + 2, at);
    this.flush();
    this.pieces.push({ kind: "directive", text: inner, at });
    return end + 2;
  }

  /** Where `}}` stands, strings skipped. */
  private close(start: number, at: TemplatePlace): number {
    let quote = "";
    for (let i = start; i < this.text.length; i++) {
      const char = this.text[i] as string;
      if (quote !== "") {
        if (char === "\\") i += 1;
        else if (char === quote) quote = "";
      } else if (char === '"' || char === "'") quote = char;
      else if (char === "}" && this.text[i + 1] === "}" && this.text[i + 2] !== "}") return i;
    }
    throw new TemplateError(at, "unterminated directive");
  }

  private raw(start: number, at: TemplatePlace): number {
    const end = /\{\{(-?)\s*endraw\s*(-?)\}\}/g;
    end.lastIndex = start;
    const found = end.exec(this.text);
    if (found === null) throw new TemplateError(at, "unterminated `{{ raw }}` block");
    const content = this.text.slice(start, found.index);
    this.addText(found[1] === "-" ? trimTextEnd(content) : content);
    this.trimNext = found[2] === "-";
    return end.lastIndex;
  }
}

/** The tree of a template. Throws a `TemplateError`. */
export function parseTemplate(text: string): TemplateNode[] {
  const parser = new Parser(new Cutter(text).cut());
  const nodes = parser.nodes();
  const stray = parser.stop();
  if (stray !== undefined) throw new TemplateError(stray.at, `unexpected \`{{ ${firstWord(stray.text)} }}\``);
  return nodes;
}

const firstWord = (text: string): string => /^[A-Za-z_]*/.exec(text)?.[0] ?? "";
const stops: ReadonlySet<string> = new Set(["elif", "else", "end"]);

class Parser {
  private readonly pieces: readonly TemplatePiece[];
  private at = 0;

  constructor(pieces: readonly TemplatePiece[]) {
    this.pieces = pieces;
  }

  /** The directive that ended the last `nodes()`. */
  stop(): TemplatePiece | undefined {
    return this.pieces[this.at];
  }

  /** Up to the end, or to an `elif`, `else` or `end`. */
  nodes(): TemplateNode[] {
    const nodes: TemplateNode[] = [];
    for (let piece = this.pieces[this.at]; piece !== undefined; piece = this.pieces[this.at]) {
      if (piece.kind === "text") nodes.push({ kind: "text", text: piece.text });
      else if (stops.has(firstWord(piece.text)) && !isPlainValue(piece.text)) return nodes;
      else nodes.push(this.directive(piece));
      this.at += 1;
    }
    return nodes;
  }

  private directive(piece: TemplatePiece): TemplateNode {
    const tokens = located(piece.at, () => templateTokens(piece.text));
    const reader = new TemplateReader(tokens.slice(1));
    const [first, second] = tokens;
    const starts = (word: string): boolean =>
      first?.kind === "name" && first.text === word && !continuesPath(second);
    if (starts("if")) return this.condition(piece, reader);
    if (starts("for")) return this.loop(piece, reader);
    if (starts("include")) return include(piece, reader);
    const expression = located(piece.at, () => new TemplateReader(tokens).whole());
    return { kind: "value", at: piece.at, expression };
  }

  private condition(piece: TemplatePiece, reader: TemplateReader): TemplateNode {
    const branches: TemplateBranch[] = [];
    let condition = located(piece.at, () => reader.whole());
    let at = piece.at;
    for (;;) {
      this.at += 1;
      branches.push({ at, condition, body: this.nodes() });
      const stop = this.stop();
      if (stop === undefined) throw new TemplateError(piece.at, "`{{ if }}` missing matching `{{ end }}`");
      const word = firstWord(stop.text);
      if (word === "end") return { kind: "if", at: piece.at, branches, otherwise: [] };
      if (word === "else") return { kind: "if", at: piece.at, branches, otherwise: this.otherwise(stop) };
      at = stop.at;
      condition = located(at, () => new TemplateReader(templateTokens(stop.text).slice(1)).whole());
    }
  }

  /** The nodes between `else` and `end`. */
  private otherwise(start: TemplatePiece): TemplateNode[] {
    this.at += 1;
    const nodes = this.nodes();
    const stop = this.stop();
    if (stop === undefined) throw new TemplateError(start.at, "`{{ else }}` missing matching `{{ end }}`");
    if (firstWord(stop.text) !== "end") {
      throw new TemplateError(stop.at, `unexpected \`{{ ${firstWord(stop.text)} }}\``);
    }
    return nodes;
  }

  private loop(piece: TemplatePiece, reader: TemplateReader): TemplateNode {
    const { names, over } = located(piece.at, () => loopHead(reader));
    this.at += 1;
    const body = this.nodes();
    const stop = this.stop();
    if (stop === undefined) throw new TemplateError(piece.at, "`{{ for }}` missing matching `{{ end }}`");
    const word = firstWord(stop.text);
    if (word === "elif") throw new TemplateError(stop.at, "unexpected `{{ elif }}`");
    return {
      kind: "for",
      at: piece.at,
      names,
      over,
      body,
      otherwise: word === "else" ? this.otherwise(stop) : [],
    };
  }
}

/** `end.x` or `else | upper` speak of a variable of that name. */
function isPlainValue(text: string): boolean {
  return /^[A-Za-z_]+\s*[.[|]/.test(text);
}

function continuesPath(token: TemplateToken | undefined): boolean {
  return token?.kind === "symbol" && [".", "|", "==", "!="].includes(token.text);
}

function loopHead(reader: TemplateReader): { names: string[]; over: TemplateExpression } {
  const first = reader.take("name");
  if (first === undefined) throw new TemplateMistake("invalid for-loop variable");
  const names = [first.text];
  if (reader.take("symbol", ",") !== undefined) {
    const second = reader.take("name");
    if (second === undefined) throw new TemplateMistake("invalid for-loop variables");
    names.push(second.text);
  }
  if (reader.take("name", "in") === undefined) throw new TemplateMistake("expected `in` in for-loop");
  return { names, over: reader.whole() };
}

function include(piece: TemplatePiece, reader: TemplateReader): TemplateNode {
  return located(piece.at, () => {
    const path = reader.filtered();
    const bindings: (readonly [string, TemplateExpression])[] = [];
    if (reader.take("name", "with") !== undefined) {
      if (reader.take("symbol", "{") === undefined)
        throw new TemplateMistake("expected `{ ... }` after `with`");
      while (reader.take("symbol", "}") === undefined) {
        const key = reader.take("name") ?? reader.take("string");
        if (key === undefined) throw new TemplateMistake("invalid include binding key");
        if (reader.take("symbol", ":") === undefined) {
          throw new TemplateMistake("expected `key: value` in include bindings");
        }
        bindings.push([key.text, reader.filtered()]);
        if (reader.take("symbol", ",") === undefined && reader.next.text !== "}") {
          throw new TemplateMistake("expected `key: value` in include bindings");
        }
      }
    }
    reader.done();
    return { kind: "include", at: piece.at, path, bindings };
  });
}
