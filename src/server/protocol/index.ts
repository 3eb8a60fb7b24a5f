export * from "./envelope.ts";
export * from "./event-data.ts";
export {
  callKey,
  emptyView,
  foldAll,
  foldEvents,
  loopKey,
  openQuestions,
  rolledUp,
  viewFromJson,
} from "./fold.ts";
export * from "./json.ts";
export { limits } from "./limits.ts";
export { type Problem, type ProblemSlug, problemStatus, slugOf } from "./problem.ts";
export type * from "./records.ts";
export type * from "./view.ts";
