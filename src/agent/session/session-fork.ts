/** A conversation that begins as a copy of another (agents.md §4.1). */
import type { Task } from "../../interp/index.ts";
import {
  type ContractState,
  type Conversation,
  conversations,
  type LadderMemory,
  type LoggedMessage,
} from "../../model/index.ts";
import { Dict } from "../../values/index.ts";

/** Its own, from here on. */
const copyOfContract = (state: ContractState): ContractState => ({
  ...state,
  coverage: new Map(state.coverage),
  answers: new Map(state.answers),
  skipped: new Set(state.skipped),
  beginning: new Map(state.beginning),
  inputs: new Map(state.inputs),
  errors: new Map(state.errors),
});

/** `keepFirst`: only so many of its messages; `null` for all, with everything else that the conversation knows. */
export function forkConversation(
  task: Task,
  from: Conversation,
  id: string,
  keepFirst: number | null,
): Conversation {
  const copy = task.runtime.state(conversations).open(id);
  copy.reset();
  const taken: readonly LoggedMessage[] = keepFirst === null ? from.shown : from.shown.slice(0, keepFirst);
  for (const { message, origin } of taken) copy.append(message, origin);
  if (keepFirst === null) for (const { message, origin } of from.unsaid) copy.append(message, origin);
  copy.parentId = from.id;
  copy.branchedAt = keepFirst;
  copy.toolFormat = from.toolFormat;
  copy.anchor = from.anchor;
  copy.metadata = from.metadata.merge(Dict.of({ parent_session_id: from.id }));
  if (keepFirst === null) {
    copy.summary = from.summary;
    copy.lastSummary = from.lastSummary;
    copy.scratchpad = from.scratchpad;
    copy.scratchpadVersion = from.scratchpadVersion;
    copy.reminders = [...from.reminders];
    copy.workItems = from.workItems;
    copy.controlled = from.controlled;
    copy.contract = from.contract === null ? null : copyOfContract(from.contract);
    copy.activeSkills = from.activeSkills;
    copy.ladder = copiedMemory(from, taken);
    copy.audit.push(...from.audit);
  }
  from.childIds.push(id);
  return copy;
}

/** What the ladder remembers, with the copy's own message for it: what went out of view before is the other session's. */
function copiedMemory({ ladder }: Conversation, taken: readonly LoggedMessage[]): LadderMemory | null {
  if (ladder === null) return null;
  const at = taken.findIndex(({ id }) => id === ladder.message);
  return { ...ladder, message: at < 0 ? null : `msg_${at + 1}` };
}
