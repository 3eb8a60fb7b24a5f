/** Papers, library, sources and notes in a project's store. The only door. */

export { Library, type NewLibraryEntry, Notes, Sources } from "./library.ts";
export {
  type PaperDifference,
  paperDifference,
  paperOf,
  type SectionDifference,
} from "./paper-view.ts";
export {
  type ChangedPaper,
  isStale,
  type NewPaper,
  type NewReference,
  type OutlineNode,
  type PaperFields,
  Papers,
  type SectionFields,
} from "./papers.ts";
export { type Machine, uuid7From, type Writer, WritingStore } from "./writing-store.ts";
