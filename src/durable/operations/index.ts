/** All operations by name: for engines that are sent names, and for tests. A plain run needs only the areas that it uses. */
import type { AnyOperation } from "../operation.ts";
import { access } from "./access.ts";
import { checkpointRecords } from "./checkpoints.ts";
import { conversationOperations } from "./conversations/operations.ts";
import { daemonOperations } from "./daemons.ts";
import { evals } from "./evals.ts";
import { eventTopics } from "./event-log.ts";
import { libraryOperations } from "./library.ts";
import { metadataFacts } from "./metadata.ts";
import { noteOperations, sourceOperations } from "./notes.ts";
import { paperOperations } from "./papers/operations.ts";
import { projections } from "./projections.ts";
import { questions } from "./questions.ts";
import { records } from "./records.ts";
import { scriptStore } from "./script-store.ts";
import { sessionOperations } from "./sessions/operations.ts";
import { workflowMailboxes } from "./workflow-mailboxes.ts";

const areas: readonly { readonly [name: string]: unknown }[] = [
  access,
  checkpointRecords,
  conversationOperations,
  daemonOperations,
  evals,
  eventTopics,
  libraryOperations,
  metadataFacts,
  noteOperations,
  paperOperations,
  projections,
  questions,
  records,
  scriptStore,
  sessionOperations,
  sourceOperations,
  workflowMailboxes,
];

export const allOperations: ReadonlyMap<string, AnyOperation> = new Map(
  areas.flatMap((area) => Object.values(area) as AnyOperation[]).map((one) => [one.name, one]),
);
