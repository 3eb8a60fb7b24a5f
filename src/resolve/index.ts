/** Names: what every name of a program means, before it runs. Also the module graph. */
export { appendedElement } from "./appends.ts";
export { Binding, type CallRef, FunctionInfo, ModuleInfo, type Ref } from "./model.ts";
export { type ModuleLoader, noModules, type Parse } from "./modules.ts";
export * from "./resolve.ts";
export { Scope } from "./scope.ts";
export { namesOf } from "./walk-statements.ts";
