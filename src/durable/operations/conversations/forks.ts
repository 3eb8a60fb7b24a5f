/** A conversation that goes like another one up to an event, and lives from there on. */
import type { Json } from "../../../effects/index.ts";
import type { StreamEvent } from "../../../store/index.ts";
import { StoreError } from "../../../store/index.ts";
import type { Tx } from "../../tx.ts";
import { keep, keptOf, readHistory } from "./log.ts";
import { type ForkedFrom, newConversation, type StoredConversation } from "./record.ts";
import { ConversationRuns } from "./runs.ts";

export interface Fork extends Omit<ForkedFrom, "run"> {
  /** Of the new one. */
  readonly id: string;
  readonly from: string;
  readonly event: number;
  /** Name of the new run; it begins with the conversation's letter. */
  readonly run: string;
  readonly owner: string;
  readonly title: string | null;
  /** Its folder; null: that of the other one, in which the forked run worked. */
  readonly workspace: string | null;
  readonly now: number;
}

const pageSize = 500;

function runAtEvent(tx: Tx, { id, head }: StoredConversation, event: number): string {
  if (event < 1 || event > head)
    throw new StoreError("invalid", `there is no event ${event}: the log has ${head}`);
  const began = lastRunStart(tx, id, event);
  if (began === undefined)
    throw new StoreError("invalid", `no run had begun at event ${event}: there is nothing to fork`);
  return (began.body as { readonly run: string }).run;
}

/** The history of both is that of the moment when the forked run began: what it said before the fork it says again itself. */
export function forkDurableConversation(tx: Tx, one: Fork): StoredConversation {
  const conversations = new ConversationRuns(tx);
  const from = conversations.mustFind(one.from);
  const forked = runAtEvent(tx, from, one.event);
  const { entries } = readHistory(tx, from.id);
  const own = entries.find((entry) => entry.run === forked);
  const before = own === undefined ? entries : entries.filter(({ n }) => n < own.n);
  const history = before.at(-1)?.n ?? 0;
  const { agent, mode, config } = from;
  const made = { agent, owner: one.owner, title: one.title ?? from.title, mode, config };
  const { provider: ownProvider = null, model: ownModel = null } = from.route ?? {};
  // A model that stood with one provider is not that of another.
  const isOther = one.provider !== null && one.provider !== ownProvider;
  const route = {
    provider: one.provider ?? ownProvider,
    model: one.model ?? (isOther ? null : ownModel),
  };
  const parent = { conversation: from.id, run: forked, event: one.event, history };
  const { step, provider, model, set, result } = one;
  const fork = { run: forked, step, provider, model, set, result };
  const work = { run: one.run, message: null, since: 1, deaths: 0, records: 0, because: null, fork };
  let record: StoredConversation = {
    // What the forked run has done to files it does again nowhere else.
    ...newConversation(one.id, { ...made, workspace: one.workspace ?? from.workspace }, one.now),
    ...(route.provider === null && route.model === null ? {} : { route }),
    parent,
    history,
  };
  const { workspace: _, ...data } = { ...made, workspace: null };
  record = conversations.log(record, "conversation.created", { ...data, parent: from.id } as Json, one.now);
  tx.write("conversation_run", {
    run: one.run,
    conversation: one.id,
    message: null,
    began: one.now,
    ended: null,
    status: null,
  });
  if (own === undefined) keep(tx, one.id, keptOf(tx, from.id));
  record = conversations.move({ ...record, work }, "queued", one.now);
  conversations.send(one.id);
  return record;
}

/** The event with which the last run before (or at) this number began. */
function lastRunStart(tx: Tx, stream: string, upTo: number): StreamEvent | undefined {
  let found: StreamEvent | undefined;
  for (let after = 0; after < upTo; ) {
    const events = tx.events(stream, after, Math.min(pageSize, upTo - after));
    for (const event of events) if (event.type === "run.start") found = event;
    if (events.length === 0) break;
    after = events.at(-1)?.seq ?? upTo;
  }
  return found;
}
