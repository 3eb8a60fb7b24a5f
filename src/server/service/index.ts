/** One loop over durable work, whatever its kind: a door of its own, for what serves without HTTP. */
export { ClaimedWork } from "./claimed-work.ts";
export { jobEndText } from "./job-end.ts";
export { type Settled, type WorkKindService, WorkService } from "./work-service.ts";
