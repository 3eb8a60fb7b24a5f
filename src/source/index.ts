/** Text, spans and the line index: the first stage, which every later one may import. */
export { SourceFile } from "./source-file.ts";
export type { Position, Span } from "./span.ts";
