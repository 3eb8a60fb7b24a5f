export * from "../../events/wire/index.ts";
export * from "./envelope.ts";
export * from "./fold.ts";
export { limits } from "./limits.ts";
export type * from "./papers.ts";
export type * from "./records.ts";
export type * from "./view.ts";
