/** Looking whether something holds. The only door. */
export * from "./calls.ts";
export * from "./command.ts";
export { type FoundFiles, findFiles, maxFiles, readTexts, searchFiles } from "./files.ts";
export { type CheckLook, met, partly, unmet } from "./look.ts";
export * from "./texts.ts";
