export * from "../../events/wire/index.ts";
export * from "./envelope.ts";
export {
  awaitsOnlyPeople,
  branchOf,
  callKey,
  emptyView,
  foldAll,
  foldEvents,
  lastOutcome,
  loopKey,
  openQuestions,
  rolledUp,
  viewFromJson,
} from "./fold.ts";
export { limits } from "./limits.ts";
export type * from "./papers.ts";
export { type Problem, type ProblemSlug, problemStatus, slugOf } from "./problem.ts";
export type * from "./records.ts";
export { SseParser } from "./sse.ts";
export type * from "./view.ts";
