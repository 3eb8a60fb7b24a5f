/** From resolved programs to running ones: lowering and program entry. */
export type { CoveredFile } from "./coverage.ts";
export { coreGlobals, type GlobalMaker, type Globals } from "./instance.ts";
export * from "./program.ts";
