/** Running workflows and their records: loaded by the first builtin that does. */
export * from "./execute.ts";
export { loadJson, loadRecord, loadTree, recordPath, saveRecord, usualPath } from "./record/persist.ts";
export { makeRecord } from "./record/record.ts";
export * from "./record/result-run.ts";
