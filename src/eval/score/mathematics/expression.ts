/** Expressions as people and models write them, in LaTeX or without: read into functions of their variables. Pure. */

/** A value at a point: numbers by the names of variables. */
export type Evaluate = (at: (variable: string) => number) => number;

export interface Expression {
  readonly evaluate: Evaluate;
  readonly variables: ReadonlySet<string>;
  /** Infinity is written in it, and not what a number overflows to. */
  readonly isInfinite: boolean;
}

/** What is larger is no answer that anybody grades by a formula. */
const maxTokens = 2000;
const maxDepth = 60;

const fractions: Readonly<Record<string, number>> = {
  "½": 1 / 2,
  "⅓": 1 / 3,
  "⅔": 2 / 3,
  "¼": 1 / 4,
  "¾": 3 / 4,
  "⅕": 1 / 5,
  "⅖": 2 / 5,
  "⅗": 3 / 5,
  "⅘": 4 / 5,
  "⅙": 1 / 6,
  "⅚": 5 / 6,
  "⅛": 1 / 8,
  "⅜": 3 / 8,
  "⅝": 5 / 8,
  "⅞": 7 / 8,
};

const constants: Readonly<Record<string, number>> = {
  pi: Math.PI,
  π: Math.PI,
  e: Math.E,
  infty: Number.POSITIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  inf: Number.POSITIVE_INFINITY,
  "∞": Number.POSITIVE_INFINITY,
};

const functions: Readonly<Record<string, (x: number) => number>> = {
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  cot: (x) => 1 / Math.tan(x),
  sec: (x) => 1 / Math.cos(x),
  csc: (x) => 1 / Math.sin(x),
  arcsin: Math.asin,
  arccos: Math.acos,
  arctan: Math.atan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  ln: Math.log,
  log: Math.log10,
  exp: Math.exp,
  sqrt: Math.sqrt,
  cbrt: Math.cbrt,
  abs: Math.abs,
};

export const isFunctionName = (word: string): boolean => Object.hasOwn(functions, word);

const signs: Readonly<Record<string, string>> = {
  "\\cdot": "*",
  "\\times": "*",
  "\\ast": "*",
  "\\div": "/",
  "×": "*",
  "·": "*",
  "⋅": "*",
  "÷": "/",
  "∕": "/",
  "−": "-",
  "–": "-",
  "**": "^",
  "\\circ": "°",
  "\\degree": "°",
  "\\lvert": "|",
  "\\rvert": "|",
  "\\vert": "|",
  "²": "^2",
  "³": "^3",
};

interface MathToken {
  readonly kind: "number" | "word" | "sign";
  readonly text: string;
  readonly value: number;
  /** Written as a part of one: `½`. */
  readonly isFraction?: boolean;
}

const tokenForm =
  /(?<number>\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|\.\d+)|(?<command>\\[a-zA-Z]+|\*\*)|(?<word>[a-zA-Z]+|[π∞√α-ωΑ-Ω])|(?<sign>[^\s\w])|(?<other>\S)/gu;

function tokensOf(text: string): MathToken[] | undefined {
  const tokens: MathToken[] = [];
  const sign = (mark: string): void => {
    for (const one of mark)
      tokens.push(
        /\d/.test(one)
          ? { kind: "number", text: one, value: Number(one) }
          : { kind: "sign", text: one, value: 0 },
      );
  };
  for (const { groups = {} } of text.matchAll(tokenForm)) {
    if (tokens.length > maxTokens) return undefined;
    const { number, command, word, sign: mark, other } = groups;
    if (number !== undefined)
      tokens.push({ kind: "number", text: number, value: Number(number.replaceAll(",", "")) });
    else if (command !== undefined && Object.hasOwn(signs, command)) sign(signs[command] as string);
    else if (command !== undefined) tokens.push({ kind: "word", text: command.slice(1), value: 0 });
    else if (word !== undefined) tokens.push(...wordTokens(word));
    else if (mark !== undefined && Object.hasOwn(fractions, mark))
      tokens.push({ kind: "number", text: mark, value: fractions[mark] as number, isFraction: true });
    else if (mark !== undefined) sign(signs[mark] ?? mark);
    else if (other !== undefined && Object.hasOwn(fractions, other))
      tokens.push({ kind: "number", text: other, value: fractions[other] as number, isFraction: true });
    else if (other !== undefined) sign(signs[other] ?? other);
  }
  return tokens.length > maxTokens ? undefined : tokens;
}

/** Names of functions and constants stand for themselves, other letters for a variable each. */
function wordTokens(word: string): MathToken[] {
  const isName = isFunctionName(word) || Object.hasOwn(constants, word) || word === "√";
  const parts = isName || [...word].length === 1 ? [word] : [...word];
  return parts.map((text) => ({ kind: "word", text, value: 0 }));
}

class Unreadable extends Error {}

class ExpressionParser {
  private readonly tokens: readonly MathToken[];
  private at = 0;
  private depth = 0;
  readonly variables = new Set<string>();
  isInfinite = false;

  constructor(tokens: readonly MathToken[]) {
    this.tokens = tokens;
  }

  whole(): Evaluate {
    const found = this.sum();
    if (this.at < this.tokens.length) throw new Unreadable();
    return found;
  }

  private peek(offset = 0): MathToken | undefined {
    return this.tokens[this.at + offset];
  }

  private isSign(text: string, offset = 0): boolean {
    const token = this.peek(offset);
    return token?.kind === "sign" && token.text === text;
  }

  private takes(text: string): boolean {
    if (!this.isSign(text)) return false;
    this.at++;
    return true;
  }

  private need(text: string): void {
    if (!this.takes(text)) throw new Unreadable();
  }

  private deeper<T>(read: () => T): T {
    if (++this.depth > maxDepth) throw new Unreadable();
    try {
      return read();
    } finally {
      this.depth--;
    }
  }

  private sum(): Evaluate {
    return this.deeper(() => {
      let left = this.product();
      for (;;) {
        const minus = this.isSign("-");
        if (!minus && !this.isSign("+")) return left;
        this.at++;
        const [before, right] = [left, this.product()];
        left = minus ? (p) => before(p) - right(p) : (p) => before(p) + right(p);
      }
    });
  }

  private product(): Evaluate {
    let left = this.signed();
    for (;;) {
      const isDivision = this.isSign("/");
      if (isDivision || this.isSign("*")) {
        this.at++;
        const [before, right] = [left, this.signed()];
        left = isDivision ? (p) => before(p) / right(p) : (p) => before(p) * right(p);
        continue;
      }
      if (!this.beginsFactor()) return left;
      const [before, right] = [left, this.power()];
      left = (p) => before(p) * right(p);
    }
  }

  /** What stands beside a factor without a sign is multiplied with it. */
  private beginsFactor(): boolean {
    const token = this.peek();
    if (token === undefined) return false;
    return token.kind !== "sign" || token.text === "(" || token.text === "{" || token.text === "[";
  }

  private signed(): Evaluate {
    if (this.takes("-")) {
      const value = this.deeper(() => this.signed());
      return (p) => -value(p);
    }
    if (this.takes("+")) return this.deeper(() => this.signed());
    return this.power();
  }

  private power(): Evaluate {
    const base = this.postfixed();
    if (!this.takes("^")) return base;
    if (this.takes("°")) return (p) => (base(p) * Math.PI) / 180;
    const exponent = this.deeper(() => (this.isSign("{") ? this.power() : this.signed()));
    return (p) => base(p) ** exponent(p);
  }

  private postfixed(): Evaluate {
    let value = this.primary();
    for (;;) {
      const before = value;
      if (this.takes("!")) value = (p) => factorial(before(p));
      else if (this.takes("°")) value = (p) => (before(p) * Math.PI) / 180;
      else if (this.isSign("^") && this.isSign("{", 1) && this.isSign("°", 2) && this.isSign("}", 3)) {
        this.at += 4;
        value = (p) => (before(p) * Math.PI) / 180;
      } else return value;
    }
  }

  private primary(): Evaluate {
    const token = this.peek();
    if (token === undefined) throw new Unreadable();
    this.at++;
    if (token.kind === "number") return this.number(token);
    if (token.kind === "word") return this.named(token.text);
    const close = { "(": ")", "{": "}", "[": "]" }[token.text];
    if (close !== undefined) {
      const inner = this.sum();
      this.need(close);
      return inner;
    }
    if (token.text === "|") {
      const inner = this.sum();
      this.need("|");
      return (p) => Math.abs(inner(p));
    }
    throw new Unreadable();
  }

  /** `1½`, `1 1/2` and `1\frac{1}{2}` are one and a half; whole numbers side by side otherwise are nothing. */
  private number({ value, isFraction }: MathToken): Evaluate {
    const next = this.peek();
    if (isFraction !== true && Number.isInteger(value) && next !== undefined) {
      if (next.kind === "number" && next.isFraction === true) {
        this.at++;
        return () => value + next.value;
      }
      if (next.kind === "number") {
        const [slash, below] = [this.isSign("/", 1), this.peek(2)];
        if (!slash || below?.kind !== "number") throw new Unreadable();
        this.at += 3;
        return () => value + next.value / below.value;
      }
      if (next.kind === "word" && isFractionName(next.text) && this.isPlainFraction()) {
        const part = this.primary();
        return (p) => value + part(p);
      }
    }
    return () => value;
  }

  /** Whether a fraction of two numbers follows: `\frac{1}{2}`, `\frac12`. */
  private isPlainFraction(): boolean {
    const rest = this.tokens
      .slice(this.at + 1, this.at + 7)
      .map(({ kind, text }) => (kind === "number" ? "n" : text));
    return /^(?:\{n\}\{n\}|\{n\}n|n)/.test(rest.join(""));
  }

  private named(name: string): Evaluate {
    if (isFractionName(name)) {
      const [above, below] = this.fractionParts();
      return (p) => above(p) / below(p);
    }
    if (name === "sqrt" || name === "√") return this.root();
    if (Object.hasOwn(functions, name)) return this.call(name);
    if (Object.hasOwn(constants, name)) {
      const value = constants[name] as number;
      if (!Number.isFinite(value)) this.isInfinite = true;
      return () => value;
    }
    const variable = this.takes("_") ? `${name}_${this.subscript()}` : name;
    this.variables.add(variable);
    return (p) => p(variable);
  }

  private subscript(): string {
    if (!this.takes("{")) {
      const token = this.peek();
      this.at++;
      return token?.text ?? "";
    }
    let text = "";
    while (!this.isSign("}")) {
      const token = this.peek();
      if (token === undefined) throw new Unreadable();
      text += token.text;
      this.at++;
    }
    this.at++;
    return text;
  }

  /** Above and below, in braces or a digit each: `\frac12` is one half, `\frac123` is nothing that anybody means. */
  private fractionParts(): [Evaluate, Evaluate] {
    const next = this.peek();
    if (next?.kind === "number" && /^\d{2}$/.test(next.text)) {
      this.at++;
      const [above, below] = [...next.text].map(Number) as [number, number];
      return [() => above, () => below];
    }
    return [this.argument(), this.argument()];
  }

  private argument(): Evaluate {
    const next = this.peek();
    if (next?.kind === "number") {
      this.at++;
      return () => next.value;
    }
    if (!this.takes("{")) return this.deeper(() => this.primary());
    const inner = this.sum();
    this.need("}");
    return inner;
  }

  private root(): Evaluate {
    let degree: Evaluate | undefined;
    if (this.takes("[")) {
      degree = this.sum();
      this.need("]");
    }
    const inner = this.argument();
    if (degree === undefined) return (p) => Math.sqrt(inner(p));
    const n = degree;
    return (p) => {
      const [value, order] = [inner(p), n(p)];
      return value < 0 && order % 2 === 1 ? -((-value) ** (1 / order)) : value ** (1 / order);
    };
  }

  private call(name: string): Evaluate {
    let base: Evaluate | undefined;
    if (name === "log" && this.takes("_")) base = this.argument();
    const power = this.takes("^") ? this.argument() : undefined;
    // `sin 2x` is the sine of 2x, `sin(2)x` is not.
    const inner =
      this.isSign("(") || this.isSign("{") || this.isSign("|")
        ? this.deeper(() => this.primary())
        : this.deeper(() => this.juxtaposed());
    const apply = functions[name] as (x: number) => number;
    const value: Evaluate =
      base === undefined
        ? (p) => apply(inner(p))
        : (p) => Math.log(inner(p)) / Math.log((base as Evaluate)(p));
    return power === undefined ? value : (p) => value(p) ** power(p);
  }

  private juxtaposed(): Evaluate {
    let left = this.power();
    for (let token = this.peek(); token !== undefined; token = this.peek()) {
      if (token.kind === "sign" || isFunctionName(token.text)) break;
      const [before, right] = [left, this.power()];
      left = (p) => before(p) * right(p);
    }
    return left;
  }
}

const isFractionName = (name: string): boolean => /^[dtc]?frac$/.test(name);

function factorial(n: number): number {
  if (!Number.isInteger(n) || n < 0 || n > 170) return Number.NaN;
  let product = 1;
  for (let factor = 2; factor <= n; factor++) product *= factor;
  return product;
}

/** Undefined for what is no expression. */
export function mathExpressionOf(text: string): Expression | undefined {
  const tokens = tokensOf(text);
  if (tokens === undefined || tokens.length === 0) return undefined;
  const reader = new ExpressionParser(tokens);
  try {
    const evaluate = reader.whole();
    return { evaluate, variables: reader.variables, isInfinite: reader.isInfinite };
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}
