/** From files of scripts to an executable program: reading, the cache of trees, modules, the checks before a run. */
export { checkTypes } from "./check-types.ts";
export { checked, checkedFile, type FoundModule, NotingLoader } from "./checked-program.ts";
export { canonicalPath, compile, compileToRun, report } from "./compile.ts";
export { NodeModuleLoader } from "./node-module-loader.ts";
export { type ProgramText, readProgram, readText, scriptFiles } from "./read-program.ts";
