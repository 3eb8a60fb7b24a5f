/** The static type checker: a resolved program in, diagnostics out. */
export * from "./check.ts";
export { fits } from "./model/fits.ts";
export { showType } from "./model/show-type.ts";
export { type Type, union } from "./model/type.ts";
