/**
 * A tree as canonical source (language.md §26): what `parse` reads back to the same tree. Comments are no part of the
 * tree; a formatter puts them in by their positions.
 */
import type { Expr, Program } from "../ast.ts";
import { layOut } from "./doc.ts";
import { ExpressionPrinter } from "./expressions.ts";
import { StatementPrinter } from "./statements.ts";

export interface PrintOptions {
  /** Columns that a line should not exceed; 100 by default. */
  readonly width?: number;
  /** The text the tree was parsed from: strings of several lines are kept as they stand there. */
  readonly source?: string;
}

/** Prints a whole file, with a line break at its end. */
export function printProgram(program: Program, options: PrintOptions = {}): string {
  return layOut(new StatementPrinter(options.source ?? "").program(program), options.width ?? 100);
}

/** Prints one expression. */
export function printExpression(expr: Expr, options: PrintOptions = {}): string {
  const printer = new ExpressionPrinter(new StatementPrinter(options.source ?? ""));
  return layOut(printer.expr(expr), options.width ?? 100);
}
