/**
 * What people who come from other languages write, and how it is written here. The parser only knows that a token does
 * not fit; these rows look at the words around it.
 */

/** Where the parse failed. */
export interface FailedAt {
  /** What could have stood there, in the words of the rule. */
  readonly expected: string;
  /** The token that does not fit, and the one before it on the same line; empty texts where there is none. */
  readonly token: string;
  readonly before: string;
  /** The line from the token before on. */
  readonly line: string;
  /** The line up to and with the token before. */
  readonly lineBefore: string;
}

interface Slip {
  /** The token that does not fit, or the one before it: the parser may stop at either. */
  readonly word?: RegExp;
  readonly before?: RegExp;
  readonly token?: RegExp;
  readonly expected?: RegExp;
  readonly line?: RegExp;
  readonly lineBefore?: RegExp;
  /** The message is documented word for word: this is said after it. */
  readonly beside?: true;
  /** With the groups of `line`, or of `lineBefore` where that is the pattern. */
  readonly say: (groups: readonly string[]) => string;
}

const separator = /\(`;` or newline\)$|^statement separator$/;
/** Where an expression is through, in a statement, a condition or between brackets. */
const endOfExpression = /\(`;` or newline\)$|^statement separator$|^[{)\],:]$/;
const constantText = (text: string) => () => text;
const noComprehension = constantText(
  "there are no comprehensions: 'items.filter({ x -> x > 1 }).map({ x -> x * 2 })'",
);
const noIncrement = constantText("there is no '++': write 'x += 1'");
const noDecrement = constantText("there is no '--': write 'x -= 1'");

const rows: readonly Slip[] = [
  {
    before: /^(?:def|function|func|fun|async|static|public|private)$/,
    line: /^(?:\w+\s+)+?(?!fn\b|function\b|def\b)(\w+)\s*\(([^)]*)\)/,
    say: ([name = "f", params = ""]) => `functions are written 'fn ${name}(${params}) { return … }'`,
  },
  {
    before: /^class$/,
    line: /^class\s+(\w+)/,
    say: ([name = "T"]) =>
      `there are no classes: data is written 'struct ${name} { field: type }', methods stand in 'impl ${name}'`,
  },
  { word: /^(?:elif|elsif|elseif)$/, say: constantText("'elif' is written 'else if'") },
  { token: /^and$/, expected: endOfExpression, say: constantText("'and' is written '&&'") },
  {
    token: /^or$/,
    expected: endOfExpression,
    say: constantText("'or' is written '||'; a value in place of nil is 'a ?? b'"),
  },
  { before: /^not$/, expected: endOfExpression, say: constantText("'not x' is written '!x'") },
  {
    token: /^is$/,
    expected: endOfExpression,
    say: constantText("'is' is written '==': 'x == nil', 'type_of(x) == \"int\"'"),
  },
  {
    token: /^instanceof$/,
    expected: endOfExpression,
    say: constantText("types are asked for: 'type_of(x) == \"int\"'"),
  },
  { before: /^typeof$/, expected: endOfExpression, say: constantText("'typeof x' is written 'type_of(x)'") },
  {
    before: /^await$/,
    expected: endOfExpression,
    say: constantText(
      "calls wait by themselves, without 'await'; 'spawn { … }' and 'parallel' run things side by side",
    ),
  },
  {
    before: /^raise$/,
    expected: separator,
    say: constantText("'raise' is written 'throw': 'throw \"what went wrong\"'"),
  },
  {
    before: /^assert$/,
    expected: separator,
    say: constantText("assertions are calls: 'assert(x == 1, \"why\")'"),
  },
  {
    before: /^(?:del|delete)$/,
    expected: separator,
    say: constantText("values are not changed in place: 'd = d.remove(\"key\")'"),
  },
  {
    before: /^(?:global|nonlocal)$/,
    expected: separator,
    say: constantText(
      "there is no 'global': functions see the variables above them; what they change they return",
    ),
  },
  {
    before: /^export$/,
    expected: separator,
    say: constantText("what other files may import is marked 'pub': 'pub fn f() { … }'"),
  },
  {
    before: /^with$/,
    expected: separator,
    say: constantText(
      "there is no 'with': files are read whole with 'read_file(path)'; 'defer { … }' runs at the end of a block",
    ),
  },
  {
    before: /^do$/,
    token: /^\{$/,
    say: constantText("there is no 'do': write 'while true { … if over { break } }'"),
  },
  {
    before: /^(?:int|string|str|float|bool|number|auto|val)$/,
    expected: separator,
    line: /^(\w+)\s+(\w+)\s*=/,
    say: ([type = "int", name = "x"]) =>
      `variables are declared 'let ${name} = …', with a type 'let ${name}: ${type} = …'`,
  },
  {
    before: /^(?:print|println|echo|puts|printf)$/,
    expected: separator,
    say: constantText("calls have parentheses: 'println(\"x\")'"),
  },
  { word: /^(?:except|rescue)$/, say: constantText("'except' is written 'catch (problem)'") },
  {
    lineBefore: /^\s*switch\b/,
    say: constantText("'switch' is written 'match value { pattern -> { … } }'"),
  },
  {
    before: /^case$/,
    expected: /^->$/,
    say: constantText("arms are written '1 -> { … }', the last one '_ -> { … }'"),
  },
  {
    before: /^(?:switch|case)$/,
    expected: separator,
    say: constantText("'switch' is written 'match value { pattern -> { … } }'"),
  },
  { before: /^(?:lambda|λ)$/, say: constantText("closures are '{ x -> x + 1 }'") },
  {
    before: /^new$/,
    lineBefore: /\bthrow\s+new$/,
    say: constantText("any value can be thrown: 'throw \"what went wrong\"'"),
  },
  {
    before: /^new$/,
    line: /^new\s+(\w+)/,
    say: ([name = "T"]) => `values are made without 'new': '${name} { field: value }'`,
  },
  {
    before: /^import$/,
    token: /^\*$/,
    say: constantText("imports are written 'import \"std/text\"' or 'import { a, b } from \"std/text\"'"),
  },
  {
    before: /^f$/,
    line: /^f("[^"\n]{0,60}")/,
    say: ([text = '"Hello {name}"']) => `strings interpolate: ${text.replaceAll(/(?<!\$)\{/g, "${")}`,
  },
  {
    token: /^from$/,
    line: /^from\s/,
    say: constantText("imports are written 'import { a, b } from \"path\"'"),
  },
  {
    token: /^=$/,
    line: /^\S+\s*=>/,
    lineBefore: /\bmatch\b.*\{[^}]*$/,
    say: constantText("arms are written '1 -> { … }', the last one '_ -> { … }'"),
  },
  { token: /^=$/, line: /^\S+\s*=>/, say: constantText("closures are '{ x -> x + 1 }'") },
  {
    token: /^,$/,
    line: /^\w+(?:\s*,\s*\w+)*\s*\)\s*=>/,
    say: constantText("closures are '{ a, b -> a + b }'"),
  },
  {
    token: /^,$/,
    expected: /^\)$/,
    lineBefore: /(?:[=(,[]|\breturn|->)\s*\([^()]*$/,
    say: constantText("there are no tuples: lists are written '[1, 2]', pairs 'pair(1, 2)'"),
  },
  {
    token: /^\($/,
    lineBefore: /\b(let|var)$/,
    beside: true,
    say: ([word = "let"]) =>
      `lists are taken apart with '${word} [a, b] = list', dicts with '${word} {a, b} = dict'`,
  },
  {
    token: /^,$/,
    expected: /^=$/,
    lineBefore: /\b(let|var)\s+\w+$/,
    say: ([word = "let"]) => `several at once: '${word} [a, b] = [1, 2]'`,
  },
  {
    token: /^,$/,
    expected: separator,
    line: /^\w+(?:\s*,\s*\w+)+\s*=/,
    say: constantText("one assignment at a time: 'let old = a', 'a = b', 'b = old'"),
  },
  {
    token: /^for$/,
    lineBefore: /^(?!\s*import\b).*[[{(,][^[\]{}]*$/,
    say: noComprehension,
  },
  {
    token: /^for$/,
    expected: /^expression$|^[,\]]$/,
    say: noComprehension,
  },
  {
    before: /^for$/,
    expected: /^:$/,
    say: noComprehension,
  },
  { token: /^of$/, expected: /^in$/, say: constantText("loops are written 'for item in items { … }'") },
  {
    token: /^,$/,
    expected: /^in$/,
    say: constantText(
      "loops over pairs are written 'for {key, value} in d.entries() { … }', over lists 'for {index, value} in xs.enumerate() { … }'",
    ),
  },
  {
    token: /^if$/,
    expected: separator,
    lineBefore: /(?:=|\breturn|\()\s*\S+/,
    say: constantText("conditions in expressions are 'condition ? a : b'"),
  },
  {
    before: /^import$/,
    beside: true,
    line: /^import\s+([A-Za-z_][\w.]*)\s*(?:as\s+\w+)?\s*$/,
    say: ([name = "text"]) => `imports are written 'import "std/${name}"' or 'import "./${name}"'`,
  },
  {
    before: /^import$/,
    beside: true,
    say: constantText("imports are written 'import { a, b } from \"path\"'"),
  },
  {
    token: /^require$/,
    expected: /^expression$/,
    say: constantText("imports are written 'import { a, b } from \"path\"', at the top of the file"),
  },
  {
    token: /^[=:]$/,
    expected: /^(?:expression|[,)])$/,
    lineBefore: /\w\([^(){}]*$/,
    line: /^\w+\s*(?:=(?![=>])|:)/,
    say: constantText("arguments have no names: they stand in order, options in a dict: 'f(1, {name: 2})'"),
  },
  {
    expected: /^interface item/,
    say: constantText(
      "an interface lists functions; data is written 'struct A { x: float }' or 'type A = {x: float}'",
    ),
  },
  {
    token: /^\[$/,
    lineBefore: /:\s*(?:List|Array|Sequence|Set|Tuple|Iterable|list|set|tuple)$/,
    say: constantText("types of elements stand in angle brackets: 'list<int>'"),
  },
  {
    token: /^\[$/,
    lineBefore: /:\s*(?:Dict|dict|Mapping|Record)$/,
    say: constantText("types of dicts are written 'dict<string, int>'"),
  },
  {
    token: /^\[$/,
    lineBefore: /:\s*(?:Optional|Union)$/,
    say: constantText("types that may be nil are written 'int | nil'"),
  },
  {
    token: /^\[$/,
    line: /^(\w+)\s*\[\s*\]/,
    lineBefore: /:\s*\w+$/,
    say: constantText("types of lists are written 'list<int>'"),
  },
  {
    token: /^\*$/,
    expected: /^parameter name$/,
    say: constantText("a function with any number of arguments is written 'fn f(...args)'"),
  },
  {
    token: /^\*\*$/,
    expected: /^parameter name$/,
    say: constantText("options come as a dict: 'fn f(options = {}) { … }'"),
  },
  { before: /^function$/, say: constantText("closures are '{ x -> x + 1 }'") },
  {
    lineBefore: /[=(,:]\s*(?:async\s+)?function\s*\w*\([^)]*\)$/,
    say: constantText("closures are '{ x -> x + 1 }'"),
  },
  {
    token: /^\d/,
    expected: /^dict key$/,
    beside: true,
    say: constantText("keys are names or texts: '{\"1\": …}'"),
  },
  {
    token: /^:$/,
    expected: /^\]$/,
    lineBefore: /\[/,
    say: constantText("slices have a beginning and an end: 'xs[1:3]', 'xs[1:]', 'xs[:3]'"),
  },
  {
    token: /^\/$/,
    expected: /^expression$/,
    say: constantText("patterns are texts: 'regex_match(\"a+\", text)'"),
  },
  { token: /^=$/, before: /^==$/, say: constantText("'==' compares; there is no '==='") },
  { token: /^=$/, before: /^!=$/, say: constantText("'!=' compares; there is no '!=='") },
  {
    token: /^:$/,
    expected: /^\{$/,
    lineBefore: /\bfn\b.*\)$/,
    say: constantText("result types are written '-> int'"),
  },
  {
    token: /^:$/,
    expected: /^\{$/,
    lineBefore: /\b(if|while|for|else|try|finally)\b/,
    say: ([word = "if"]) => `blocks stand between braces: '${word} … { … }'`,
  },
  {
    expected: /^\{$/,
    lineBefore: /^\s*(?:\}\s*)?(?:else\s+)?(if|while|for|else)\b/,
    say: ([word = "if"]) => `blocks stand between braces: '${word} … { … }'`,
  },
  { before: /^[+]$/, token: /^[+]$/, say: noIncrement },
  { before: /^[+]$/, lineBefore: /\w[+][+]$/, say: noIncrement },
  { before: /^-$/, token: /^-$/, say: noDecrement },
  { before: /^-$/, lineBefore: /\w--$/, say: noDecrement },
  {
    before: /^\($/,
    token: /^(?:const|let|var)$/,
    line: /^\(\s*(?:const|let|var)\s+\w+\s+(?:of|in)\b/,
    lineBefore: /\bfor\s*\($/,
    say: constantText("loops are written 'for item in items { … }'"),
  },
  {
    before: /^(?:const|let|var)$/,
    lineBefore: /\bfor\s*\(\s*(?:const|let|var)$/,
    say: constantText("loops are written 'for item in items { … }'"),
  },
  {
    before: /^\($/,
    lineBefore: /\bfor\s*\($/,
    say: constantText("loops are written 'for i in 0 to 3 exclusive { … }' or 'for item in items { … }'"),
  },
  {
    token: /^:$/,
    line: /^\w+\s*:=/,
    say: constantText("variables are declared 'let x = 1', or 'var x = 1' when they change"),
  },
];

/** What to write instead, where the slip is known. */
export function slipAt(at: FailedAt): { readonly instead: string; readonly beside: boolean } | undefined {
  for (const row of rows) {
    if (row.before?.test(at.before) === false || row.token?.test(at.token) === false) continue;
    if (row.word?.test(at.token) === false && !row.word.test(at.before)) continue;
    if (row.expected?.test(at.expected) === false) continue;
    if (row.line !== undefined && row.lineBefore?.test(at.lineBefore) === false) continue;
    const pattern = row.line ?? row.lineBefore;
    const match = pattern?.exec(row.line === undefined ? at.lineBefore : at.line);
    if (pattern === undefined || match !== null)
      return { instead: row.say(match?.slice(1) ?? []), beside: row.beside === true };
  }
  return undefined;
}
