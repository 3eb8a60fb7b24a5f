/** From files of scripts to an executable program: reading, the cache of trees, modules, the checks before a run. */
export { AstCache } from "./ast-cache.ts";
export { astShape } from "./ast-shape.ts";
export * from "./built-program.ts";
export { checkTypes } from "./check-types.ts";
export * from "./checked-program.ts";
export * from "./compile.ts";
export { NodeModuleLoader } from "./node-module-loader.ts";
export * from "./program-to-run.ts";
export * from "./read-program.ts";
