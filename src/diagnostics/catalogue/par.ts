/** PAR: what the lexer and the parser report. Message texts are those of language.md §1.7 and §2.1. */
import { entry } from "../diagnostic.ts";

export interface PlaceParam {
  /** `line:column`, both 1-based. */
  readonly at: string;
}

const CLOSER_HELP: Readonly<Record<string, string>> = {
  "}": "add a closing `}` to finish this block",
  ")": "add a closing `)` to finish this expression or parameter list",
  "]": "add a closing `]` to finish this list or subscript",
};

/** The help of §28.1 for a missing closer. */
function closerHelp(expected: string): string | undefined {
  return Object.hasOwn(CLOSER_HELP, expected) ? CLOSER_HELP[expected] : undefined;
}

export const par = {
  "HARN-PAR-001": entry({
    severity: "error",
    message: (
      p: PlaceParam & {
        readonly expected: string;
        readonly found: string;
        readonly help?: string | undefined;
      },
    ) => `Expected ${p.expected}, got ${p.found} at ${p.at}`,
    label: () => "unexpected token",
    help: (p) => p.help ?? closerHelp(p.expected),
    explain:
      "The parser met a word or character that cannot stand at this place.\n" +
      "The message names what could have stood there. Often the fault is a little before it: a missing operator, " +
      "a missing closing bracket, or two statements on one line without `;` between them.\n" +
      "Look at the marked place and at the end of the line before it.",
  }),
  "HARN-PAR-002": entry({
    severity: "error",
    message: (p: { readonly expected: string }) => `Unexpected end of file, expected ${p.expected}`,
    label: () => "file ends here",
    help: (p) => closerHelp(p.expected),
    explain:
      "The file ended in the middle of a construct.\n" +
      "Most often a `{`, `(` or `[` was opened and never closed, or a line ends in an operator without a right side.\n" +
      "Add what is missing; an editor that shows matching brackets finds the open one.",
  }),
  "HARN-PAR-003": entry({
    severity: "error",
    message: (p: PlaceParam & { readonly char: string; readonly help?: string | undefined }) =>
      `Unexpected character '${p.char}' at ${p.at}`,
    label: () => "not part of the language",
    help: (p) => p.help,
    explain:
      "This character begins no word, operator or punctuation of the language.\n" +
      "It often comes from text pasted from a document (curly quotes, invisible blanks) or from another language " +
      "(single quotes, `#` comments).\n" +
      "Remove it, or put it inside a string: strings are written with double quotes, comments begin with `//`.",
  }),
  "HARN-PAR-004": entry({
    severity: "error",
    message: (p: PlaceParam & { readonly closer: string }) => `Unterminated string at ${p.at}`,
    label: () => "this string is never closed",
    help: (p) =>
      p.closer === '"'
        ? 'close it with `"` on the same line, or write text of several lines between `"""` and `"""`'
        : `close it with \`${p.closer}\``,
    explain:
      "A string was opened and its closing quotes were not found.\n" +
      'A string in `"…"` must end on the line on which it began; text of several lines stands between `"""` and `"""`. ' +
      "An interpolation inside a string needs its `}`.\n" +
      'Add the closing quotes; write a quote inside the text as `\\"`.',
  }),
  "HARN-PAR-005": entry({
    severity: "error",
    message: (p: PlaceParam & { readonly isNested?: boolean | undefined }) =>
      `Unterminated block comment at ${p.at}`,
    label: (p) =>
      p.isNested === true
        ? "a second comment opens here; block comments nest"
        : "this comment is never closed",
    help: () => "close it with `*/`; block comments nest, so each `/*` needs its own `*/`",
    explain:
      "A comment begun with `/*` has no matching `*/`.\n" +
      "Block comments nest: a `/*` inside a comment opens another one, which needs its own `*/`.\n" +
      "Add the missing `*/`, or use `//` for comments of one line.",
  }),
  "HARN-PAR-006": entry({
    severity: "error",
    message: (p: PlaceParam & { readonly text: string }) =>
      `Integer literal \`${p.text}\` is out of range for int (i64) at ${p.at}`,
    label: () => "larger than 9223372036854775807",
    help: () => "write it as a float (with `.0`) or as a string",
    explain:
      "An int has 64 bits: whole numbers from -9223372036854775808 to 9223372036854775807.\n" +
      "Larger literals are refused instead of being changed silently.\n" +
      "Use a float (`1e20` is written `100000000000000000000.0`) if an approximate value is enough, or a string.",
  }),
  "HARN-PAR-007": entry({
    severity: "error",
    message: (p: { readonly line: number }) =>
      `Compile error at line ${p.line}: duration literal is too large`,
    label: () => "too many milliseconds",
    help: () => "the longest duration is 9007199254740991ms, about 285,000 years",
    explain:
      "A duration is a whole number of milliseconds and this literal has too many of them.\n" +
      "Check the unit: `ms`, `s`, `m` (minutes), `h`, `d`, `w`.",
  }),
  "HARN-PAR-008": entry({
    severity: "error",
    message: (p: PlaceParam) => `This is not a text file: it contains a NUL byte at ${p.at}`,
    label: () => "not text",
    help: () => "give the path of a script in UTF-8; a file in UTF-16 must be converted first",
    explain:
      "Scripts are UTF-8 text, and text never holds a NUL byte.\n" +
      "The path may name a program, an image or an archive, or a text saved as UTF-16.\n" +
      "Check the path, or save the file as UTF-8.",
  }),
  "HARN-PAR-009": entry({
    severity: "error",
    message: (p: PlaceParam & { readonly limit: number }) =>
      `Brackets are nested ${p.limit} levels deep at ${p.at}; fewer than ${p.limit} are allowed`,
    label: () => "one level too deep",
    help: () => "give the inner parts names with `let`, or read the data from a file with `json_parse`",
    explain:
      "Brackets (round, square and curly together) may be nested up to 255 levels deep.\n" +
      "The limit keeps generated or damaged input from exhausting the machine.\n" +
      "Name inner parts with `let`; keep big nested data in a JSON file.",
  }),
  "HARN-PAR-010": entry({
    severity: "error",
    message: (p: PlaceParam & { readonly limit?: number | undefined }) =>
      p.limit === undefined
        ? `This code is nested too deeply at ${p.at}`
        : `This code is nested more than ${p.limit} levels deep at ${p.at}`,
    label: () => "too deep",
    help: () =>
      "split it: collect the parts of a long `+` chain in a list and `join` them, turn a long `else if` chain into a `match` or a dict",
    explain:
      "A very long chain (`a + b + …`, `x.a.b…`, `else if …`) nests one level for each link, and the limit keeps every " +
      "later stage within the stack of the machine.\n" +
      "Hand-written programs never come near it; generated ones do.\n" +
      "Split the chain into parts with names, or compute it in a loop.",
  }),
  "HARN-PAR-011": entry({
    severity: "error",
    message: () =>
      "invalid assignment target: expected a variable, property path (`x.a.b`), or subscript path (`x[i][j]`), found an expression",
    label: () => "cannot be assigned to",
    help: () => "assign to a variable first: `var x = …`",
    explain:
      "The left side of `=` must begin with a variable: `x`, `x.a.b` or `x[i][j]`.\n" +
      "Collections are values, so an assignment to the result of a call would be lost.\n" +
      "Store the value in a `var`, change that, and use it.",
  }),
  "HARN-PAR-012": entry({
    severity: "error",
    message: (p: { readonly instead: string }) => p.instead,
    label: () => "written otherwise here",
    explain:
      "This is how another language writes it.\n" +
      "The message shows how it is written here; `docs/tour.md` has a table for people who know Python or TypeScript.",
  }),
  "HARN-PAR-013": entry({
    severity: "error",
    message: (p: { readonly before: string }) => `a comma is missing before '${p.before}'`,
    label: () => "another item?",
    help: (p) =>
      p.before.startsWith("-")
        ? "write `, ` before it for two items, or a blank after the `-` to subtract"
        : "items on one line are separated by commas",
    explain:
      "Items of a list, a dict or a call that stand on one line are separated by commas; on lines of their own they need " +
      "none.\n" +
      "`[1 -1]` would be a subtraction: write `[1, -1]` or `[1 - 1]`.\n" +
      'Strings that stand side by side are no concatenation either: `f"Hello {name}"` of Python is `"Hello ${name}"`.',
  }),
};
