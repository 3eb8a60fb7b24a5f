/** From resolved programs to running ones: lowering and program entry. */
export type { CountedStatement, Coverage, CoveredFile } from "./coverage.ts";
export { coreGlobals, type GlobalMaker, type Globals } from "./instance.ts";
export {
  type Compiled,
  type CompileOptions,
  compileProgram,
  type ExecutableProgram,
  type KnownBuiltins,
  LoweredCode,
  type RunOptions,
  type RunOutcome,
  runProgram,
  withFindings,
} from "./program.ts";
