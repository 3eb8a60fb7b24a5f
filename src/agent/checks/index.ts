/** Looking whether something holds. The only door. */
export {
  type CallRecord,
  type CallsSeen,
  type CheckedCall,
  callsSince,
  fitsCall,
  isChange,
  lookAtCalls,
  noCallsSeen,
  type WantedCall,
} from "./calls.ts";
export { type CommandResult, lookAtCommand, runCommandLine, type WantedCommand } from "./command.ts";
export { type FoundFile, type FoundFiles, findFiles, maxFiles, readTexts, searchFiles } from "./files.ts";
export { type CheckLook, excerptOf, met, partly, unmet } from "./look.ts";
export { lookAtJson } from "./schemas.ts";
export {
  lookForText,
  lookInResults,
  noResultsSeen,
  type PatternFinder,
  type ResultsSeen,
  type SearchedText,
} from "./texts.ts";
