/** Children that do the work of conversations: taking it, watching, interrupting, ending. */
export { attachedFile, attachedTogether, attachmentIn } from "./attached-file.ts";
export type { ConversationJob, FromChild, ToChild } from "./child-task.ts";
export { StoreSupervisor, type SupervisorOptions } from "./store-supervisor.ts";
export type {
  InterruptAnswer,
  InterruptTarget,
  InterruptWish,
  Listener,
  PassingEnvelope,
  PublishedEvent,
  ServedAgent,
  Supervisor,
} from "./supervisor.ts";
