/**
 * Expressions of prompt templates (language.md §24.2): a small language of its own, without arithmetic and calls.
 *
 *   filtered = or ('|' name (':' or (',' or)*)?)*       or  = and (('or' | '||') and)*
 *   and      = compare (('and' | '&&') compare)*         compare = unary (op unary)?      (not associative)
 *   unary    = ('not' | '!') unary | path                path = primary ('.' name | '[' int | string ']')*
 */
import { Float, type Value } from "../../values/index.ts";

export type TemplateExpression =
  | { readonly kind: "literal"; readonly value: Value }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "step"; readonly of: TemplateExpression; readonly key: string | number }
  | { readonly kind: "not"; readonly of: TemplateExpression }
  | {
      readonly kind: "compare";
      readonly operator: string;
      readonly left: TemplateExpression;
      readonly right: TemplateExpression;
    }
  | {
      readonly kind: "and" | "or";
      readonly left: TemplateExpression;
      readonly right: TemplateExpression;
    }
  | {
      readonly kind: "filter";
      readonly of: TemplateExpression;
      readonly name: string;
      readonly args: readonly TemplateExpression[];
    };

/** A mistake in a template; the caller knows where. */
export class TemplateMistake {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

export interface TemplateToken {
  readonly kind: "name" | "int" | "float" | "string" | "symbol" | "end";
  readonly text: string;
}

const endToken: TemplateToken = { kind: "end", text: "" };
const symbols = [
  "==",
  "!=",
  "<=",
  ">=",
  "&&",
  "||",
  "<",
  ">",
  "!",
  "|",
  ":",
  ",",
  ".",
  "[",
  "]",
  "(",
  ")",
  "{",
  "}",
];
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

function parseQuoted(text: string, start: number): { value: string; end: number } {
  const quote = text[start];
  let value = "";
  for (let i = start + 1; i < text.length; i++) {
    const char = text[i] as string;
    if (char === quote) return { value, end: i + 1 };
    if (char !== "\\") value += char;
    else {
      const escaped = text[++i] ?? "";
      value += escapes[escaped] ?? escaped;
    }
  }
  throw new TemplateMistake("unterminated string literal");
}

/** The tokens of one directive. */
export function templateTokens(text: string): TemplateToken[] {
  const tokens: TemplateToken[] = [];
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const blank = /^\s+/.exec(rest);
    const name = /^[A-Za-z_][A-Za-z0-9_]*/.exec(rest);
    const number = /^-?\d+(\.\d+)?/.exec(rest);
    const symbol = symbols.find((one) => rest.startsWith(one));
    if (blank !== null) at += blank[0].length;
    else if (rest[0] === '"' || rest[0] === "'") {
      const { value, end } = parseQuoted(text, at);
      tokens.push({ kind: "string", text: value });
      at = end;
    } else if (name !== null) {
      tokens.push({ kind: "name", text: name[0] });
      at += name[0].length;
    } else if (number !== null) {
      tokens.push({ kind: number[1] === undefined ? "int" : "float", text: number[0] });
      at += number[0].length;
    } else if (symbol !== undefined) {
      tokens.push({ kind: "symbol", text: symbol });
      at += symbol.length;
    } else if (rest[0] === "=") throw new TemplateMistake("unexpected `=` (use `==`)");
    else if (rest[0] === "&") throw new TemplateMistake("unexpected `&`");
    else
      throw new TemplateMistake(
        `unexpected character \`${String.fromCodePoint(rest.codePointAt(0) as number)}\` in expression`,
      );
  }
  return tokens;
}

const comparisons: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">="]);

export class TemplateReader {
  private readonly tokens: readonly TemplateToken[];
  private at = 0;

  constructor(tokens: readonly TemplateToken[]) {
    this.tokens = tokens;
  }

  get next(): TemplateToken {
    return this.tokens[this.at] ?? endToken;
  }

  take(kind: TemplateToken["kind"], text?: string): TemplateToken | undefined {
    const token = this.next;
    if (token.kind !== kind || (text !== undefined && token.text !== text)) return undefined;
    this.at += 1;
    return token;
  }

  private word(...texts: string[]): boolean {
    return texts.some(
      (text) => this.take("symbol", text) !== undefined || this.take("name", text) !== undefined,
    );
  }

  /** An expression that must be all that is left. */
  whole(): TemplateExpression {
    const expression = this.filtered();
    this.done();
    return expression;
  }

  done(): void {
    if (this.next.kind !== "end") throw new TemplateMistake(`unexpected \`${this.next.text}\` in expression`);
  }

  filtered(): TemplateExpression {
    let expression = this.or();
    while (this.take("symbol", "|") !== undefined) {
      const name = this.take("name");
      if (name === undefined) throw new TemplateMistake("expected filter name after `|`");
      const args: TemplateExpression[] = [];
      if (this.take("symbol", ":") !== undefined) {
        do args.push(this.or());
        while (this.take("symbol", ",") !== undefined);
      }
      expression = { kind: "filter", of: expression, name: name.text, args };
    }
    return expression;
  }

  or(): TemplateExpression {
    let left = this.and();
    while (this.word("or", "||")) left = { kind: "or", left, right: this.and() };
    return left;
  }

  private and(): TemplateExpression {
    let left = this.compare();
    while (this.word("and", "&&")) left = { kind: "and", left, right: this.compare() };
    return left;
  }

  private compare(): TemplateExpression {
    const left = this.unary();
    if (this.next.kind !== "symbol" || !comparisons.has(this.next.text)) return left;
    const operator = this.next.text;
    this.at += 1;
    return { kind: "compare", operator, left, right: this.unary() };
  }

  private unary(): TemplateExpression {
    return this.word("not", "!") ? { kind: "not", of: this.unary() } : this.path();
  }

  private path(): TemplateExpression {
    let expression = this.primary();
    for (;;) {
      if (this.take("symbol", ".") !== undefined) {
        const name = this.take("name") ?? this.take("int");
        if (name === undefined) throw new TemplateMistake("expected identifier after `.`");
        expression = {
          kind: "step",
          of: expression,
          key: name.kind === "int" ? Number(name.text) : name.text,
        };
      } else if (this.take("symbol", "[") !== undefined) {
        expression = { kind: "step", of: expression, key: this.index() };
      } else return expression;
    }
  }

  private index(): string | number {
    const token = this.take("int") ?? this.take("string");
    if (token === undefined || this.take("symbol", "]") === undefined) {
      throw new TemplateMistake("expected integer or string inside `[...]`");
    }
    return token.kind === "int" ? Number(token.text) : token.text;
  }

  private primary(): TemplateExpression {
    const { kind, text } = this.next;
    this.at += 1;
    switch (kind) {
      case "int":
        return { kind: "literal", value: Number(text) };
      case "float":
        return { kind: "literal", value: new Float(Number(text)) };
      case "string":
        return { kind: "literal", value: text };
      case "name":
        return { kind: "name", name: text };
      case "symbol":
        if (text === "(") return this.parenthesised();
    }
    this.at -= 1;
    throw new TemplateMistake("expected expression");
  }

  private parenthesised(): TemplateExpression {
    const inner = this.filtered();
    if (this.take("symbol", ")") === undefined) throw new TemplateMistake("expected `)`");
    return inner;
  }
}
