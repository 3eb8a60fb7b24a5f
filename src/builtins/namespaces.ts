/** Which members the namespace values have that every program can name: for the checker, which runs nothing. */

import { streamOperators } from "./data/streams.ts";
import { eventLogOperations } from "./events/event-log/namespace.ts";
import { harnessMethods } from "./harness.ts";
import { workflowOperations } from "./work/workflow-mailbox/namespace.ts";

/** Names by the way in which a program writes the value: `stream`, `harness`, `harness.fs`. */
export const namespaceMembers = (): ReadonlyMap<string, readonly string[]> =>
  new Map([
    ["stream", streamOperators()],
    ["event_log", eventLogOperations],
    ["workflow", workflowOperations],
    ...harnessMethods(),
  ]);
