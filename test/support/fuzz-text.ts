/**
 * Program texts that nobody would write, from a seed: characters at random, token soup, real programs with pieces cut
 * out, doubled, swapped or taken from other programs, and statements put together from parts that fit.
 */
import { readFileSync } from "node:fs";
import { builtinTable } from "../../src/builtins/index.ts";
import { punctuationTokens, words } from "../../src/syntax/tokens.ts";
import { programsBelow } from "./programs.ts";

/** Numbers from a seed (mulberry32): the same on every machine. */
export class Dice {
  private state: number;
  constructor(seed: number) {
    this.state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  }
  /** A whole number from 0, below `limit`. */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }
  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }
}

/** Every `.harn` file of the golden programs and the examples, except those that work for long on purpose. */
export function realPrograms(): string[] {
  return ["test/golden", "examples", "stdlib"]
    .flatMap(programsBelow)
    .map((path) => readFileSync(path, "utf8"))
    .filter((text) => text.length < 4000);
}

const values = [
  ..."0 1 -1 2 1.5 -0.0 9223372036854775807 1e9 nil true false {} [] [1,2,3] {a:1} 5ms 0s x y f _".split(" "),
  ...['"a"', '""', '"${x}"', '"__proto__"', '"constructor"', 'r"("', '"😀"', "{ x -> x }", "fn(a) { a }"],
  ...[
    "(1 to 3)",
    "set(1)",
    "iter([1])",
    "pair(1, 2)",
    "Ok(1)",
    "Err(nil)",
    "atomic(1)",
    "channel()",
    "spawn { 1 }",
    "argv",
  ],
  ...'Point{x:1} E.A E.B(1) g() s() len harness stream Result inf NaN "nan"'.split(" "),
];
const members =
  "count empty first last len map filter reduce sort sort_by join get has merge keys values next to_list take skip zip chunk window iter flat_map group_by push pop slice split replace repeat pad_left substring reverse variant fields x toString __proto__ constructor hasOwnProperty then".split(
    " ",
  );
const operators = "+ - * / % ** == != < > <= >= && || ?? in |> to , ; = += .. ... ?. ? : -> . & |".split(" ");
const right = "+ - * / % ** == != < > <= >= && || ?? in |> to".split(" ");
const odd = [
  '"',
  '"""',
  "${",
  "/*",
  "*/",
  "//",
  "\\",
  "\r",
  "\u0000",
  "\u202e",
  "\ud800",
  "😀",
  "@",
  "#",
  "`",
  "'",
  "<<EOF",
];
const prelude = `struct Point { x: int, y?: int }
enum E { A, B(v: int) }
fn f(a, b = 1, ...c) { return a }
fn g() { yield 1
 yield 2 }
gen fn s() { emit 1 }
var x = 1
var y = [1, [2], {a: {b: 1}}]
`;

export class TextMaker {
  private readonly dice: Dice;
  private readonly programs: readonly string[];
  private readonly names: readonly string[];

  constructor(dice: Dice, programs: readonly string[]) {
    this.dice = dice;
    this.programs = programs;
    this.names = [...builtinTable().keys()].sort();
  }

  text(): string {
    const kind = this.dice.below(10);
    if (kind === 0) return this.garbage();
    if (kind <= 2) return this.soup();
    if (kind <= 6) return this.mutant();
    return prelude + this.statements(3, 4);
  }

  private garbage(): string {
    const length = this.dice.below(120);
    let text = "";
    for (let i = 0; i < length; i++)
      text +=
        this.dice.below(4) === 0
          ? this.dice.pick(odd)
          : String.fromCharCode(this.dice.below(this.dice.below(8) === 0 ? 0x10000 : 128));
    return text;
  }

  private token(): string {
    switch (this.dice.below(7)) {
      case 0:
        return this.dice.pick([...words.keys()]);
      case 1:
        return this.dice.pick(punctuationTokens).LABEL!;
      case 2:
        return this.dice.pick(this.names);
      case 3:
        return this.dice.pick(odd);
      case 4:
        return `.${this.dice.pick(members)}`;
      case 5:
        return this.dice.pick(["(", ")", "{", "}", "[", "]", "\n", "\n"]);
      default:
        return this.dice.pick(values);
    }
  }

  private soup(): string {
    const parts: string[] = [];
    for (let i = this.dice.below(60); i >= 0; i--) parts.push(this.token());
    return parts.join(this.dice.pick(["", " ", " ", "\n"]));
  }

  private mutant(): string {
    let text = this.dice.pick(this.programs);
    for (let edits = this.dice.below(4); edits >= 0; edits--) text = this.edit(text);
    return text;
  }

  private edit(text: string): string {
    const tokens = text.match(/\w+|\s+|"[^"\n]*"|[^\w\s]/g) ?? [""];
    const at = this.dice.below(tokens.length);
    const length = this.dice.below(this.dice.below(4) === 0 ? 30 : 3);
    const other = this.dice.below(tokens.length);
    if (this.dice.below(2) === 0) return this.otherValue(tokens);
    switch (this.dice.below(7)) {
      case 0:
        tokens.splice(at, length + 1);
        break;
      case 1:
        tokens.splice(other, 0, ...tokens.slice(at, at + length + 1));
        break;
      case 2:
        tokens.splice(at, 1, this.token());
        break;
      case 3:
        tokens.splice(at, 0, this.token());
        break;
      case 4:
        tokens.splice(at, 1, this.dice.pick(values));
        break;
      case 5: {
        const lines = this.dice.pick(this.programs).split("\n");
        const from = this.dice.below(lines.length);
        tokens.splice(at, 0, `\n${lines.slice(from, from + 1 + this.dice.below(4)).join("\n")}\n`);
        break;
      }
      default:
        [tokens[at], tokens[other]] = [tokens[other]!, tokens[at]!];
    }
    return tokens.join("");
  }

  /** A literal or a name exchanged for a value: most often still a program. */
  private otherValue(tokens: string[]): string {
    const places = tokens.flatMap((token, at) => (/^(\d+|"[^"]*"|[a-z]\w{0,2})$/.test(token) ? [at] : []));
    if (places.length > 0) tokens[this.dice.pick(places)] = this.dice.pick(values);
    return tokens.join("");
  }

  private statements(depth: number, max: number): string {
    const lines: string[] = [];
    for (let i = this.dice.below(max); i >= 0; i--) lines.push(this.statement(depth));
    return lines.join("\n");
  }

  private block(depth: number): string {
    return `{ ${this.statements(depth - 1, 2)} }`;
  }

  private statement(depth: number): string {
    const e = (): string => this.expression(depth - 1);
    const b = (): string => this.block(depth);
    if (depth <= 0) return `println(${e()})`;
    switch (this.dice.below(24)) {
      case 0:
        return `let ${this.dice.pick(["z", "x", "{a, ...r}", "[p, q = 2]", "y"])} = ${e()}`;
      case 1:
        return `${this.dice.pick(["x", "y[1]", "y[2].a.b", "x.k", "y[0]", "y"])} ${this.dice.pick(["=", "+=", "*="])} ${e()}`;
      case 2:
        return `if ${e()} ${b()} else ${b()}`;
      case 3:
        return `for ${this.dice.pick(["i", "{key, value}", "(k, v)", "[p]"])} in ${e()} ${b()}`;
      case 4:
        return `while ${e()} { x += 1\n ${this.statements(depth - 1, 2)} ${this.dice.pick(["", "\n break", "\n continue"])} }`;
      case 5:
        return `try ${b()} catch (e) ${b()} finally ${b()}`;
      case 6:
        return `throw ${e()}`;
      case 7:
        return `let r${this.dice.below(9)} = try { ${e()} }`;
      case 8:
        return `match ${e()} { ${this.dice.pick(values)} -> ${b()} [p, q] -> ${b()} {a: v} if v -> ${b()} E.B(w) -> ${b()} }`;
      case 9:
        return `let p${this.dice.below(9)} = parallel ${this.dice.pick(["", "each", "settle"])} ${e()} with { max_concurrent: ${this.dice.pick(["2", "0", e()])} } { i -> ${e()} }`;
      case 10:
        return `defer ${b()}`;
      case 11:
        return `deadline ${this.dice.pick(["5ms", "1s", "(x)"])} ${b()}`;
      case 12:
        return `mutex ${b()}`;
      case 13:
        return `select { v from ${e()} ${b()} ${this.dice.pick([`default ${b()}`, `timeout 5ms ${b()}`])} }`;
      case 14:
        return `retry ${this.dice.pick(["2", "(x)"])} ${b()}`;
      case 15:
        return `guard ${e()} else ${b()}`;
      case 16:
        return `require ${e()}, ${e()}`;
      case 17:
        return `fn h${this.dice.below(3)}(a: ${this.dice.pick(["int", "list<int>", "{a: int, b?: string}", "int | nil", "Point"])}, b = ${e()}) { ${this.statements(depth - 1, 2)}\n return ${e()} }`;
      default:
        return `println(${e()})`;
    }
  }

  private expression(depth: number): string {
    if (depth <= 0) return this.dice.pick(values);
    const e = (): string => this.expression(depth - 1);
    switch (this.dice.below(12)) {
      case 0:
      case 1:
        return `(${e()} ${this.dice.pick(this.dice.below(40) === 0 ? operators : right)} ${e()})`;
      case 2:
      case 3:
        return `(${e()}).${this.dice.pick(members)}(${this.list(depth)})`;
      case 4:
        return `${this.dice.pick(this.names)}(${this.list(depth)})`;
      case 5:
        return `(${e()})[${e()}]`;
      case 6:
        return `[${e()}, ...${e()}]`;
      case 7:
        return `{a: ${e()}, [${e()}]: ${e()}, ...${e()}}`;
      case 8:
        return `await(spawn { ${e()} })`;
      case 9:
        return `(${e()})?.${this.dice.pick(members)}`;
      case 10:
        return `"${"${"}${e()}}"`;
      default:
        return this.dice.pick(values);
    }
  }

  private list(depth: number): string {
    const items: string[] = [];
    for (let i = this.dice.below(4); i > 0; i--) items.push(this.expression(depth - 1));
    return items.join(", ");
  }
}
