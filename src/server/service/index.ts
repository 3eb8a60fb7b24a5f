/** One loop over durable work, whatever its kind: a door of its own, for what serves without HTTP. */

export { ChildOutput } from "./child-output.ts";
export { FullDiskWait } from "./full-disk.ts";
export { jobEndText } from "./job-end.ts";
export * from "./work-kind.ts";
export { WorkService } from "./work-service.ts";
