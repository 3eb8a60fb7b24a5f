/**
 * What stands around a pass, whatever the strategy and whoever asks for it: hooks before and after, the change of the view, what
 * the session keeps of it, and who is told.
 *
 *     PreCompact ─▶ pass ─▶ commit ─▶ audit ─▶ interventions ─▶ event ─▶ reminders that end with it ─▶ PostCompact
 */
import type { Conversation, InterventionInput } from "../../../model/index.ts";
import { Dict, type Value } from "../../../values/index.ts";
import { ladderLabel, ladderName } from "../../options/compaction-loop-options.ts";
import { type CompactionPolicy, policyEventFields } from "../../options/compaction-policy.ts";
import type { CompactionMode, CompactionReason } from "../../session/compaction-source.ts";
import { keepsThroughCompaction } from "../../session/reminder-value.ts";
import { commitPass } from "../compaction/commit.ts";
import type { ViewMessage } from "../compaction/exchanges.ts";
import type { CompactionAsk } from "../compaction/library.ts";
import { type Pass, type PassEnd, type PassInput, runPass } from "../compaction/pass.ts";
import type { WordsInput } from "../compaction/words.ts";

export type EventFields = Readonly<Record<string, Value | undefined>>;

/** Where a pass is made: in a turn of a loop, or by hand. `R`: what is asked of whoever runs it. */
export interface PassPlace<R> {
  readonly conversation: Conversation;
  readonly mode: CompactionMode;
  /** Whether a hook blocks. */
  hook(event: "PreCompact" | "PostCompact", fields: Dict, subject: string): Generator<R, boolean, unknown>;
  checkpoint(name: "pre_compact" | "post_compact"): Generator<R, void, unknown>;
  intervene(input: InterventionInput): Generator<R, unknown, unknown>;
  /** Messages went out of view. */
  compacted(fields: EventFields, summary: string): Generator<R, void, unknown>;
  reminders(dropped: readonly Dict[]): Generator<R, void, unknown>;
}

interface Occasion {
  readonly reason: CompactionReason;
  /** What events call the strategy. */
  readonly label: string;
  readonly tokens: number;
  /** Where there is one. */
  readonly budget?: number;
  /** No hook may hold it back. */
  readonly urgent?: boolean;
}

/** A pass with its hooks; `null`: it was held back, or there was nothing to do. */
export function* betweenHooks<R, Q>(
  place: PassPlace<R>,
  { reason, label, tokens, budget, urgent = false }: Occasion,
  pass: () => Generator<Q, EventFields | null, unknown>,
): Generator<R | Q, EventFields | null, unknown> {
  const { mode, conversation } = place;
  const sizes = { message_count: conversation.shown.length, estimated_tokens: tokens, budget };
  const about = Dict.of({ mode, reason, strategy: label, ...sizes });
  if ((yield* place.hook("PreCompact", about, label)) && !urgent) return null;
  yield* place.checkpoint("pre_compact");
  const fields = yield* pass();
  if (fields === null) return null;
  yield* place.checkpoint("post_compact");
  yield* place.hook("PostCompact", Dict.of(fields), label);
  return fields;
}

/** Makes a pass of the ladder; what was refused and rolled back is kept in the session. */
export function* runNoted<R>(
  place: PassPlace<R>,
  input: PassInput,
): Generator<R | CompactionAsk, PassEnd, unknown> {
  const end = yield* runPass(input);
  const noted = (rule: string, reason: string, facts: InterventionInput["facts"]) =>
    place.intervene({ kind: "rollback", rule, reason, facts });
  if (end.refused !== null)
    yield* noted(
      "strategy",
      `the strategy's steps are refused, the usual one takes its place: ${end.refused}`,
      {},
    );
  const { trigger } = input.ladder;
  for (const { maker, reason, messages } of end.rolledBack)
    yield* noted(maker, reason, { trigger, messages });
  return end;
}

/** How a pass is committed, and what is told of it. */
interface PassRecord {
  readonly view: readonly ViewMessage[];
  readonly digest: (text: string) => string;
  readonly reasoningStays: boolean;
  readonly reason: CompactionReason;
  readonly label: string;
  /** The strategy that made the summary first: a hard limit may have replaced its text. */
  readonly engine: string;
  readonly keepFirst: number;
  readonly keepLast: number;
  readonly policy: CompactionPolicy | null;
  readonly before: number;
  readonly interventions: (changed: readonly string[], after: number) => readonly InterventionInput[];
}

/** What its place adds. */
interface CommitMeans {
  readonly assetId: string;
  /** The view has changed; gives the estimate after it. */
  readonly changed: (archived: number) => number;
}

export interface CommittedPass {
  readonly fields: EventFields;
  readonly assetId: string;
  readonly archived: number;
}

/** Changes the view, once, and tells of it. */
export function* commitWithRecord<R>(
  place: PassPlace<R>,
  pass: Pass,
  { view, digest, reasoningStays, interventions, before, policy, ...told }: PassRecord,
  { assetId, changed: noteChange }: CommitMeans,
): Generator<R, CommittedPass, unknown> {
  const { conversation } = place;
  const { changed, archived } = commitPass(conversation, view, pass, digest, assetId, reasoningStays);
  const after = noteChange(archived);
  const summary = pass.text ?? "";
  const fields: EventFields = {
    mode: place.mode,
    reason: told.reason,
    strategy: told.label,
    engine_strategy: told.engine,
    archived_messages: archived,
    new_summary_len: summary.length,
    keep_first: told.keepFirst,
    keep_last: told.keepLast,
    estimated_tokens_before: before,
    estimated_tokens_after: after,
    snapshot_asset_id: assetId,
    ...policyEventFields(policy),
  };
  conversation.audit.push({
    kind: "compaction",
    role: "system",
    visibility: "internal",
    text: `Transcript compacted via ${told.engine}`,
    metadata: Dict.of(fields),
  });
  for (const made of interventions(changed, after)) yield* place.intervene(made);
  yield* place.compacted(fields, summary);
  const dropped = conversation.reminders.filter((reminder) => !keepsThroughCompaction(reminder));
  conversation.reminders = conversation.reminders.filter(keepsThroughCompaction);
  yield* place.reminders(dropped);
  return { fields, assetId, archived };
}

/** Of a pass whose summary is in words. */
export const wordsRecord = (
  { view, options: { label, keepFirst, keepLast, policy } }: WordsInput,
  { words }: Pass,
  reason: CompactionReason,
  before: number,
): PassRecord => ({
  ...{ view, digest: () => "", reasoningStays: true, label, keepFirst, keepLast, policy, before },
  reason: words?.overHardLimit === true ? "hard_limit" : reason,
  engine: words?.engine ?? label,
  interventions: () => [],
});

/** Of a pass of the ladder. `facts`: more of the intervention. */
export const ladderRecord = (
  { options, ladder: { view, tokens: before, budget, trigger, reasoningStays = false }, digest }: PassInput,
  { maker, refused, plan }: Pass,
  facts: () => InterventionInput["facts"] = () => ({}),
): PassRecord => ({
  ...{ view, digest, reasoningStays, reason: trigger, label: ladderName(options), engine: ladderLabel },
  ...{ keepFirst: 0, keepLast: 0, policy: options.policy, before },
  interventions: (changed, after) => [
    {
      kind: "compaction",
      rule: trigger,
      reason: `about ${before} tokens of ${budget} became ${after}`,
      facts: { before, after, budget, rungs: [...plan.rungs], maker, ...facts() },
      messages: changed,
    },
    ...(refused.length > 0 ? [refusedEntries(maker, refused)] : []),
  ],
});

/** Of the entries that were refused so many are named. */
const namedEntries = 10;
const maxEntry = 200;

/** A summary that was taken without some of its entries: which, and why. */
const refusedEntries = (maker: string | null, refused: Pass["refused"]): InterventionInput => ({
  kind: "rollback",
  rule: "refused_entries",
  reason: `${refused.length} ${refused.length === 1 ? "entry" : "entries"} of the summary had no ground in what it stands for`,
  facts: {
    maker,
    entries: refused.slice(0, namedEntries).map(({ text, why, found }) => ({
      text: text.slice(0, maxEntry),
      why,
      found: found.slice(0, namedEntries).map((part) => part.slice(0, maxEntry)),
    })),
  },
});
