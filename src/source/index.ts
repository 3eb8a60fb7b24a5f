/** Text, spans and the line index, patterns of texts, and how texts differ: the first stage, which every later one may import. */

export { escapePattern } from "./escape-pattern.ts";
export * from "./line-patch.ts";
export { SourceFile } from "./source-file.ts";
export type { Span } from "./span.ts";
