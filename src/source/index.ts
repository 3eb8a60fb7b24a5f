/** Text, spans and the line index, and how texts differ: the first stage, which every later one may import. */
export {
  type DiffLibrary,
  type LineChange,
  lineChanges,
  linePatch,
  linesOf,
  type PatchLabels,
} from "./line-patch.ts";
export { SourceFile } from "./source-file.ts";
export type { Position, Span } from "./span.ts";
