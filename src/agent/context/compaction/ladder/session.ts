/**
 * A pass of the ladder that a script makes by hand, without a loop around it: of a session (`agent_session_compact`), or of a
 * conversation that is made of a transcript (`transcript_compact`).
 */
import type { Task } from "../../../../interp/index.ts";
import { newId } from "../../../../interp/index.ts";
import { type Conversation, findAll, publishNamed } from "../../../../model/index.ts";
import { Callable, Dict, sha256Hex, thrown, type Value } from "../../../../values/index.ts";
import { runSessionHooks } from "../../../hooks/session-hooks.ts";
import { ladderLabel, ladderName } from "../../../options/compaction-loop-options.ts";
import { directives, policyEventFields } from "../../../options/compaction-policy.ts";
import { type LadderOptions, ladderKeys, readLadder } from "../../../options/ladder-options.ts";
import { type CompactionMode, sourceAssetId } from "../../../session/compaction-source.ts";
import { gapsText } from "../../../session/contract-gaps.ts";
import { interveneOutside } from "../../../session/interventions.ts";
import { ledgerText } from "../../../session/ledger.ts";
import { inputBudget, messageWeight, rawTokens } from "../../meter.ts";
import { usualPrompt } from "../../prompts/catalogue.ts";
import { callOptionsIn, performCompaction } from "../perform.ts";
import { commitPass, ladderView, unheardWords } from "./commit.ts";
import { toolFacts } from "./facts.ts";
import { lastAnswers } from "./makers.ts";
import { type Asking, type PassInput, refusedEntries, refusedStrategy, runPass } from "./pass.ts";
import type { LadderInput } from "./plan-ladder.ts";
import { probeRoute, probeSummary } from "./probes.ts";
import { checkPatterns, namedIn } from "./survivors.ts";

/** Which route goes on with the session is not known here: what one of them needs back stays. */
const anyRoute = true;

const tokensOf = ({ view }: Conversation): number =>
  rawTokens({
    weight: view.reduce((sum, message) => sum + messageWeight(message), 0),
    messages: view.length,
  });

/** Nobody is asked for words that nobody may override here. */
// biome-ignore lint/correctness/useYield: see above.
function* saying(text: string): Asking<string> {
  return text;
}

/** Who asks for a pass, in errors and in what the pass leaves behind. */
export interface ByHand {
  readonly caller: string;
  readonly mode: CompactionMode;
  /** Options of the summarizing call, where the ladder's own name none. */
  readonly callOptions: Dict;
}

/** What is said of a pass that was made. */
export interface HandPass {
  /** Of the event, live and in the transcript. */
  readonly fields: Record<string, Value>;
  readonly assetId: string;
  readonly archived: number;
}

/** Whether options ask for the ladder: by its name, or by a key that only it has where no strategy is named. */
export function asksForLadder(options: Dict): boolean {
  const named = options.get("compact_strategy") ?? options.get("strategy") ?? null;
  if (named !== null) return named === ladderLabel || named instanceof Callable;
  return ladderKeys.some((key) => (options.get(key) ?? null) !== null);
}

/** The ladder's options of a builtin; those of the summarizing call may stand beside them. */
export function readLadderByHand(task: Task, options: Dict, caller: string): [LadderOptions, Dict] {
  const callOptions = callOptionsIn(task, options);
  const ladder = readLadder(options, caller, callOptions, "");
  if (ladder.mustSurvive.functions.length > 0)
    throw thrown(`${caller}: \`must_survive\` takes texts and patterns here; functions are for loops`);
  if (ladder.tool)
    throw thrown(`${caller}: \`tool\` is for loops: there is no model here that could ask for a pass`);
  checkPatterns(ladder.mustSurvive, findingAll(task), `${caller}: \`must_survive\``);
  return [ladder, callOptions];
}

/** Makes one pass over a session. A `PreCompact` hook that blocks leaves everything as it was. */
export async function climbSession(
  task: Task,
  conversation: Conversation,
  ladder: LadderOptions,
  by: ByHand,
): Promise<void> {
  const { id } = conversation;
  const { tokens, budget } = sizeOf(conversation, ladder);
  const about = Dict.of({
    mode: by.mode,
    reason: "manual",
    strategy: ladderName(ladder),
    message_count: conversation.shown.length,
    estimated_tokens: tokens,
    budget,
  });
  const said = await runSessionHooks(task, "PreCompact", id, about, ladderName(ladder));
  if (said.blocked !== null) return;
  const made = await climbByHand(task, conversation, ladder, by);
  if (made !== null) await runSessionHooks(task, "PostCompact", id, Dict.of(made.fields), ladderName(ladder));
}

/** Makes one pass over a conversation and tells of it; `null`: there was nothing to take out. */
export async function climbByHand(
  task: Task,
  conversation: Conversation,
  ladder: LadderOptions,
  { caller, mode, callOptions }: ByHand,
): Promise<HandPass | null> {
  const input = ladderInputOf(task, conversation, ladder);
  const { pass, rolledBack, refused } = await performCompaction(
    task,
    caller,
    runPass(passOf(task, conversation, ladder, input, callOptions)),
  );
  if (refused !== null) await interveneOutside(task, conversation, refusedStrategy(refused));
  for (const { maker, reason, messages } of rolledBack)
    await interveneOutside(task, conversation, {
      kind: "rollback",
      rule: maker,
      reason,
      facts: { trigger: "manual", messages },
    });
  if (pass === null) return null;
  const assetId = sourceAssetId(newId(task));
  const made = commitPass(conversation, input.view, pass, digesterOf(task), assetId, anyRoute);
  const { tokens: after } = sizeOf(conversation, ladder);
  const fields = {
    mode,
    reason: "manual",
    strategy: ladderName(ladder),
    engine_strategy: ladderLabel,
    archived_messages: made.archived,
    new_summary_len: pass.text?.length ?? 0,
    keep_first: 0,
    keep_last: 0,
    estimated_tokens_before: input.tokens,
    estimated_tokens_after: after,
    snapshot_asset_id: assetId,
    ...policyEventFields(ladder.policy),
  };
  conversation.audit.push({
    kind: "compaction",
    role: "system",
    visibility: "internal",
    text: "Transcript compacted via ladder",
    metadata: Dict.of(fields),
  });
  await interveneOutside(task, conversation, {
    kind: "compaction",
    rule: "manual",
    reason: `about ${input.tokens} tokens of ${input.budget} became ${after}`,
    facts: {
      before: input.tokens,
      after,
      budget: input.budget,
      rungs: [...pass.plan.rungs],
      maker: pass.maker,
    },
    messages: made.changed,
  });
  if (pass.refused.length > 0)
    await interveneOutside(task, conversation, refusedEntries(pass.maker, pass.refused));
  await publishNamed(task, conversation.id, "transcript_compacted", Dict.of(fields));
  return { fields, assetId, archived: made.archived };
}

/** The view by the estimate alone: nobody has counted it, and which window it is for is not known. */
const sizeOf = (
  conversation: Conversation,
  { maxInputTokens }: LadderOptions,
): { tokens: number; budget: number } => ({
  tokens: tokensOf(conversation),
  budget: inputBudget({ window: null, maxTokens: null, maxInputTokens }),
});

const findingAll =
  (task: Task) =>
  (pattern: string, text: string): readonly string[] =>
    findAll(task.runtime, pattern, text);

const digesterOf =
  (task: Task) =>
  (text: string): string =>
    sha256Hex(task.runtime.host.crypto, text);

function ladderInputOf(task: Task, conversation: Conversation, ladder: LadderOptions): LadderInput {
  const view = ladderView(conversation);
  return {
    view,
    task: conversation.task?.id ?? null,
    trigger: "manual",
    ...sizeOf(conversation, ladder),
    factor: 1,
    settings: ladder.settings,
    reasoningStays: anyRoute,
    ...toolFacts({
      conversation,
      view,
      tools: new Map(),
      rules: ladder.durability,
      recalled: new Set(),
      treasured: new Set(),
    }),
    survivors: (_message, text) => [...new Set(namedIn(ladder.mustSurvive, findingAll(task), text))],
  };
}

function passOf(
  task: Task,
  conversation: Conversation,
  ladder: LadderOptions,
  input: LadderInput,
  callOptions: Dict,
): PassInput {
  const { summarizer, policy, probes, minRetention } = ladder;
  const route = summarizer instanceof Dict ? callOptions.merge(summarizer) : callOptions;
  const maker = summarizer instanceof Callable ? "callback" : summarizer === false ? null : "model";
  return {
    ladder: input,
    strategy: ladder.strategy,
    memory: conversation.ladder,
    people: unheardWords(conversation, input.view),
    maker,
    makerInput: {
      rules: () => saying(usualPrompt("agent.summarizer", { policy: directives(policy) })),
      policy: policy?.raw ?? null,
      route,
      callback: summarizer instanceof Callable ? summarizer : null,
      answers: lastAnswers(new Map()),
      digest: digesterOf(task),
    },
    minRetention,
    verify: ladder.verify,
    probe:
      probes === 0 || maker === null
        ? null
        : (span, summary) =>
            probeSummary({ count: probes, route: probeRoute(ladder, route), minRetention }, span, summary),
    outside: { ledger: ledgerText(conversation.workItems), gaps: gapsText(conversation.contract) },
    message: (parts) => saying(usualPrompt("agent.compaction_message", { ...parts })),
    turnOf: () => 0,
  };
}
