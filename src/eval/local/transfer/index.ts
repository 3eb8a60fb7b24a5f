/** Sets of trials as files: of our own form, and of others'. */
export { importedLog, writeInspectArchive, writeInspectJson } from "./inspect-files.ts";
export { importSetFile } from "./read.ts";
export { writeSetFile } from "./write.ts";
