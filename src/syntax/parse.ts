/**
 * Text to tree. `parse` never throws on any text: what is wrong comes back as diagnostics, the first one first. The
 * program may be used when no diagnostic is an error.
 *
 * The parser object is made on first use and kept: making it costs more than parsing a script.
 */
import { bySourceOrder, type Diagnostic, diagnostic } from "../diagnostics/index.ts";
import type { SourceFile, Span } from "../source/index.ts";
import type { Expr, Node, Program } from "./ast.ts";
import { failuresToDiagnostics } from "./failure.ts";
import { HarnParser } from "./grammar/program.ts";
import { type LexResult, tokenize } from "./lexer.ts";

export interface ParseResult {
  readonly program: Program;
  readonly diagnostics: readonly Diagnostic[];
}

export interface ParseExpressionResult {
  /** `undefined` when the text is no expression. */
  readonly expr: Expr | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

let parser: HarnParser | undefined;

/** Parses a file. */
export function parse(source: SourceFile): ParseResult {
  const { tree, diagnostics } = run(source, (harn) => harn.program());
  const empty: Program = { kind: "Program", start: 0, end: source.text.length, items: [] };
  return { program: tree ?? empty, diagnostics };
}

/** Parses one expression that takes up the whole text (templates, the REPL). */
export function parseExpression(source: SourceFile): ParseExpressionResult {
  const { tree, diagnostics } = run(source, (harn) => harn.loneExpression());
  return { expr: diagnostics.length === 0 ? tree : undefined, diagnostics };
}

function run<N extends Node>(source: SourceFile, entry: (harn: HarnParser) => N | undefined) {
  const lexed = tokenize(source);
  if (lexed.errors.some(isHopeless)) return { tree: undefined, diagnostics: lexed.errors };
  parser ??= new HarnParser();
  parser.load(source.text, lexed);
  try {
    const tree = entry(parser);
    const failures = failuresToDiagnostics(parser.errors, source);
    const diagnostics = merge(lexed.errors, failures);
    const deep =
      diagnostics.length === 0 && tree !== undefined && mayBeDeep(lexed, parser) ? tooDeep(tree) : undefined;
    if (deep === undefined) return { tree, diagnostics };
    return { tree: undefined, diagnostics: [tooDeepAt(source, deep, maxTreeDepth)] };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // The machine's stack ended before our own limits: deep blocks on a small stack.
    const at = parser.position;
    parser = undefined;
    return { tree: undefined, diagnostics: [tooDeepAt(source, { start: at, end: at + 1 })] };
  } finally {
    if (parser !== undefined) parser.unload();
  }
}

/** Errors of the lexer after which the tokens mean nothing. */
function isHopeless(error: Diagnostic): boolean {
  return error.code === "HARN-PAR-008" || error.code === "HARN-PAR-009";
}

/** The lexer's errors come first; what the parser found after the first of them may be its echo. */
function merge(lexical: readonly Diagnostic[], failures: readonly Diagnostic[]): readonly Diagnostic[] {
  if (lexical.length === 0) return failures;
  const first = lexical[0]!.span.start;
  const before = failures.filter((failure) => failure.span.start < first && failure.code !== "HARN-PAR-002");
  return [...lexical, ...before.sort(bySourceOrder)];
}

/** Walking the whole tree is left out when brackets and chains together cannot reach the limit. */
function mayBeDeep(lexed: LexResult, harn: HarnParser): boolean {
  return (lexed.depth + 1) * (harn.maxChain + 8) > maxTreeDepth;
}

function tooDeepAt(source: SourceFile, span: Span, limit?: number): Diagnostic {
  const { line, column } = source.position(span.start);
  const short = { start: span.start, end: Math.min(span.end, span.start + 1) };
  return diagnostic("HARN-PAR-010", source, short, { limit, at: `${line}:${column}` });
}

/**
 * Deepest tree that later stages get: they recurse on it, and some chains make it deep without any bracket: `a ** b ** …`,
 * `c ? a : c ? b : …`, `- - x`, `list<list<…`. Chains that lean to the left (`a + b + …`, `x.a.b…`, `v |> f |> g`) and
 * `else if` do not count: every stage walks those in a loop. Nested brackets alone (255, at most three nodes each) stay below it; a
 * recursive stage with three JavaScript calls for each level fits Node's ordinary stack.
 */
const maxTreeDepth = 1000;

/** The child that continues a chain, by the kind of its node. */
const CONTINUES: ReadonlyMap<string, string> = new Map([
  ["Binary", "left"],
  ["Pipe", "value"],
  ["Member", "object"],
  ["Index", "object"],
  ["Slice", "object"],
  ["MethodCall", "receiver"],
  ["Propagate", "value"],
  ["If", "else"],
]);

/** The first node met that stands deeper than the limit, or `undefined`. The walk keeps its own stack, so it works on any tree. */
function tooDeep(root: Node, limit: number = maxTreeDepth): Node | undefined {
  const stack: { value: unknown; depth: number; within: Node }[] = [{ value: root, depth: 0, within: root }];
  while (stack.length > 0) {
    const { value, depth, within } = stack.pop()!;
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) stack.push({ value: item, depth, within });
      continue;
    }
    const kind = "kind" in value ? (value as Node).kind : undefined;
    const here = kind === undefined ? within : (value as Node);
    if (depth > limit) return here;
    const below = kind === undefined ? depth : depth + 1;
    const chain = kind === undefined ? undefined : CONTINUES.get(kind);
    for (const [key, child] of Object.entries(value)) {
      stack.push({ value: child, depth: key === chain ? depth : below, within: here });
    }
  }
  return undefined;
}
