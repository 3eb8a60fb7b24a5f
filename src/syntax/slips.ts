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
  /** With the groups of `line`, or of `lineBefore` where that is the pattern. */
  readonly say: (groups: readonly string[]) => string;
}

const separator = /\(`;` or newline\)$|^statement separator$/;
const say = (text: string) => () => text;
const noIncrement = say("there is no '++': write 'x += 1'");
const noDecrement = say("there is no '--': write 'x -= 1'");

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
  { word: /^(?:elif|elsif|elseif)$/, say: say("'elif' is written 'else if'") },
  { token: /^and$/, expected: separator, say: say("'and' is written '&&'") },
  {
    token: /^or$/,
    expected: separator,
    say: say("'or' is written '||'; a value in place of nil is 'a ?? b'"),
  },
  { before: /^not$/, expected: separator, say: say("'not x' is written '!x'") },
  {
    before: /^(?:print|println|echo|puts|printf)$/,
    expected: separator,
    say: say("calls have parentheses: 'println(\"x\")'"),
  },
  { word: /^(?:except|rescue)$/, say: say("'except' is written 'catch (problem)'") },
  {
    before: /^(?:switch|case)$/,
    expected: separator,
    say: say("'switch' is written 'match value { pattern -> { … } }'"),
  },
  { before: /^(?:lambda|λ)$/, say: say("closures are '{ x -> x + 1 }'") },
  {
    before: /^new$/,
    line: /^new\s+(\w+)/,
    say: ([name = "T"]) => `values are made without 'new': '${name} { field: value }'`,
  },
  {
    before: /^import$/,
    token: /^\*$/,
    say: say("imports are written 'import \"std/text\"' or 'import { a, b } from \"std/text\"'"),
  },
  {
    before: /^f$/,
    line: /^f("[^"\n]{0,60}")/,
    say: ([text = '"Hello {name}"']) => `strings interpolate: ${text.replaceAll(/(?<!\$)\{/g, "${")}`,
  },
  { token: /^from$/, line: /^from\s/, say: say("imports are written 'import { a, b } from \"path\"'") },
  { token: /^=$/, line: /^\S+\s*=>/, say: say("closures are '{ x -> x + 1 }'") },
  { token: /^=$/, before: /^==$/, say: say("'==' compares; there is no '==='") },
  { token: /^=$/, before: /^!=$/, say: say("'!=' compares; there is no '!=='") },
  {
    token: /^:$/,
    expected: /^\{$/,
    lineBefore: /\bfn\b.*\)$/,
    say: say("result types are written '-> int'"),
  },
  {
    token: /^:$/,
    expected: /^\{$/,
    lineBefore: /\b(if|while|for|else)\b/,
    say: ([word = "if"]) => `blocks stand between braces: '${word} … { … }'`,
  },
  { before: /^[+]$/, token: /^[+]$/, say: noIncrement },
  { before: /^[+]$/, lineBefore: /\w[+][+]$/, say: noIncrement },
  { before: /^-$/, token: /^-$/, say: noDecrement },
  { before: /^-$/, lineBefore: /\w--$/, say: noDecrement },
  {
    before: /^\($/,
    lineBefore: /\bfor\s*\($/,
    say: say("loops are written 'for i in 0 to 3 exclusive { … }' or 'for item in items { … }'"),
  },
  {
    token: /^:$/,
    line: /^\w+\s*:=/,
    say: say("variables are declared 'let x = 1', or 'var x = 1' when they change"),
  },
];

/** What to write instead, where the slip is known. */
export function slipAt(at: FailedAt): string | undefined {
  for (const row of rows) {
    if (row.before?.test(at.before) === false || row.token?.test(at.token) === false) continue;
    if (row.word?.test(at.token) === false && !row.word.test(at.before)) continue;
    if (row.expected?.test(at.expected) === false) continue;
    const pattern = row.line ?? row.lineBefore;
    const match = pattern?.exec(row.line === undefined ? at.lineBefore : at.line);
    if (pattern === undefined || match !== null) return row.say(match?.slice(1) ?? []);
  }
  return undefined;
}
