/**
 * `harn`: the library for TypeScript programs. Whoever imports it pays for what stands here and what it imports at its top, 25 kB; the
 * engine comes with the first run, by `import()`.
 */

export { float } from "../values/json/whole-float.ts";
export { HarnError } from "./errors.ts";
export { harn } from "./harn.ts";
export { tool } from "./tool.ts";
export type * from "./types.ts";
