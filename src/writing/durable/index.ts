/** Papers, library, sources and notes in a project's store. The only door. */

export * from "./library.ts";
export * from "./paper-view.ts";
export * from "./papers.ts";
export * from "./writing-store.ts";
