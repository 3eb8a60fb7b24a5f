/** What is wrong with a program, in words: the catalogue of codes, `Diagnostic`, and its renderers. */

export * from "./catalogue.ts";
export type { Diagnostic, Severity } from "./diagnostic.ts";
export { byFile, bySourceOrder } from "./diagnostic.ts";
export * from "./nearest.ts";
export * from "./schema-words.ts";
export * from "./terminal.ts";
export { showJson, shownWidth, showOneLine, showText } from "./visible-text.ts";
