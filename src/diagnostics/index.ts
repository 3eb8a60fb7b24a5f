/** What is wrong with a program, in words: the catalogue of codes, `Diagnostic`, and its renderers. */

export type { Code, ParamsOf } from "./catalogue.ts";
export { catalogue, diagnostic, isNearlyCertain, judgedByCheck } from "./catalogue.ts";
export { type CodeWords, explain, wordsOf } from "./code-words.ts";
export type { CatalogueEntry, Diagnostic, Severity } from "./diagnostic.ts";
export { byFile, bySourceOrder, entry } from "./diagnostic.ts";
export { editDistance, nearest } from "./nearest.ts";
export { pathText, schemaWords } from "./schema-words.ts";
export {
  coded,
  diagnosticToJson,
  type JsonDiagnostic,
  renderDiagnostic,
  renderDiagnostics,
  renderProblem,
  type TerminalOptions,
  type TerminalProblem,
} from "./terminal.ts";
export { showJson, shownWidth, showOneLine, showText } from "./visible-text.ts";
