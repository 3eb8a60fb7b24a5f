/** The static type checker: a resolved program in, diagnostics out. */
export { checkProgram, typeChecker, variableType } from "./check.ts";
export type { CheckOptions } from "./checker.ts";
export { fits } from "./fits.ts";
export { showType } from "./show-type.ts";
export { same, type Type, union } from "./type.ts";
