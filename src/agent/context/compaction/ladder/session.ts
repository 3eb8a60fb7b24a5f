/** A pass of the ladder that a script makes by hand: of a session, without a loop around it (`agent_session_compact`). */
import type { Task } from "../../../../interp/index.ts";
import { newId } from "../../../../interp/index.ts";
import { type Conversation, findAll, publishNamed } from "../../../../model/index.ts";
import { Callable, Dict, sha256Hex } from "../../../../values/index.ts";
import { runSessionHooks } from "../../../hooks/session-hooks.ts";
import { directives, policyEventFields } from "../../../options/compaction-policy.ts";
import type { LadderOptions } from "../../../options/ladder-options.ts";
import { sourceAssetId } from "../../../session/compaction-source.ts";
import { interveneOutside } from "../../../session/interventions.ts";
import { budgetOf, messageWeight, rawTokens } from "../../meter.ts";
import { usualPrompt } from "../../prompts/catalogue.ts";
import { performCompaction } from "../perform.ts";
import { commitPass, ladderView } from "./commit.ts";
import { toolFacts } from "./facts.ts";
import { lastAnswers } from "./makers.ts";
import { type Asking, type PassInput, runPass } from "./pass.ts";
import type { LadderInput } from "./plan-ladder.ts";
import { probeSummary } from "./probes.ts";

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

/** Makes one pass. `callOptions`: of the summarizing call, where the ladder's own options name none. */
export async function climbSession(
  task: Task,
  conversation: Conversation,
  ladder: LadderOptions,
  callOptions: Dict,
): Promise<void> {
  const { id } = conversation;
  const input = inputOf(task, conversation, ladder);
  const about = Dict.of({
    mode: "session",
    reason: "manual",
    strategy: "ladder",
    message_count: conversation.shown.length,
    estimated_tokens: input.tokens,
    budget: input.budget,
  });
  const said = await runSessionHooks(task, "PreCompact", id, about, "ladder");
  if (said.blocked !== null) return;
  const { pass, rolledBack } = await performCompaction(
    task,
    "agent_session_compact",
    runPass(passOf(task, conversation, ladder, input, callOptions)),
  );
  for (const { maker, reason, messages } of rolledBack)
    await interveneOutside(task, conversation, {
      kind: "rollback",
      rule: maker,
      reason,
      facts: { trigger: "manual", messages },
    });
  if (pass === null) return;
  const assetId = sourceAssetId(newId(task));
  const made = commitPass(conversation, input.view, pass, digestOf(task), assetId, anyRoute);
  const after = tokensOf(conversation);
  const fields = {
    mode: "session",
    reason: "manual",
    strategy: "ladder",
    engine_strategy: "ladder",
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
  await publishNamed(task, id, "transcript_compacted", Dict.of(fields));
  await runSessionHooks(task, "PostCompact", id, Dict.of(fields), "ladder");
}

const digestOf =
  (task: Task) =>
  (text: string): string =>
    sha256Hex(task.runtime.host.crypto, text);

function inputOf(task: Task, conversation: Conversation, ladder: LadderOptions): LadderInput {
  const view = ladderView(conversation);
  const { texts, patterns } = ladder.mustSurvive;
  return {
    view,
    task: conversation.task?.id ?? null,
    trigger: "manual",
    tokens: tokensOf(conversation),
    factor: 1,
    budget: budgetOf({ window: null, maxTokens: null, maxInputTokens: ladder.maxInputTokens }),
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
    survivors: (_message, text) => [
      ...new Set([
        ...texts.filter((one) => text.includes(one)),
        ...patterns.flatMap((pattern) => findAll(task.runtime, pattern, text)),
      ]),
    ],
  };
}

function passOf(
  task: Task,
  conversation: Conversation,
  ladder: LadderOptions,
  input: LadderInput,
  callOptions: Dict,
): PassInput {
  const { summarizer, policy, probes } = ladder;
  const route = summarizer instanceof Dict ? callOptions.merge(summarizer) : callOptions;
  return {
    ladder: input,
    memory: conversation.ladder,
    maker: summarizer instanceof Callable ? "callback" : summarizer === false ? null : "model",
    makerInput: {
      rules: () => saying(usualPrompt("agent.summarizer", { policy: directives(policy) })),
      policy: policy?.raw ?? null,
      route,
      callback: summarizer instanceof Callable ? summarizer : null,
      answers: lastAnswers(new Map()),
      digest: digestOf(task),
    },
    minRetention: ladder.minRetention,
    verify: ladder.verify,
    probe:
      probes === 0
        ? null
        : (span, summary) =>
            probeSummary({ count: probes, route, minRetention: ladder.minRetention }, span, summary),
    outside: { ledger: "", gaps: "" },
    message: (parts) => saying(usualPrompt("agent.compaction_message", { ...parts })),
    turnOf: () => 0,
  };
}
