/**
 * A tree as canonical source (language.md §26): what `parse` reads back to the same tree. Comments are no part of the
 * tree: a formatter hands them in as `trivia`.
 */
import type { Expr, Program } from "../ast.ts";
import { layOut } from "./doc.ts";
import { ExpressionPrinter } from "./expressions.ts";
import { StatementPrinter } from "./statements.ts";
import type { Trivia } from "./trivia.ts";

export interface PrintOptions {
  /** Columns that a line should not exceed; 100 by default. */
  readonly width?: number;
  /** The text the tree was parsed from: strings of several lines are kept as they stand there. */
  readonly source?: string;
  /** The comments; without it, only documentation of declarations is printed. */
  readonly trivia?: Trivia;
}

/** Prints a whole file, with a line break at its end. */
export function printProgram(program: Program, options: PrintOptions = {}): string {
  const printer = new StatementPrinter(options.source ?? "", options.trivia);
  return layOut(printer.program(program), options.width ?? 100);
}

/** Prints one expression. */
export function printExpression(expr: Expr, options: PrintOptions = {}): string {
  const printer = new ExpressionPrinter(new StatementPrinter(options.source ?? ""));
  return layOut(printer.expr(expr), options.width ?? 100);
}
