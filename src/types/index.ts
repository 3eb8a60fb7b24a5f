/** The static type checker: a resolved program in, diagnostics out. */
export { checkProgram, typeChecker, variableType } from "./check.ts";
export type { CheckOptions } from "./checker.ts";
export { fits } from "./model/fits.ts";
export { showType } from "./model/show-type.ts";
export { same, type Type, union } from "./model/type.ts";
