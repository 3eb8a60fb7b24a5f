/** A pass of the ladder in its place: what it is given, what it leaves in the session, and how it is committed. */
import type { Conversation, InterventionInput } from "../../../model/index.ts";
import { Callable, type Dict, type Value } from "../../../values/index.ts";
import { ladderLabel, ladderName } from "../../options/compaction-loop-options.ts";
import { directives } from "../../options/compaction-policy.ts";
import type { LadderOptions } from "../../options/ladder-options.ts";
import { commitPass, unheardWords } from "./commit.ts";
import type { Asking, CompactionAsk } from "./engine.ts";
import { lastAnswers } from "./makers.ts";
import { type Outside, type Pass, type PassEnd, type PassInput, runPass } from "./pass.ts";
import { probeRoute, probeSummary } from "./probes.ts";
import { type EventFields, type PassPlace, recordPass } from "./record.ts";
import type { LadderInput } from "./shown.ts";

export type PassPrompt = "agent.summarizer" | "agent.compaction_message";

/** What a pass asks of its place. */
export interface PassMeans {
  readonly conversation: Conversation;
  /** Options of the summarizing call. */
  readonly route: Dict;
  /** The summarizer is left alone for a while. */
  readonly rests?: boolean;
  /** What must be kept above all. */
  readonly focus?: string;
  readonly answers: Map<string, string>;
  readonly digest: (text: string) => string;
  readonly prompt: (name: PassPrompt, bindings: Readonly<Record<string, Value>>) => Asking<string>;
  readonly outside: Outside;
  readonly turnOf: (message: string) => number;
  readonly asksMaker?: () => void;
}

export function passInputOf(ladder: LadderOptions, input: LadderInput, means: PassMeans): PassInput {
  const { summarizer, policy, probes: count, minRetention } = ladder;
  const { conversation, route, focus = "", prompt } = means;
  const callback = summarizer instanceof Callable ? summarizer : null;
  const asksNobody = summarizer === false || means.rests === true;
  const maker = asksNobody ? null : callback === null ? "model" : "callback";
  const wanted = [directives(policy), focus === "" ? "" : `Keep above all: ${focus}`];
  return {
    ladder: input,
    strategy: ladder.strategy,
    memory: conversation.ladder,
    people: unheardWords(conversation, input.view),
    ...(means.asksMaker === undefined ? {} : { asksMaker: means.asksMaker }),
    maker,
    makerInput: {
      rules: () => prompt("agent.summarizer", { policy: wanted.filter((part) => part !== "").join("\n") }),
      policy: policy?.raw ?? null,
      route,
      callback,
      answers: lastAnswers(means.answers),
      digest: means.digest,
    },
    minRetention,
    verify: ladder.verify,
    probe:
      count === 0 || maker === null
        ? null
        : (span, summary) =>
            probeSummary({ count, route: probeRoute(ladder, route), minRetention }, span, summary),
    outside: means.outside,
    message: (parts) => prompt("agent.compaction_message", parts),
    turnOf: means.turnOf,
  };
}

/** Makes a pass; what was refused and rolled back is kept in the session. */
export function* runNoted<R>(
  place: PassPlace<R>,
  passing: PassInput,
): Generator<R | CompactionAsk, PassEnd, unknown> {
  const end = yield* runPass(passing);
  if (end.refused !== null)
    yield* place.intervene({
      kind: "rollback",
      rule: "strategy",
      reason: `the strategy's steps are refused, the usual one takes its place: ${end.refused}`,
      facts: {},
    });
  const { trigger } = passing.ladder;
  for (const { maker, reason, messages } of end.rolledBack)
    yield* place.intervene({ kind: "rollback", rule: maker, reason, facts: { trigger, messages } });
  return end;
}

interface CommitMeans {
  readonly digest: (text: string) => string;
  readonly assetId: string;
  /** The route wants calls back with their reasoning. */
  readonly reasoningStays: boolean;
  /** The view has changed; gives the estimate after it. */
  readonly changed: () => number;
  /** More facts of the intervention. */
  readonly facts?: () => InterventionInput["facts"];
}

/** Changes the view, once, and tells of it. */
export function* commitLadder<R>(
  place: PassPlace<R>,
  ladder: LadderOptions,
  input: LadderInput,
  pass: Pass,
  means: CommitMeans,
): Generator<R, { fields: EventFields; archived: number; after: number }, unknown> {
  const { digest, assetId, reasoningStays } = means;
  const { tokens: before, budget, trigger: reason } = input;
  const { changed, archived } = commitPass(
    place.conversation,
    input.view,
    pass,
    digest,
    assetId,
    reasoningStays,
  );
  const after = means.changed();
  const report = {
    ...{ mode: place.mode, reason, label: ladderName(ladder), engine: ladderLabel },
    ...{ archived, summary: pass.text ?? "", keepFirst: 0, keepLast: 0, before, after, assetId },
    policy: ladder.policy,
  };
  const { maker, refused } = pass;
  const fields = yield* recordPass(place, report, [
    {
      kind: "compaction",
      rule: reason,
      reason: `about ${before} tokens of ${budget} became ${after}`,
      facts: { before, after, budget, rungs: [...pass.plan.rungs], maker, ...means.facts?.() },
      messages: changed,
    },
    ...(refused.length > 0 ? [refusedEntries(maker, refused)] : []),
  ]);
  return { fields, archived, after };
}

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
