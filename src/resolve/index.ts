/** Names: what every name of a program means, before it runs. Also the module graph. */
export { appendedElement } from "./appends.ts";
export {
  Binding,
  type CallRef,
  FIRST_SLOT,
  FunctionInfo,
  type FunctionKind,
  type ImportRef,
  type KnownNames,
  ModuleInfo,
  type PipelineRef,
  type Ref,
} from "./model.ts";
export { type ModuleLoader, noModules, type Parse } from "./modules.ts";
export { type ResolvedProgram, type ResolveOptions, resolveProgram } from "./resolve.ts";
export { Scope } from "./scope.ts";
export { mayHoldCallback } from "./walk-expressions.ts";
export { namesOf } from "./walk-statements.ts";
