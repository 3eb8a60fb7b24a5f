/**
 * The token vocabulary shared by the hand-written lexer and the Chevrotain parser.
 *
 * Two categories carry the rules about words: `AnyName` (every word, also reserved ones: member names, dict keys) and
 * `Identifier` (ordinary and contextual words). Contextual words such as `each` have a type of their own below
 * `Identifier`, so the grammar can ask for them and variables may still bear their names. `BinaryOperator` keeps the
 * operators of an expression in one flat rule (precedence.ts folds them).
 */
import { EmbeddedActionsParser, type IToken, type TokenType } from "chevrotain";

/** What the lexer found inside a bracket pair, stored at the opening bracket. */
export interface BracketInfo {
  /** Index of the matching closing token, -1 when it is missing. */
  close: number;
  /** For `{`: a `->` stands directly inside, so in expression position it opens a closure (language.md §2). */
  arrow: boolean;
}

export type TokenValue = string | number | bigint | BracketInfo | undefined;

/** A token in the shape that Chevrotain reads; one hidden class for all. `endOffset` is inclusive, as there. */
export class Token implements IToken {
  readonly image: string;
  readonly startOffset: number;
  readonly endOffset: number;
  readonly tokenTypeIdx: number;
  readonly tokenType: TokenType;
  /** The value of a literal, the text of a string part, or the `BracketInfo` of an opening bracket. */
  value: TokenValue;

  constructor(type: TokenType, image: string, startOffset: number, endOffset: number, value: TokenValue) {
    this.image = image;
    this.startOffset = startOffset;
    this.endOffset = endOffset;
    this.tokenTypeIdx = type.tokenTypeIdx!;
    this.tokenType = type;
    this.value = value;
  }
}

const made: TokenType[] = [];

/** A token type in Chevrotain's shape. `createToken` would do, but costs 5 ms for all of them in a fresh process. */
function define(name: string, label: string, categories: TokenType[]): TokenType {
  const type: TokenType = { name, LABEL: label, CATEGORIES: categories };
  made.push(type);
  return type;
}

const AnyName = define("AnyName", "name", []);
const Identifier = define("Identifier", "identifier", [AnyName]);
const BinaryOperator = define("BinaryOperator", "operator", []);
const AssignOperator = define("AssignOperator", "assignment operator", []);

/** `Let` for `let`, `EvalPack` for `eval_pack`: the token name of a word. */
function tokenTypeName(word: string): string {
  return word.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

const RESERVED = [
  "pipeline", "extends", "override", "let", "var", "if", "else", "for", "match", "retry", "parallel", "return",
  "import", "true", "false", "nil", "try", "catch", "throw", "finally", "fn", "spawn", "while", "type", "enum",
  "eval_pack", "struct", "interface", "emit", "pub", "from", "to", "tool", "exclusive", "guard", "require",
  "deadline", "defer", "yield", "mutex", "break", "continue", "select", "impl", "skill",
] as const; // biome-ignore format: a word list

const CONTEXTUAL = [
  "each", "settle", "with", "max_concurrent", "as", "stream", "gen", "where", "out", "not", "timeout", "default",
  "description", "summarize", "scope", "cost_route", "owned", "const",
] as const; // biome-ignore format: a word list

/** Token type of every word that is not a plain identifier. */
export const words: ReadonlyMap<string, TokenType> = new Map<string, TokenType>([
  ...RESERVED.map((word): [string, TokenType] => [word, define(tokenTypeName(word), word, [AnyName])]),
  ["in", define("In", "in", [AnyName, BinaryOperator])],
  ...CONTEXTUAL.map((word): [string, TokenType] => [word, define(tokenTypeName(word), word, [Identifier])]),
]);

const word = (text: string): TokenType => words.get(text)!;
const punctuation = (name: string, label: string, ...categories: TokenType[]): TokenType =>
  define(name, label, categories);

/** Every token type by its name in the grammar. */
export const T = {
  AnyName,
  Identifier,
  BinaryOperator,
  AssignOperator,

  Pipeline: word("pipeline"),
  Extends: word("extends"),
  Override: word("override"),
  Let: word("let"),
  Var: word("var"),
  If: word("if"),
  Else: word("else"),
  For: word("for"),
  Match: word("match"),
  Retry: word("retry"),
  Parallel: word("parallel"),
  Return: word("return"),
  Import: word("import"),
  True: word("true"),
  False: word("false"),
  Nil: word("nil"),
  Try: word("try"),
  Catch: word("catch"),
  Throw: word("throw"),
  Finally: word("finally"),
  Fn: word("fn"),
  Spawn: word("spawn"),
  While: word("while"),
  Type: word("type"),
  Enum: word("enum"),
  EvalPack: word("eval_pack"),
  Struct: word("struct"),
  Interface: word("interface"),
  Emit: word("emit"),
  Pub: word("pub"),
  From: word("from"),
  To: word("to"),
  Tool: word("tool"),
  Exclusive: word("exclusive"),
  Guard: word("guard"),
  Require: word("require"),
  Deadline: word("deadline"),
  Defer: word("defer"),
  Yield: word("yield"),
  Mutex: word("mutex"),
  Break: word("break"),
  Continue: word("continue"),
  Select: word("select"),
  Impl: word("impl"),
  Skill: word("skill"),
  In: word("in"),

  Each: word("each"),
  Settle: word("settle"),
  With: word("with"),
  MaxConcurrent: word("max_concurrent"),
  As: word("as"),
  Stream: word("stream"),
  Gen: word("gen"),
  Where: word("where"),
  Out: word("out"),
  Not: word("not"),
  Timeout: word("timeout"),
  Default: word("default"),
  Description: word("description"),
  Summarize: word("summarize"),
  Scope: word("scope"),
  CostRoute: word("cost_route"),
  Owned: word("owned"),
  Const: word("const"),

  Int: punctuation("Int", "int"),
  Float: punctuation("Float", "float"),
  Duration: punctuation("Duration", "duration"),
  Str: punctuation("Str", "string"),
  RawStr: punctuation("RawStr", "raw string"),
  /** `"text${`, `}text${` and `}text"` of a string with holes; the hole's tokens stand between them. */
  StrStart: punctuation("StrStart", "string"),
  StrMid: punctuation("StrMid", "}"),
  StrEnd: punctuation("StrEnd", "}"),

  PipeArrow: punctuation("PipeArrow", "|>", BinaryOperator),
  OrOr: punctuation("OrOr", "||", BinaryOperator),
  AndAnd: punctuation("AndAnd", "&&", BinaryOperator),
  EqEq: punctuation("EqEq", "==", BinaryOperator),
  NotEq: punctuation("NotEq", "!=", BinaryOperator),
  Less: punctuation("Less", "<", BinaryOperator),
  Greater: punctuation("Greater", ">", BinaryOperator),
  LessEq: punctuation("LessEq", "<=", BinaryOperator),
  GreaterEq: punctuation("GreaterEq", ">=", BinaryOperator),
  Plus: punctuation("Plus", "+", BinaryOperator),
  Minus: punctuation("Minus", "-", BinaryOperator),
  Coalesce: punctuation("Coalesce", "??", BinaryOperator),
  Star: punctuation("Star", "*", BinaryOperator),
  Slash: punctuation("Slash", "/", BinaryOperator),
  Percent: punctuation("Percent", "%", BinaryOperator),
  Power: punctuation("Power", "**", BinaryOperator),

  Equals: punctuation("Equals", "=", AssignOperator),
  PlusEq: punctuation("PlusEq", "+=", AssignOperator),
  MinusEq: punctuation("MinusEq", "-=", AssignOperator),
  StarEq: punctuation("StarEq", "*=", AssignOperator),
  SlashEq: punctuation("SlashEq", "/=", AssignOperator),
  PercentEq: punctuation("PercentEq", "%=", AssignOperator),

  Bang: punctuation("Bang", "!"),
  Question: punctuation("Question", "?"),
  Dot: punctuation("Dot", "."),
  QuestionDot: punctuation("QuestionDot", "?."),
  Ellipsis: punctuation("Ellipsis", "..."),
  Arrow: punctuation("Arrow", "->"),
  Bar: punctuation("Bar", "|"),
  Amp: punctuation("Amp", "&"),
  At: punctuation("At", "@"),
  LCurly: punctuation("LCurly", "{"),
  RCurly: punctuation("RCurly", "}"),
  LParen: punctuation("LParen", "("),
  RParen: punctuation("RParen", ")"),
  LSquare: punctuation("LSquare", "["),
  RSquare: punctuation("RSquare", "]"),
  Comma: punctuation("Comma", ","),
  Colon: punctuation("Colon", ":"),
  Semicolon: punctuation("Semicolon", ";"),
  Newline: punctuation("Newline", "\\n"),
};

/** A parser without rules: making it numbers the types and joins the categories, as for any parser's vocabulary. */
class Numbering extends EmbeddedActionsParser {}
new Numbering(made, { skipValidations: true });

/** Operators and punctuation by their spelling, longest first within a first character: what the lexer tries. */
export const punctuationTokens: readonly TokenType[] = Object.values(T)
  .filter(
    (type) =>
      type.LABEL !== undefined && /^[^\sa-z\\]+$/i.test(type.LABEL) && type !== T.StrMid && type !== T.StrEnd,
  )
  .sort((a, b) => b.LABEL!.length - a.LABEL!.length);

/** Is a word reserved, that is, no variable may bear it? */
export function isReserved(text: string): boolean {
  const type = words.get(text);
  return type !== undefined && !(type.CATEGORIES ?? []).includes(Identifier);
}

const TABLE_SIZE = Math.max(...Object.values(T).map((type) => type.tokenTypeIdx!)) + 1;

/** A set of token types as a table over `tokenTypeIdx`, categories expanded. */
export function tokenSet(...types: readonly TokenType[]): Uint8Array {
  const table = new Uint8Array(TABLE_SIZE);
  for (const type of types) {
    table[type.tokenTypeIdx!] = 1;
    for (const member of type.categoryMatches ?? []) table[member] = 1;
  }
  return table;
}
