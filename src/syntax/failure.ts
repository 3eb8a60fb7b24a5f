/** From Chevrotain's exceptions to diagnostics: the texts of language.md §2.1. */
import { EOF, type IRecognitionException, type IToken } from "chevrotain";
import { type Diagnostic, diagnostic } from "../diagnostics/index.ts";
import type { SourceFile } from "../source/index.ts";
import type { SyntaxFailure } from "./grammar/base.ts";
import { type FailedAt, slipAt } from "./slips.ts";
import { isReserved, T, type Token } from "./tokens.ts";

/** A heredoc copied from a tool call (language.md §2). */
const HEREDOC =
  "an expression — heredocs are only valid inside LLM tool-call argument JSON; for multiline strings in source code " +
  'use triple-quoted `"""..."""`';

/** What to do about frequent slips; shown as help. */
const RESERVED_HELP = "reserved words cannot name things; they may be dict keys and member names";

/** The diagnostics of failed statements, in the order of discovery, one for each place. */
export function failuresToDiagnostics(
  failures: readonly IRecognitionException[],
  source: SourceFile,
): Diagnostic[] {
  const seen = new Set<number>();
  const diagnostics: Diagnostic[] = [];
  for (const failure of failures as readonly SyntaxFailure[]) {
    const made = toDiagnostic(failure, source);
    if (seen.has(made.span.start)) continue;
    seen.add(made.span.start);
    diagnostics.push(made);
  }
  return diagnostics;
}

function toDiagnostic(failure: SyntaxFailure, source: SourceFile): Diagnostic {
  const { token, message: expected } = failure;
  if (failure.target !== undefined) return diagnostic("HARN-PAR-011", source, failure.target, {});
  if (failure.comma !== undefined) {
    const slip = slipAt(around(failure, source.text));
    if (slip !== undefined)
      return diagnostic("HARN-PAR-012", source, failure.comma, { instead: slip.instead });
    const { start, end } = failure.comma;
    const before = source.text.slice(start, end).split("\n", 1)[0] ?? "";
    return diagnostic("HARN-PAR-013", source, failure.comma, { before: cappedMessage(before) });
  }
  if (failure.instead !== undefined) {
    const span = { start: token.startOffset, end: token.endOffset! + 1 };
    return diagnostic("HARN-PAR-012", source, span, { instead: failure.instead });
  }
  if (token.tokenType === EOF) {
    const end = endOfCode(source.text);
    return diagnostic("HARN-PAR-002", source, { start: end, end }, { expected });
  }
  return unexpected(failure, token, expected, source);
}

function unexpected(failure: SyntaxFailure, token: IToken, expected: string, source: SourceFile): Diagnostic {
  const start = token.startOffset;
  const end = Math.max(token.endOffset! + 1, start);
  const { line, column } = source.position(start);
  const at = `${line}:${column}`;
  const heredoc = expected === "expression" && token.image === "<" && source.text.charCodeAt(end) === 60;
  if (heredoc) {
    const found = "`<<` heredoc-like syntax";
    return diagnostic("HARN-PAR-001", source, { start, end: end + 1 }, { expected: HEREDOC, found, at });
  }
  const slip = slipAt(around(failure, source.text));
  if (slip?.beside === false)
    return diagnostic("HARN-PAR-012", source, { start, end }, { instead: slip.instead });
  const reserved = isReserved(token.image) && namesSomething(expected);
  const found = failure.got ?? (reserved ? `'${token.image}' (reserved keyword)` : describe(token));
  const help = slip?.instead ?? (reserved ? RESERVED_HELP : helpFor(expected, token));
  return diagnostic("HARN-PAR-001", source, { start, end }, { expected, found, at, help });
}

/** The words around the token that does not fit. */
function around({ token, previousToken, message }: SyntaxFailure, text: string): FailedAt {
  const lineStart = text.lastIndexOf("\n", token.startOffset - 1) + 1;
  const lineEnd = text.indexOf("\n", token.startOffset);
  const isSameLine = previousToken !== undefined && previousToken.startOffset >= lineStart;
  const from = isSameLine ? previousToken.startOffset : token.startOffset;
  return {
    expected: message,
    token: token.image,
    before: isSameLine ? previousToken.image : "",
    line: text.slice(from, lineEnd < 0 ? text.length : lineEnd),
    lineBefore: text.slice(lineStart, isSameLine ? previousToken.endOffset! + 1 : lineStart),
  };
}

/** Was a name expected that no reserved word may be? */
function namesSomething(expected: string): boolean {
  return /\bname$/.test(expected) || expected.startsWith("variable name") || expected === "identifier";
}

function helpFor(expected: string, token: IToken): string | undefined {
  const type = token.tokenType;
  if (expected.endsWith("(`;` or newline)")) {
    if (type === T.Equals) return "comparison is written `==`";
    if (type !== T.LParen) return undefined;
    return "only names, members and calls can be called: store the function in a variable first, or pipe into it";
  }
  if (expected === "expression" && type === T.Else) return "`else` must follow the `}` of its `if` directly";
  if (expected === "->" && type === T.Equals) return "an arm is written `pattern -> { … }`";
  if (expected === "{" && type === T.Arrow) return "a closure has no return type: write `fn(x) { … }`";
  if (expected === ":" && (type === T.RCurly || type === T.Comma)) {
    return "every entry of a dict has a value: write `name: name`";
  }
  return undefined;
}

/** A token as messages show it. */
function describe(token: IToken): string {
  const { value } = token as Token;
  switch (token.tokenType) {
    case T.Int:
      return `int(${value})`;
    case T.Float:
      return `float(${Number.isInteger(value) ? `${value}.0` : value})`;
    case T.Duration:
      return `duration(${value}ms)`;
    case T.Str:
      return `str(${cappedMessage(String(value))})`;
    case T.RawStr:
      return `rstr(${cappedMessage(String(value))})`;
    case T.StrStart:
      return "istr(...)";
    case T.StrMid:
    case T.StrEnd:
      return "}";
    case T.Newline:
      return "\\n";
    case T.Ellipsis:
      return ".";
    default:
      return isReserved(token.image) || !/^[\p{Alphabetic}_]/u.test(token.image)
        ? token.image
        : `id(${cappedMessage(token.image)})`;
  }
}

/** A message stays readable when the token is a page of text. */
function cappedMessage(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** The end of the text without the blanks and line ends after it: where the caret of "file ends here" stands. */
function endOfCode(text: string): number {
  let end = text.length;
  while (end > 0 && " \t\r\n".includes(text[end - 1]!)) end--;
  return end;
}
