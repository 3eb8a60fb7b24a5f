/**
 * Text to syntax tree: tokens, lexer, parser, AST. Importing a value from here loads Chevrotain; what only needs the
 * tree imports its types, and what starts a program imports this door dynamically.
 */
export type * from "./ast.ts";
export type { Comment, LexResult } from "./lexer.ts";
export { tokenize } from "./lexer.ts";
export type { ParseExpressionResult, ParseResult } from "./parse.ts";
export { parse, parseExpression } from "./parse.ts";
export type { PrintOptions } from "./printer/print.ts";
export { printExpression, printProgram } from "./printer/print.ts";
export type { Remark, Trivia } from "./printer/trivia.ts";
export { words } from "./tokens.ts";
