/**
 * What a child takes along when it is started again under the same session (agents.md §17.3): `carry.transcript_mode`.
 *
 *     inherit   goes on in the conversation as it is        reset     starts empty
 *     fork      goes on in a copy with an id of its own     compact   goes on with the last messages only
 */

import { forkConversation } from "../agent/index.ts";
import type { Task } from "../interp/index.ts";
import { newId } from "../interp/index.ts";
import type { Conversations } from "../model/index.ts";
import type { Carry } from "./fields/shared-fields.ts";

/** Messages that `compact` keeps. */
const keptByCompact = 2;

/** Prepares the conversation for the next run; gives the session that it happens in. */
export function carryConversation(
  task: Task,
  store: Conversations,
  session: string,
  mode: Carry["transcriptMode"],
): string {
  const known = store.get(session);
  if (known === undefined) return session;
  if (mode === "reset") known.reset();
  else if (mode === "compact") compactConversation(store, session);
  else if (mode === "fork") {
    const copy = forkConversation(task, known, `${sessionPrefix(session)}${newId(task)}`, null);
    copy.metadata = copy.metadata.with("parent_transcript_id", session);
    return copy.id;
  }
  return session;
}

const sessionPrefix = (session: string): string =>
  session.startsWith("session_") ? "session_" : "sub_agent_session_";

/** What `compact` keeps of a finished conversation. */
export function compactConversation(store: Conversations, session: string): void {
  const known = store.get(session);
  known?.show(known.shown.slice(-keptByCompact), "script");
}
