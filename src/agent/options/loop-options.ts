/** The options of a loop, read and checked once before the first call (agents.md §10.1, §10.9). */

import {
  type PatternMatcher,
  readToolSearch,
  type TaskContract,
  type ToolSearchOptions,
} from "../../model/index.ts";
import { checkFieldTypes } from "../../table/index.ts";
import { Callable, Dict, Float, List, shownValue, thrown, typeOf, type Value } from "../../values/index.ts";
import { type HookTopic, hookTopics } from "../contract/index.ts";
import { type ApprovalPolicy, readApproval } from "../policy/approval.ts";
import { readPolicy } from "../policy/capability.ts";
import type { CapabilityPolicy } from "../policy/capability-policy.ts";
import { type Permissions, readPermissions } from "../policy/permissions.ts";
import { readBeginning } from "../session/seed-transcript.ts";
import { type LoopCompaction, readLoopCompaction } from "./compaction-loop-options.ts";
import { type CompletionOptions, readCompletion } from "./completion-options.ts";
import { readContract } from "./contract-options.ts";
import { expandControl } from "./control-options.ts";
import { type DaemonOptions, readDaemonOptions } from "./daemon-options.ts";
import { type JitOptions, readJit } from "./jit-options.ts";
import { loopFields } from "./loop-fields.ts";
import type { NarrowingOptions } from "./narrowing-options.ts";
import { type ProjectionOptions, readProjection } from "./projection-options.ts";
import { type PromptOverrides, readPromptOverrides } from "./prompt-overrides.ts";
import { type ContextProvider, readProviders } from "./provider-options.ts";
import { readScratchpad, type ScratchpadOptions } from "./scratchpad-options.ts";
import { type ModeOptions, readModes } from "./watching/mode-options.ts";
import { type RepetitionOptions, readRepetition } from "./watching/repetition-options.ts";
import { readWorkItems, type WorkItemOptions } from "./work-item-options.ts";

export type FallbackPolicy = "allow" | "allow_once" | "reject";

export interface IterationBudget {
  readonly mode: "fixed" | "adaptive";
  readonly initial: number;
  readonly max: number;
  readonly extendBy: number;
  readonly exposeDecisions: boolean;
  readonly wallClockMs: number | null;
  readonly totalCostUsd: number | null;
  readonly consecutiveFailures: FailureTolerance | null;
}

/** Failed model calls in a row that a loop lives with. */
export interface FailureTolerance {
  /** So many end the loop. */
  readonly max: number;
  /** Categories, kinds or reasons of errors that are lived with; `null` for all. */
  readonly kinds: ReadonlySet<string> | null;
  /** Rest before the next try. */
  readonly pausedForMs: number;
}

export interface TurnPolicy {
  readonly requireActionOrYield: boolean;
  readonly allowDoneSentinel: boolean;
  readonly maxProseChars: number | null;
}

export interface JudgeCadence {
  readonly every: number;
  readonly when: "always" | "stalled" | Callable;
  readonly maxInvocations: number | null;
  readonly minIterationsBeforeFirst: number;
}

export interface JudgeOptions {
  readonly config: Dict;
  /** Vetoes after which it no longer fires and the loop ends; `null` for no cap. */
  readonly cap: number | null;
  readonly cadence: JudgeCadence;
  readonly feedbackFallback: string | null;
  readonly failOpen: boolean;
}

export interface StepJudgeOptions {
  readonly config: Dict;
  readonly rubric: string;
  readonly onVeto: "replace" | "retain";
  readonly maxAttempts: number;
  readonly skipWhenEmpty: boolean;
  readonly skipWhenStalled: boolean;
  readonly skipWhenIterationsRemaining: number;
  readonly failOpen: boolean;
  readonly feedbackFallback: string | null;
}

export interface OwnHooks {
  readonly pre_tool: readonly Callable[];
  readonly post_tool: readonly Callable[];
  readonly agent_stop: readonly Callable[];
}

/** The names of `hooks` that are no topics of the machine. */
const ownHookNames = ["pre_tool", "post_tool", "agent_stop"] as const;

export interface LoopOptions {
  /** As given, profile defaults merged under it. */
  readonly raw: Dict;
  /** As given, without defaults. */
  readonly input: Dict;
  readonly llmCaller: Callable | null;
  readonly toolCaller: Callable | null;
  readonly prefetchNextTurn: boolean;
  readonly policy: CapabilityPolicy | null;
  readonly permissions: Permissions | null;
  readonly approval: ApprovalPolicy | null;
  readonly commandPolicy: Dict | null;
  readonly loopUntilDone: boolean;
  /** `undefined`: by mode; `null`: none. */
  readonly doneSentinel: string | null | undefined;
  readonly iterationBudget: IterationBudget;
  readonly loopControl: Callable | null;
  readonly maxNudges: number;
  readonly nudge: string | null;
  readonly llmBackoffMs: number | undefined;
  readonly schemaRetries: number;
  /** `llm_options` of the caller; `post_turn_callback` may add to them. */
  readonly llmOptions: Dict | null;
  readonly toolFormat: "native" | "text" | "json" | "auto" | null;
  readonly toolRetries: number;
  readonly toolBackoffMs: number;
  readonly toolTimeoutMs: number | undefined;
  readonly toolOutputMaxChars: number | undefined;
  readonly maxConcurrentTools: number;
  readonly stopAfterSuccessful: ReadonlySet<string>;
  /** Each inner list is satisfied by any of its names. */
  readonly requireSuccessful: readonly (readonly string[])[];
  readonly turnPolicy: TurnPolicy;
  readonly fallback: FallbackPolicy;
  /** `null`: the loop ends as it says itself. */
  readonly completion: CompletionOptions | null;
  /** `null`: nobody keeps a ledger. */
  readonly workItems: WorkItemOptions | null;
  /** `null`: that of the session, if it has one. */
  readonly contract: TaskContract | null;
  readonly verifyCompletion: Callable | null;
  readonly completionJudge: JudgeOptions | null;
  readonly doneJudge: JudgeOptions | null;
  readonly maxVerifyAttempts: number;
  readonly stepJudge: StepJudgeOptions | null;
  readonly postTurn: Callable | null;
  readonly contextCallback: Callable | null;
  readonly messageDecorator: Callable | null;
  readonly timestampMessages: boolean;
  /** `null`: everything may be called at any time, as far as the mode goes. */
  readonly modes: ModeOptions | null;
  readonly repetition: RepetitionOptions;
  readonly providers: readonly ContextProvider[];
  readonly jit: JitOptions | null;
  readonly narrowing: NarrowingOptions | null;
  readonly toolSearch: ToolSearchOptions | null;
  readonly compaction: LoopCompaction | null;
  /** Tokens that the model takes in, where nobody knows. */
  readonly contextWindow: number | null;
  readonly projection: ProjectionOptions | null;
  readonly scratchpad: ScratchpadOptions | null;
  readonly prompts: PromptOverrides;
  readonly llmTranscriptDir: string | null;
  /** What the conversation begins with. */
  readonly transcript: Dict | null;
  readonly progressTool: {
    readonly name: string;
    readonly description: string;
    readonly hint: string;
  } | null;
  readonly sessionId: string | null;
  readonly limits: {
    readonly toolCalls: number | null;
    readonly tokens: number | null;
    /** At the limit of tool calls there is one more turn, without tools. */
    readonly closingTurn: boolean;
  };
  readonly hooks: readonly { readonly topic: HookTopic; readonly callback: Callable }[];
  /** Hooks around its tools and its end: in order, before those of the run. */
  readonly ownHooks: OwnHooks;
  readonly onEvent: Callable | null;
  /** `null`: it neither idles nor is persisted. */
  readonly daemon: DaemonOptions | null;
  /** The model may suspend, resume and stop workers: `subagents`, `subagent_tools`. */
  readonly subagents: boolean;
}

const profiles: ReadonlyMap<string, Readonly<Record<string, number>>> = new Map([
  ["tool_using", { max_iterations: 50, max_nudges: 8, tool_retries: 0, schema_retries: 0 }],
  ["researcher", { max_iterations: 30, max_nudges: 4, tool_retries: 0, schema_retries: 0 }],
  ["verifier", { max_iterations: 5, max_nudges: 0, tool_retries: 0, schema_retries: 3 }],
  ["completer", { max_iterations: 1, max_nudges: 0, tool_retries: 0, schema_retries: 0 }],
]);

/** Whether a loop with these options gets the tools that control workers. */
export const wantsSubagentTools = (input: Dict): boolean =>
  input.get("subagents") === true || input.get("subagent_tools") === true;

/** Types, values and ranges of all options, at every depth. Throws the first that does not fit. */
export const checkLoopTypes = (input: Dict, caller: string): void =>
  checkFieldTypes(caller, input, loopFields);

/** Reads and checks; throws the first thing that is wrong. */
export function readLoopOptions(
  input: Dict,
  caller = "agent_loop",
  matches: PatternMatcher | null = null,
): LoopOptions {
  const { options: laid, mode } = expandControl(input, caller, loopFields);
  const read = new OptionReader(laid, caller);
  const profile = read.profile();
  const doneSentinel = read.sentinel();
  return {
    raw: read.options,
    input: input,
    llmCaller: read.closure("llm_caller"),
    toolCaller: read.closure("tool_caller"),
    prefetchNextTurn: read.bool("prefetch_next_turn", false),
    subagents: [read.bool("subagents", false), read.bool("subagent_tools", false)].some(Boolean),
    policy: readPolicy(laid.get("policy") ?? null, `${caller}: `),
    permissions: readPermissions(laid.get("permissions") ?? null, caller),
    commandPolicy: read.dict("command_policy"),
    approval: readApproval(laid.get("approval_policy") ?? null, `${caller}: `),
    loopUntilDone: read.bool("loop_until_done", false) || read.bool("persistent", false),
    doneSentinel,
    iterationBudget: read.iterationBudget(profile),
    loopControl: read.closure("loop_control"),
    maxNudges: read.count("max_nudges", 0),
    nudge: read.text("nudge"),
    llmBackoffMs: laid.has("llm_backoff_ms") ? read.count("llm_backoff_ms", 0) : 2000,
    schemaRetries: read.count("schema_retries", 0),
    llmOptions: read.dict("llm_options"),
    toolFormat: read.toolFormat(),
    toolRetries: read.count("tool_retries", 0),
    toolBackoffMs: laid.has("tool_backoff_ms") ? read.count("tool_backoff_ms", 0) : 1000,
    toolTimeoutMs: laid.has("tool_timeout_ms") ? read.count("tool_timeout_ms", 1) : undefined,
    toolOutputMaxChars: laid.has("tool_output_max_chars")
      ? read.count("tool_output_max_chars", 200)
      : undefined,
    maxConcurrentTools: read.concurrency(),
    stopAfterSuccessful: new Set(read.names("stop_after_successful_tools")),
    requireSuccessful: read.required(),
    turnPolicy: read.turnPolicy(),
    fallback: read.fallback(),
    completion: readCompletion(read.options, mode === "autonomous", caller),
    workItems: readWorkItems(read.options, caller, matches),
    contract: readContract(read.options.get("contract") ?? null, caller, matches),
    verifyCompletion: read.closure("verify_completion"),
    completionJudge: read.judge("verify_completion_judge", 5),
    doneJudge: read.judge("done_judge", null),
    maxVerifyAttempts: laid.has("max_verify_attempts") ? read.count("max_verify_attempts", 1) : 20,
    stepJudge: read.stepJudge(),
    postTurn: read.closure("post_turn_callback"),
    contextCallback: read.closure("context_callback") ?? read.closure("context_filter"),
    messageDecorator: read.closure("message_decorator"),
    timestampMessages: read.bool("timestamp_messages", false),
    modes: readModes(laid, caller),
    repetition: readRepetition(laid, caller),
    providers: readProviders(laid, caller),
    jit: readJit(laid.get("jit") ?? null, caller),
    narrowing: read.narrowing(),
    toolSearch: readToolSearch(laid.get("tool_search"), `${caller}: `),
    compaction: readLoopCompaction(laid, caller),
    contextWindow: laid.has("context_window") ? read.count("context_window", 1000) : null,
    projection: readProjection(laid.get("transcript_projection") ?? null, caller),
    scratchpad: readScratchpad(laid.get("scratchpad") ?? null, caller),
    prompts: readPromptOverrides(laid),
    llmTranscriptDir: read.text("llm_transcript_dir"),
    transcript: readBeginning(laid, caller),
    progressTool: read.progressTool(),
    sessionId: read.text("session_id"),
    limits: read.limits(),
    hooks: read.hooks(),
    ownHooks: read.ownHooks(),
    onEvent: read.closure("on_event"),
    daemon: readDaemonOptions(laid, caller),
  };
}

class OptionReader {
  options: Dict;
  private readonly input: Dict;
  private readonly caller: string;

  constructor(input: Dict, caller: string) {
    this.input = input;
    this.options = input;
    this.caller = caller;
  }

  private fail(text: string): never {
    throw thrown(`${this.caller}: ${text}`);
  }

  private value(name: string): Value {
    return this.options.get(name) ?? null;
  }

  /** Lays the profile's defaults under the explicit keys. */
  profile(): string {
    const name = this.value("profile") ?? "tool_using";
    const defaults = typeof name === "string" ? profiles.get(name) : undefined;
    if (defaults === undefined)
      this.fail("profile must be one of tool_using, researcher, verifier, completer");
    for (const [key, value] of Object.entries(defaults)) {
      if ((this.input.get(key) ?? null) === null) this.options = this.options.with(key, value);
    }
    return name as string;
  }

  bool(name: string, fallback: boolean): boolean {
    const value = this.value(name);
    if (value === null) return fallback;
    if (typeof value !== "boolean") this.fail(`\`${name}\` must be a bool or nil; got ${typeOf(value)}`);
    return value;
  }

  text(name: string): string | null {
    const value = this.value(name);
    if (value !== null && typeof value !== "string")
      this.fail(`\`${name}\` must be a string or nil; got ${typeOf(value)}`);
    return value;
  }

  dict(name: string): Dict | null {
    const value = this.value(name);
    if (value !== null && !(value instanceof Dict))
      this.fail(`\`${name}\` must be a dict or nil; got ${typeOf(value)}`);
    return value;
  }

  closure(name: string): Callable | null {
    const value = this.value(name);
    if (value !== null && !(value instanceof Callable))
      this.fail(`\`${name}\` must be a closure or nil; got ${typeOf(value)}`);
    return value;
  }

  count(name: string, least: number): number {
    const value = this.value(name);
    if (typeof value !== "number") this.fail(`\`${name}\` must be an int; got ${typeOf(value)}`);
    if (value < least) this.fail(`\`${name}\` must be >= ${least}; got ${value}`);
    return value;
  }

  sentinel(): string | null | undefined {
    if (!this.input.has("done_sentinel")) return undefined;
    const value = this.value("done_sentinel");
    if (value === null) return null;
    if (typeof value !== "string")
      this.fail(`\`done_sentinel\` must be a non-empty string or nil; got ${typeOf(value)}`);
    if (value === "") this.fail("`done_sentinel` must be a non-empty string or nil; got empty string");
    return value;
  }

  toolFormat(): LoopOptions["toolFormat"] {
    const value = this.value("tool_format");
    if (value === null || value === "native" || value === "text" || value === "json" || value === "auto")
      return value;
    return this.fail(
      `\`tool_format\` must be one of native, text, json, auto (or omitted); got ${shownValue(value)}`,
    );
  }

  fallback(): FallbackPolicy {
    const value = this.value("native_tool_fallback") ?? "allow";
    if (value === "allow" || value === "allow_once" || value === "reject") return value;
    return this.fail(
      `native_tool_fallback must be one of allow, allow_once, reject; got ${shownValue(value)}`,
    );
  }

  concurrency(): number {
    const value = this.value("max_concurrent_tools") ?? 1;
    if (typeof value !== "number" || value < 1)
      this.fail(`\`max_concurrent_tools\` must be >= 1; got ${shownValue(value)}`);
    return value as number;
  }

  names(name: string): string[] {
    const value = this.value(name);
    if (value === null) return [];
    if (typeof value === "string") return [value];
    if (!(value instanceof List)) this.fail(`\`${name}\` must be a list of tool names; got ${typeOf(value)}`);
    return [...value].map((item) =>
      typeof item === "string"
        ? item
        : this.fail(`\`${name}\` must be a list of tool names; got an entry of type ${typeOf(item)}`),
    );
  }

  required(): string[][] {
    const value = this.value("require_successful_tools");
    if (value === null) return [];
    if (typeof value === "string") return [[value]];
    const bad = "`require_successful_tools` must be a list of tool names or lists of tool names";
    if (!(value instanceof List)) this.fail(`${bad}; got ${typeOf(value)}`);
    return [...value].map((item) => {
      if (typeof item === "string") return [item];
      if (!(item instanceof List) || item.length === 0)
        this.fail(`${bad}; got an entry of type ${typeOf(item)}`);
      return [...item].map((name) =>
        typeof name === "string" ? name : this.fail(`${bad}; got an entry of type ${typeOf(name)}`),
      );
    });
  }

  turnPolicy(): TurnPolicy {
    const policy = this.dict("turn_policy");
    const max = policy?.get("max_prose_chars") ?? null;
    if (max !== null && (typeof max !== "number" || max < 1)) {
      this.fail(`\`turn_policy.max_prose_chars\` must be a positive integer; got ${shownValue(max)}`);
    }
    return {
      requireActionOrYield: policy?.get("require_action_or_yield") === true,
      allowDoneSentinel: policy?.get("allow_done_sentinel") !== false,
      maxProseChars: max as number | null,
    };
  }

  private positive(value: Value, name: string): number {
    if (typeof value !== "number" || value < 1)
      this.fail(`\`${name}\` must be a positive integer; got ${shownValue(value)}`);
    return value as number;
  }

  iterationBudget(profile: string): IterationBudget {
    const names = ["max_iterations", "max_turns"].filter((name) => (this.input.get(name) ?? null) !== null);
    if (names.length > 1) this.fail("`max_turns` is another name of `max_iterations`; pass one of the two");
    const [name = "max_iterations"] = names;
    const explicit = names.length > 0;
    const maxCount = this.positive(this.value(name), name);
    const input = this.value("iteration_budget");
    if (input === null) return fixedBudget(maxCount);
    const dict = typeof input === "string" ? Dict.of({ mode: input }) : input;
    if (!(dict instanceof Dict))
      this.fail(`iteration_budget must be a dict, string, or nil; got ${typeOf(input)}`);
    const mode = dict.get("mode") ?? "fixed";
    if (mode !== "fixed" && mode !== "adaptive")
      this.fail(`iteration_budget.mode must be "fixed" or "adaptive"; got ${shownValue(mode)}`);
    const field = (name: string, fallback: number): number => {
      const value = dict.get(name) ?? null;
      return value === null ? fallback : this.positive(value, `iteration_budget.${name}`);
    };
    const adaptive = mode === "adaptive";
    const usualMax = adaptive ? 16 : explicit || profile !== "tool_using" ? maxCount : 50;
    const max = field("max", Math.max(usualMax, adaptive ? field("initial", 1) : 1));
    const initial = field("initial", adaptive ? Math.max(1, Math.floor(max / 4)) : max);
    if (initial > max) {
      this.fail(
        `\`iteration_budget.initial\` must be less than or equal to \`iteration_budget.max\`; got initial=${initial}, max=${max}`,
      );
    }
    const expose = dict.get("expose_decisions");
    return {
      mode,
      initial,
      max,
      extendBy: adaptive || dict.has("extend_by") ? field("extend_by", 2) : 0,
      exposeDecisions: typeof expose === "boolean" ? expose : adaptive,
      wallClockMs: this.amount(dict, "wall_clock_ms", "iteration_budget"),
      totalCostUsd: this.amount(dict, "total_cost_usd", "iteration_budget"),
      consecutiveFailures: this.failures(dict),
    };
  }

  private failures(budget: Dict): FailureTolerance | null {
    const where = "iteration_budget.consecutive_failures";
    const value = budget.get("consecutive_failures") ?? null;
    if (value === null) return null;
    const dict = typeof value === "number" ? Dict.of({ max: value }) : value;
    if (!(dict instanceof Dict)) this.fail(`\`${where}\` must be a dict or nil; got ${typeOf(value)}`);
    const max = this.positive(dict.get("max") ?? null, `${where}.max`);
    const kinds = dict.get("kinds") ?? null;
    if (kinds !== null && !(kinds instanceof List && [...kinds].every((kind) => typeof kind === "string")))
      this.fail(`\`${where}.kinds\` must be a list of strings or nil; got ${typeOf(kinds)}`);
    return {
      max,
      kinds: kinds === null ? null : new Set([...(kinds as List)] as string[]),
      pausedForMs: this.amount(dict, "paused_for_ms", where) ?? 0,
    };
  }

  private amount(dict: Dict, name: string, where: string): number | null {
    const value = dict.get(name) ?? null;
    if (value === null) return null;
    const number = optionNumberOf(value);
    if (number === undefined || number < 0)
      this.fail(`\`${where}.${name}\` must be a number of 0 or more; got ${shownValue(value)}`);
    return number as number;
  }

  limits(): LoopOptions["limits"] {
    const dict = this.dict("limits");
    if (dict === null) return { toolCalls: null, tokens: null, closingTurn: false };
    const closing = dict.get("closing_turn") ?? false;
    if (typeof closing !== "boolean")
      this.fail(`\`limits.closing_turn\` must be a bool or nil; got ${typeOf(closing)}`);
    return {
      toolCalls: this.amount(dict, "tool_calls", "limits"),
      tokens: this.amount(dict, "tokens", "limits"),
      closingTurn: closing,
    };
  }

  judge(name: string, usualCap: number | null): JudgeOptions | null {
    const value = this.value(name);
    if (value === null || value === false) return null;
    const config = value === true ? new Dict() : value;
    if (!(config instanceof Dict))
      this.fail(`\`${name}\` must be a dict, bool, or nil; got ${typeOf(value)}`);
    const cap =
      this.atLeast(config, "max_invocations", name) ?? this.atLeast(config, "max_feedback", name) ?? usualCap;
    return {
      config,
      cap: cap === 0 ? null : cap,
      cadence: this.cadence(config, name),
      feedbackFallback: textOf(config.get("feedback_fallback")),
      failOpen: config.get("fail_open") === true,
    };
  }

  private atLeast(dict: Dict, key: string, where: string, least = 0): number | null {
    const value = dict.get(key) ?? null;
    if (value === null) return null;
    if (typeof value !== "number" || value < least) this.fail(`\`${where}.${key}\` must be >= ${least}`);
    return value as number;
  }

  private cadence(config: Dict, name: string): JudgeCadence {
    const input = config.get("cadence") ?? null;
    if (input !== null && !(input instanceof Dict))
      this.fail(`\`${name}.cadence\` must be a dict or nil; got ${typeOf(input)}`);
    const dict = input ?? new Dict();
    const where = `${name}.cadence`;
    const when = dict.get("when") ?? "always";
    if (when !== "always" && when !== "stalled" && !(when instanceof Callable)) {
      this.fail(`\`${where}.when\` must be "always", "stalled", a closure, or nil; got ${shownValue(when)}`);
    }
    return {
      every: this.atLeast(dict, "every", where, 1) ?? 1,
      when,
      maxInvocations: this.atLeast(dict, "max_invocations", where),
      minIterationsBeforeFirst: this.atLeast(dict, "min_iterations_before_first", where) ?? 0,
    };
  }

  stepJudge(): StepJudgeOptions | null {
    const value = this.value("step_judge");
    if (value === null || value === false) return null;
    const config = value === true ? new Dict() : value;
    if (!(config instanceof Dict))
      this.fail(`\`step_judge\` must be a dict, bool, or nil; got ${typeOf(value)}`);
    const onVeto = config.get("on_veto") ?? "replace";
    if (onVeto !== "replace" && onVeto !== "retain")
      this.fail(`\`step_judge.on_veto\` must be "replace" or "retain"; got ${shownValue(onVeto)}`);
    return {
      config,
      rubric: textOf(config.get("rubric")) ?? "default",
      onVeto,
      maxAttempts: this.atLeast(config, "max_attempts", "step_judge", 1) ?? 3,
      skipWhenEmpty: config.get("skip_when_empty") !== false,
      skipWhenStalled: config.get("skip_when_stalled") !== false,
      skipWhenIterationsRemaining: this.atLeast(config, "skip_when_iterations_remaining", "step_judge") ?? 1,
      failOpen: config.get("fail_open") !== false,
      feedbackFallback: textOf(config.get("feedback_fallback")),
    };
  }

  /** On unless it is switched off. */
  narrowing(): NarrowingOptions | null {
    const value = this.value("tool_surface_narrowing");
    if (value === false) return null;
    const config = value === null || value === true ? new Dict() : value;
    if (!(config instanceof Dict))
      this.fail(`\`tool_surface_narrowing\` must be a dict, bool, or nil; got ${typeOf(value)}`);
    if (config.get("enabled") === false) return null;
    const mode = config.get("mode") ?? "safe";
    if (mode !== "safe" && mode !== "aggressive")
      this.fail('`tool_surface_narrowing.mode` must be "safe" or "aggressive"');
    const unknown = config.get("unknown_tool_policy") ?? "keep";
    if (unknown !== "keep" && unknown !== "prune")
      this.fail('`tool_surface_narrowing.unknown_tool_policy` must be "keep" or "prune"');
    const texts = (key: string, usual: readonly string[]): readonly string[] => {
      const input = config.get(key) ?? null;
      if (input === null) return usual;
      if (!(input instanceof List))
        this.fail(`\`tool_surface_narrowing.${key}\` must be a list of strings; got ${typeOf(input)}`);
      return [...input].filter((item) => typeof item === "string");
    };
    return {
      isUsual: value === null,
      windowTurns: this.atLeast(config, "window_turns", "tool_surface_narrowing", 1) ?? 5,
      mode,
      hardKeep: texts("hard_keep", []),
      pruneClasses: texts("prune_classes", ["read_only"]),
      keepClasses: texts("keep_classes", mode === "aggressive" ? [] : keptClasses),
      unknownPolicy: unknown,
    };
  }

  progressTool(): LoopOptions["progressTool"] {
    const value = this.value("progress_tool");
    if (value === null || value === false) return null;
    if (value !== true && !(value instanceof Dict))
      this.fail("progress_tool must be true, false, a dict, or nil");
    const dict = value === true ? new Dict() : value;
    const name = textOf(dict.get("name")) ?? "agent_progress";
    return {
      name,
      description:
        textOf(dict.get("description")) ??
        "Tell the user how the work is going: a message, a list of task entries, or both.",
      hint:
        textOf(dict.get("system_prompt_nudge")) ??
        `Use \`${name}\` to report progress when a part of the work begins or ends.`,
    };
  }

  hooks(): LoopOptions["hooks"] {
    const dict = this.dict("hooks");
    if (dict === null) return [];
    const found: { topic: HookTopic; callback: Callable }[] = [];
    for (const [topic, value] of dict.entries()) {
      if ((ownHookNames as readonly string[]).includes(topic)) continue;
      if (!(hookTopics as readonly string[]).includes(topic)) {
        const known = [...hookTopics, ...ownHookNames].join(", ");
        this.fail(`\`hooks\`: unknown topic \`${topic}\`; expected one of ${known}`);
      }
      for (const callback of this.closures(topic, value)) found.push({ topic: topic as HookTopic, callback });
    }
    return found;
  }

  ownHooks(): OwnHooks {
    const dict = this.dict("hooks");
    const own = (name: (typeof ownHookNames)[number]): Callable[] =>
      this.closures(name, dict?.get(name) ?? null);
    return { pre_tool: own("pre_tool"), post_tool: own("post_tool"), agent_stop: own("agent_stop") };
  }

  /** One closure or several; nil for none. */
  private closures(name: string, value: Value): Callable[] {
    const items = value instanceof List ? [...value] : value === null ? [] : [value];
    return items.map((callback) =>
      callback instanceof Callable
        ? callback
        : this.fail(`\`hooks.${name}\` must be a closure or a list of closures; got ${typeOf(callback)}`),
    );
  }
}

const keptClasses = ["mutating", "approval", "session_control", "progress", "result_polling", "unknown"];

const fixedBudget = (max: number): IterationBudget => ({
  mode: "fixed",
  initial: max,
  max,
  extendBy: 0,
  exposeDecisions: false,
  wallClockMs: null,
  totalCostUsd: null,
  consecutiveFailures: null,
});

const textOf = (value: Value | undefined): string | null =>
  typeof value === "string" && value !== "" ? value : null;

function optionNumberOf(value: Value): number | undefined {
  if (typeof value === "number") return value;
  return value instanceof Float ? value.value : undefined;
}
