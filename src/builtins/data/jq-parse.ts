/**
 * The query language of `jq` and `jq_first` (builtins.md §2.10), parsed.
 *
 *   pipe = comma ('|' comma)*   comma = or (',' or)*   or = and ('or' and)*   and = compare ('and' compare)*
 *   compare = postfix (op postfix)?   postfix = term ('.'name | '[' … ']')*
 */
import { Float, thrown, type Value } from "../../values/index.ts";

export type Query =
  | { readonly kind: "identity" | "recurse" }
  | { readonly kind: "literal"; readonly value: Value }
  | { readonly kind: "field"; readonly of: Query; readonly name: string }
  | { readonly kind: "index"; readonly of: Query; readonly index: number }
  | {
      readonly kind: "slice";
      readonly of: Query;
      readonly from: number | undefined;
      readonly to: number | undefined;
    }
  | { readonly kind: "each"; readonly of: Query }
  | { readonly kind: "pipe" | "comma" | "and" | "or"; readonly left: Query; readonly right: Query }
  | { readonly kind: "compare"; readonly operator: string; readonly left: Query; readonly right: Query }
  | { readonly kind: "not"; readonly of: Query }
  | { readonly kind: "call"; readonly name: "length" | "keys" | "values" | "type" }
  | { readonly kind: "map" | "select"; readonly of: Query }
  | { readonly kind: "object"; readonly fields: readonly (readonly [string, Query])[] };

const identity: Query = { kind: "identity" };
const plainCalls: ReadonlySet<string> = new Set(["length", "keys", "values", "type"]);
const constants: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

const name = /[A-Za-z_]\w*/y;
const number = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y;
const string = /"(?:[^"\\]|\\.)*"/y;
const comparison = /==|!=|<=|>=|<|>/y;

/** The query in a text. Throws the script error of the spec. */
export function parseQuery(text: string): Query {
  const reader = new JqParser(text);
  const query = reader.pipe();
  reader.end();
  return query;
}

class JqParser {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  end(): void {
    this.blanks();
    if (this.at < this.text.length) throw thrown(`jq: unexpected input near '${this.rest()}'`);
  }

  pipe(): Query {
    let left = this.comma();
    while (this.take("|")) left = { kind: "pipe", left, right: this.comma() };
    return left;
  }

  private comma(): Query {
    let left = this.or();
    while (this.take(",")) left = { kind: "comma", left, right: this.or() };
    return left;
  }

  private or(): Query {
    let left = this.and();
    while (this.word("or")) left = { kind: "or", left, right: this.and() };
    return left;
  }

  private and(): Query {
    let left = this.negation();
    while (this.word("and")) left = { kind: "and", left, right: this.negation() };
    return left;
  }

  private negation(): Query {
    if (this.word("not")) return { kind: "not", of: this.negation() };
    const left = this.postfix();
    const operator = this.match(comparison);
    return operator === undefined ? left : { kind: "compare", operator, left, right: this.postfix() };
  }

  private postfix(): Query {
    let query = this.term();
    for (;;) {
      if (this.take("[")) query = this.bracket(query);
      else if (this.text[this.at] === "." && this.text[this.at + 1] !== ".") {
        this.at += 1;
        if (this.take("[")) query = this.bracket(query);
        else query = { kind: "field", of: query, name: this.fieldName() ?? this.expected() };
      } else return query;
    }
  }

  private term(): Query {
    if (this.take("..")) return { kind: "recurse" };
    if (this.take(".")) {
      const field = this.fieldName();
      return field === undefined ? identity : { kind: "field", of: identity, name: field };
    }
    if (this.take("(")) return this.closed(")", this.pipe());
    if (this.take("{")) return this.object();
    const quoted = this.match(string);
    if (quoted !== undefined) return { kind: "literal", value: this.unquote(quoted) };
    const digits = this.match(number);
    if (digits !== undefined) return { kind: "literal", value: jqNumberValue(digits) };
    const word = this.match(name) ?? this.expected();
    return this.named(word);
  }

  private named(word: string): Query {
    const constant = constants.get(word);
    if (constant !== undefined) return { kind: "literal", value: constant };
    if (plainCalls.has(word)) return { kind: "call", name: word as "length" };
    if ((word === "map" || word === "select") && this.take("(")) {
      return { kind: word, of: this.closed(")", this.pipe()) };
    }
    throw thrown(`jq: unknown identifier '${word}'`);
  }

  private bracket(of: Query): Query {
    if (this.take("]")) return { kind: "each", of };
    const quoted = this.match(string);
    if (quoted !== undefined) return this.closed("]", { kind: "field", of, name: this.unquote(quoted) });
    const from = this.match(number);
    if (this.take(":")) {
      const to = this.match(number);
      const whole = (digits: string | undefined): number | undefined =>
        digits === undefined ? undefined : Number(digits);
      return this.closed("]", { kind: "slice", of, from: whole(from), to: whole(to) });
    }
    if (from === undefined) this.expected();
    return this.closed("]", { kind: "index", of, index: Number(from) });
  }

  private object(): Query {
    const fields: [string, Query][] = [];
    while (!this.take("}")) {
      if (fields.length > 0 && !this.take(",")) this.unexpected();
      const quoted = this.match(string);
      const key = quoted === undefined ? (this.match(name) ?? this.expected()) : this.unquote(quoted);
      fields.push([key, this.take(":") ? this.or() : { kind: "field", of: identity, name: key }]);
    }
    return { kind: "object", fields };
  }

  private fieldName(): string | undefined {
    if (/\s/.test(this.text[this.at] ?? "")) return undefined;
    const quoted = this.match(string);
    return quoted === undefined ? this.match(name) : this.unquote(quoted);
  }

  private unquote(quoted: string): string {
    try {
      return JSON.parse(quoted) as string;
    } catch {
      throw thrown(`jq: unexpected input near '${quoted}'`);
    }
  }

  private closed<T>(symbol: string, inner: T): T {
    if (!this.take(symbol)) this.unexpected();
    return inner;
  }

  private word(text: string): boolean {
    this.blanks();
    const after = this.text[this.at + text.length] ?? "";
    return !/\w/.test(after) && this.take(text);
  }

  private blanks(): void {
    while (/\s/.test(this.text[this.at] ?? "")) this.at += 1;
  }

  private take(symbol: string): boolean {
    this.blanks();
    if (!this.text.startsWith(symbol, this.at)) return false;
    this.at += symbol.length;
    return true;
  }

  private match(pattern: RegExp): string | undefined {
    this.blanks();
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private rest(): string {
    return this.text.slice(this.at, this.at + 40);
  }
  private unexpected(): never {
    throw thrown(`jq: unexpected input near '${this.rest()}'`);
  }
  private expected(): never {
    throw thrown(`jq: expected expression near '${this.rest()}'`);
  }
}

function jqNumberValue(digits: string): Value {
  const value = Number(digits);
  return /^-?\d+$/.test(digits) && Number.isSafeInteger(value) ? value : new Float(value);
}
