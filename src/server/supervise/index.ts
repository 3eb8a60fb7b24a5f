/** Children that do the work of conversations: taking it, watching, interrupting, ending. */
export { attachedFile, attachedTogether, attachmentIn } from "./attached-file.ts";
export type * from "./child-task.ts";
export { StoreSupervisor } from "./store-supervisor.ts";
export type * from "./supervisor.ts";
