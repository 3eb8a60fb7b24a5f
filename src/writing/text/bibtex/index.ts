export * from "./items.ts";
export type { BibtexProblem } from "./parse.ts";
export { bibtexOf } from "./write.ts";
