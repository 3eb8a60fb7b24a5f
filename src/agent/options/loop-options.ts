/** The options of a loop, read and checked once before the first call (agents.md §10.1, §10.9). */

import { isAgentMode, type PatternMatcher } from "../../model/index.ts";
import { at, checkFieldTypes, type Read, readRows, refusal } from "../../table/index.ts";
import type { Dict } from "../../values/index.ts";
import { approvalOf } from "../policy/approval.ts";
import { iterationBudgetFields } from "../policy/bound-fields.ts";
import { readBeginning } from "../session/seed-transcript.ts";
import { readLoopCompaction } from "./compaction-loop-options.ts";
import { completionOptionsOf } from "./completion-options.ts";
import { readContract } from "./contract-options.ts";
import { type ControlMode, expandControl } from "./control-options.ts";
import { daemonIn } from "./daemon-options.ts";
import { loopFields } from "./loop-fields.ts";
import { readPromptOverrides } from "./prompt-overrides.ts";
import { providersIn } from "./provider-options.ts";
import { repetitionOf } from "./watching/repetition-options.ts";
import { workItemsOf } from "./work-item-options.ts";

/** What the rows of `agent_loop` read as, with what follows from several of them. */
export type LoopOptions = ReturnType<typeof readWhole>;
type LoopRead = Read<typeof loopFields>;

const profiles = {
  tool_using: { maxIterations: 50, maxNudges: 8, schemaRetries: 0 },
  researcher: { maxIterations: 30, maxNudges: 4, schemaRetries: 0 },
  verifier: { maxIterations: 5, maxNudges: 0, schemaRetries: 3 },
  completer: { maxIterations: 1, maxNudges: 0, schemaRetries: 0 },
} as const;

/** Whether a loop with these options gets the tools that control workers. */
export const wantsSubagentTools = (input: Dict): boolean =>
  input.get("subagents") === true || input.get("subagent_tools") === true;

/** Types, values and ranges of all options, at every depth. Throws the first that does not fit. */
export const checkLoopTypes = (input: Dict, caller: string): void =>
  checkFieldTypes(input, loopFields, at(caller));

/** Those of a loop that is given none. */
let usual: LoopOptions | undefined;

/** Reads and checks; throws the first thing that is wrong. */
export function readLoopOptions(
  input: Dict,
  caller = "agent_loop",
  matches: PatternMatcher | null = null,
): LoopOptions {
  if (input.size > 0) return readWhole(input, caller, matches);
  usual ??= readWhole(input, caller, null);
  return usual;
}

function readWhole(input: Dict, caller: string, matches: PatternMatcher | null) {
  const given = input.get("control") ?? null;
  const control = given === null ? null : loopFields.typed.control.read(given, at(caller, "control"));
  const options = expandControl(input, control, caller);
  const read = readRows(options, loopFields, at(caller));
  return {
    ...read,
    ...profileOf(read),
    ...followingFrom(read, control?.mode ?? null, caller),
    /** As given, the profile's defaults under it. */
    raw: withProfile(options, read),
    /** As given, without defaults. */
    input,
    /** `undefined`: by mode; `null`: none. */
    doneSentinel: options.has("done_sentinel") ? read.doneSentinel : undefined,
    workItems: workItemsOf(read.workItems, matches),
    /** `null`: that of the session, if it has one. */
    contract: readContract(options.get("contract") ?? null, caller, matches),
    compaction: readLoopCompaction(options, caller),
    prompts: readPromptOverrides(options),
    /** What the conversation begins with. */
    transcript: readBeginning(options, caller),
  };
}

const profileOf = (read: LoopRead) => {
  const usual = profiles[read.profile];
  return {
    maxIterations: read.maxIterations ?? usual.maxIterations,
    maxNudges: read.maxNudges ?? usual.maxNudges,
    schemaRetries: read.schemaRetries ?? usual.schemaRetries,
  };
};

/** Lays the profile's defaults under the explicit keys. */
function withProfile(options: Dict, read: LoopRead): Dict {
  const { maxIterations, maxNudges, schemaRetries } = profileOf(read);
  const usual = {
    max_iterations: maxIterations,
    max_nudges: maxNudges,
    tool_retries: read.toolRetries,
    schema_retries: schemaRetries,
  };
  let raw = options;
  for (const [key, value] of Object.entries(usual))
    if ((raw.get(key) ?? null) === null) raw = raw.with(key, value);
  return raw;
}

/** What several rows come to together. */
function followingFrom(read: LoopRead, mode: ControlMode | null, caller: string) {
  const { preTool, postTool, agentStop, ...topics } = read.hooks;
  return {
    subagents: read.subagents || read.subagentTools === true,
    approvalPolicy: read.approvalPolicy === null ? null : approvalOf(read.approvalPolicy),
    loopUntilDone: read.loopUntilDone || read.persistent === true,
    iterationBudget: budgetOf(read, caller),
    /** `null`: the loop ends as it says itself. */
    completion: completionOptionsOf(read, mode === "autonomous", caller),
    contextCallback: read.contextCallback ?? read.contextFilter,
    /** `null`: everything may be called at any time, as far as the mode goes. */
    modes: modesOf(read, caller),
    repetition: repetitionOf(read),
    providers: providersIn(read.contextProviders, read.sandboxPath, caller),
    hooks: Object.values(topics).flat(),
    /** Hooks around its tools and its end: in order, before those of the run. */
    ownHooks: { pre_tool: preTool, post_tool: postTool, agent_stop: agentStop },
    /** `null`: it neither idles nor is persisted. */
    daemon: daemonIn(read, caller),
  };
}

/** With `modes` it begins in `mode`; `mode: null`: in that of the session, else in `plan`. */
function modesOf({ modes, mode }: LoopRead, caller: string) {
  if (!modes) return null;
  if (mode !== null && !isAgentMode(mode))
    throw refusal(at(caller, "mode"), '"plan" or "execute" (with `modes`)', mode);
  return { mode };
}
export type ModeOptions = NonNullable<ReturnType<typeof modesOf>>;

function budgetOf(read: LoopRead, caller: string) {
  const { maxIterations } = profileOf(read);
  const input = read.iterationBudget;
  if (input === null)
    return {
      ...iterationBudgetFields.usual,
      initial: maxIterations,
      max: maxIterations,
      extendBy: 0,
      exposeDecisions: false,
    };
  const adaptive = input.mode === "adaptive";
  const max = input.max ?? (adaptive ? Math.max(16, input.initial ?? 1) : maxIterations);
  const initial = input.initial ?? (adaptive ? Math.max(1, Math.floor(max / 4)) : max);
  if (initial > max) throw refusal(at(caller, "iteration_budget.initial"), `int <= max (${max})`, initial);
  return {
    ...input,
    initial,
    max,
    extendBy: input.extendBy ?? (adaptive ? 2 : 0),
    exposeDecisions: input.exposeDecisions ?? adaptive,
  };
}
