/**
 * Text to syntax tree: tokens, lexer, parser, AST. Importing a value from here loads Chevrotain; what only needs the
 * tree imports its types, and what starts a program imports this door dynamically.
 */
export type * from "./ast.ts";
export * from "./lexer.ts";
export * from "./parse.ts";
export * from "./printer/print.ts";
export type { Remark, Trivia } from "./printer/trivia.ts";
export { words } from "./tokens.ts";
