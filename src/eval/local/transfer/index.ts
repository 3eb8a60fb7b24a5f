/** Sets of trials as files: of our own form, and of others'. */

export { SetArchive } from "./archive.ts";
export { placeCarried } from "./carried.ts";
export { importSetFile, placeSetPart } from "./read.ts";
export { placeSources, sourcesOfTrials } from "./sources.ts";
export { ContradictingResult, type TakenResult, takeIntoSet } from "./take-in.ts";
export { type SetPart, setPartFile, writeSetFile } from "./write.ts";
export { importedLog, writeInspectArchive, writeInspectJson } from "./zip-file.ts";
