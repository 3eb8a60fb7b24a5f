/**
 * Made from the rows of `agent_loop` by `npm run docs`: change those (src/agent/options/), never this file.
 * What of the options programs in TypeScript can't give is listed at its end, with the reasons.
 */

/** Data that is handed on as it is: its names are your own, or the vendor's. */
type Data = Readonly<Record<string, unknown>>;

/** Options of `agent_loop` as programs in TypeScript give them (docs/reference/agent-loop.md). */
export interface LoopOptions extends Omit<
  LlmOptions,
  "schemaRetries" | "llmRetries" | "llmBackoffMs" | "timeout" | "sessionId" | "llmTranscriptDir" | "transcript" | "messages"
> {
  /** Defaults for a kind of agent. `"tool_using"` unless given. */
  readonly profile?: "tool_using" | "researcher" | "verifier" | "completer";
  /** The system text, where it is not given as an argument. */
  readonly system?: string;
  /** A turn without calls goes on until the model says that it is done. `false` unless given. */
  readonly loopUntilDone?: boolean;
  /** Another name for `loopUntilDone`. */
  readonly persistent?: boolean;
  /** The word by which the model says so; nil for none. */
  readonly doneSentinel?: string;
  /** Turns at most; by profile 50, 30, 5 or 1. At least 1. */
  readonly maxIterations?: number;
  /** Another name for `maxIterations`. At least 1. */
  readonly maxTurns?: number;
  /** Turns, time and money of the loop. */
  readonly iterationBudget?: "fixed" | "adaptive" | IterationBudgetOptions;
  /** Tool calls and tokens of the loop. */
  readonly limits?: LimitsOptions;
  /** Turns without progress in a row before the loop ends as `stuck`; by profile 8, 4 or 0. At least 0. */
  readonly maxNudges?: number;
  /** What the model is told then. */
  readonly nudge?: string;
  /** What a turn must look like. */
  readonly turnPolicy?: TurnPolicyOptions;
  /**
   * The loop plans first: in the mode `plan` nothing can be called that changes something. `false` unless
   * given.
   */
  readonly modes?: boolean;
  /**
   * With `modes`: `plan` or `execute`, where the loop begins. What rules of an approval policy see as `mode`.
   */
  readonly mode?: string;
  /** What rules of an approval policy see as `agent`. */
  readonly agent?: string;
  /** What rules of an approval policy see as `persona`. */
  readonly persona?: string;
  /** The ceiling of what tools may do. */
  readonly policy?: PolicyOptions | false;
  /** The ceiling of what commands may do; see `command_policy`. */
  readonly commandPolicy?: CommandPolicyOptions;
  /** What may be called, decided call by call. */
  readonly permissions?: PermissionsOptions | false;
  /** What a person is asked about. */
  readonly approvalPolicy?: ApprovalPolicyOptions | false;
  /** Options of the model calls that stand over those of the loop. */
  readonly llmOptions?: LlmOptions;
  /** Take a caller's early answer to the next turn. `false` unless given. */
  readonly prefetchNextTurn?: boolean;
  /** Further tries of a tool call that fails. `0` unless given; at least 0. */
  readonly toolRetries?: number;
  /** Rest before the first of them; doubles with each. `1000` unless given; at least 0. */
  readonly toolBackoffMs?: number;
  /** Milliseconds that a tool call may take. At least 1. */
  readonly toolTimeoutMs?: number;
  /** Characters of a tool result that the model is shown. At least 200. */
  readonly toolOutputMaxChars?: number;
  /** Tool calls of a turn that run at once. `1` unless given; at least 1. */
  readonly maxConcurrentTools?: number;
  /** Tools whose success ends the loop. */
  readonly stopAfterSuccessfulTools?: readonly string[] | string;
  /** Tools that must succeed before the loop may be done; one of each inner list. */
  readonly requireSuccessfulTools?: readonly (string | readonly string[])[] | string;
  /** What is done about calls in the text of a native loop. `"allow"` unless given. */
  readonly nativeToolFallback?: "allow" | "allow_once" | "reject";
  /** Hide tools that go unused. `true` unless given. */
  readonly toolSurfaceNarrowing?: boolean | ToolSurfaceNarrowingOptions;
  /** MCP servers whose tools the loop may call. */
  readonly mcpServers?: readonly (string | McpServersOptions)[] | false;
  /** A tool by which the model reports progress. */
  readonly progressTool?: boolean | ProgressToolOptions;
  /** The model may park, resume and stop workers. `false` unless given. */
  readonly subagents?: boolean;
  /** Another name for `subagents`. */
  readonly subagentTools?: boolean;
  /** A registry of skills, a list of registries and entries, or false. */
  readonly skills?: SkillsOptions | readonly SkillsOptions[] | false;
  /** How skills are found for the task. */
  readonly skillMatch?: SkillMatchOptions;
  /** Files that skills are matched with. */
  readonly workingFiles?: readonly string[] | string;
  /**
   * `"interactive"` (or true) or `"autonomous"` switches the parts of the control plane on; a dict holds
   * `mode` and further options (docs/control-plane.md).
   */
  readonly control?: boolean | "interactive" | "autonomous" | ControlOptions;
  /** Short for `completion: {maxContinuationPrompts}`. At least 0. */
  readonly maxContinuationPrompts?: number;
  /** A ledger that the agent keeps of its work. */
  readonly workItems?: boolean | WorkItemsOptions | readonly WorkItemsEntryOptions[];
  /** What must be true at the end; each claim is checked against it. */
  readonly contract?: ContractOptions;
  /** The loop ends by a claim (`work_complete`), and the claim is checked. */
  readonly completion?: boolean | CompletionOptions;
  /** A model that is asked when the loop would be done. */
  readonly verifyCompletionJudge?: boolean | VerifyCompletionJudgeOptions;
  /** A model that is asked when the model says that it is done. */
  readonly doneJudge?: boolean | VerifyCompletionJudgeOptions;
  /** Vetoes of `verifyCompletion` before the loop ends. `20` unless given; at least 1. */
  readonly maxVerifyAttempts?: number;
  /** A model that is asked about every turn before its calls run. */
  readonly stepJudge?: boolean | StepJudgeOptions;
  /** Warn of turns without progress, then end the loop (docs/control-plane.md). */
  readonly stall?: boolean | StallOptions;
  /** Watch for the same calls again and again: correct, refuse, end (docs/research.md). */
  readonly doomLoop?: boolean | DoomLoopOptions;
  /** Short for `stall: {threshold}`. At least 1. */
  readonly stallThreshold?: number;
  /** Watch for the same call again and again. */
  readonly stallDiagnostics?: boolean | StallDiagnosticsOptions;
  /** Messages of the user carry their time. `false` unless given. */
  readonly timestampMessages?: boolean;
  /** What is done with a conversation that grows too long. `"hybrid"` unless given. */
  readonly compaction?:
    | "none"
    | "ladder"
    | "truncate"
    | "summarize_middle"
    | "summarize_all"
    | "hybrid"
    | "observation_mask"
    | boolean
    | CompactionOptions;
  /** Another name for `compaction`. */
  readonly autoCompact?:
    | "none"
    | "ladder"
    | "truncate"
    | "summarize_middle"
    | "summarize_all"
    | "hybrid"
    | "observation_mask"
    | boolean
    | CompactionOptions;
  /** Short for `compaction: {strategy}`. */
  readonly compactStrategy?:
    | "ladder"
    | "truncate"
    | "summarize_middle"
    | "summarize_all"
    | "hybrid"
    | "observation_mask";
  /** Short for `compaction: {tokenThreshold}`. At least 0. */
  readonly compactThreshold?: number;
  /** Short for `compaction: {keepFirst}`. At least 0. */
  readonly compactKeepFirst?: number;
  /** Short for `compaction: {keepLast}`. At least 0. */
  readonly compactKeepLast?: number;
  /** Short for `compaction: {strategy: "ladder", maxInputTokens}`. At least 100. */
  readonly maxInputTokens?: number;
  /** Short for `compaction: {strategy: "ladder", soft}`. From 0 to 1. */
  readonly softThresholdPercent?: number;
  /** Tokens that the model takes in, where nobody knows it. At least 1000. */
  readonly contextWindow?: number;
  /** What of the conversation is sent. */
  readonly transcriptProjection?:
    | "raw"
    | "clean_tool_repair"
    | "squash_failed_calls"
    | "summary_prefix"
    | "reachability_gc"
    | false
    | TranscriptProjectionOptions;
  /**
   * Parts of the system text with owners: `environment`, `guidance`, dicts, closures (docs/control-plane.md).
   * `[]` unless given.
   */
  readonly contextProviders?: readonly ("environment" | "guidance" | ContextProvidersEnvironmentOptions)[];
  /** The folder that the agent works in: the provider `environment` lists it. */
  readonly sandboxPath?: string;
  /** Tell the model rules when they matter (docs/control-plane.md). */
  readonly jit?: boolean | JitOptions;
  /** Goals, open items and facts that the model keeps in sight. */
  readonly scratchpad?: boolean | ScratchpadOptions;
  /** Other words for the runtime's prompts, by id (std/agent/prompts). */
  readonly prompts?: Readonly<Record<string, string | PromptsOptions>> | false;
  /** Another name for `prompts`. */
  readonly promptOverrides?: Readonly<Record<string, string | PromptsOptions>> | false;
  /** Idle after a turn without tool calls, where other loops end. `false` unless given. */
  readonly daemon?: boolean;
  /** Where snapshots are written, on idle and at the end. */
  readonly persistPath?: string;
  /** The snapshot that the loop goes on from. */
  readonly resumePath?: string;
  /** An idle loop looks around so often. At least 1. */
  readonly wakeIntervalMs?: number;
  /** Files and folders whose changes wake it. */
  readonly watchPaths?: readonly string[] | string;
  /** Compact when it idles. `false` unless given. */
  readonly consolidateOnIdle?: boolean;
  /** Empty ticks in a row after which it ends. At least 1. */
  readonly idleWatchdogAttempts?: number;
  /**
   * Further tries of a model call after failures that pass; where it is not set, one after an answer that
   * took too long. `2` unless given; at least 0.
   */
  readonly llmRetries?: number;
  /** Rest before the first of them; doubles with each. `2000` unless given; at least 0. */
  readonly llmBackoffMs?: number;
  /**
   * Further tries when an answer does not fit its schema; 3 for the profile `verifier`. `0` unless given; at
   * least 0.
   */
  readonly schemaRetries?: number;
  /** The conversation that the loop goes on with, or begins. */
  readonly sessionId?: string;
  /**
   * What it does when another loop holds that session: waits, throws, or works on a copy. `"wait"` unless
   * given.
   */
  readonly sessionBusy?: "wait" | "fail" | "fork";
  /** Folder that gets a record of every request and answer. */
  readonly llmTranscriptDir?: string;
  /** A conversation that it begins with. */
  readonly transcript?: Data | false;
  /** Messages that the conversation begins with. */
  readonly messages?: readonly Data[] | false;
}

/** In `iterationBudget`. */
export interface IterationBudgetOptions {
  /** Whether the number of turns may grow. `"fixed"` unless given. */
  readonly mode?: "fixed" | "adaptive";
  /** Turns at the beginning; a quarter of `max` when adaptive. At least 1. */
  readonly initial?: number;
  /** Turns at most; 16 when adaptive, else `maxIterations`. At least 1. */
  readonly max?: number;
  /** Turns that are added at a time, when adaptive. `2` unless given; at least 1. */
  readonly extendBy?: number;
  /** The result tells when and why turns were added; true when adaptive. */
  readonly exposeDecisions?: boolean;
  /** Milliseconds that the loop may run. At least 0. */
  readonly wallClockMs?: number;
  /** Dollars that its model calls may cost. At least 0. */
  readonly totalCostUsd?: number;
  /** Failed model calls in a row that it lives with. */
  readonly consecutiveFailures?: number | IterationBudgetConsecutiveFailuresOptions;
}

/** In `limits`. */
export interface LimitsOptions {
  /** Tool calls of the loop. At least 0. */
  readonly toolCalls?: number;
  /** Tokens of its model calls, in and out. At least 0. */
  readonly tokens?: number;
  /**
   * At the limit of tool calls the model gets one more turn, without tools, to say what it has come to.
   * `false` unless given.
   */
  readonly closingTurn?: boolean;
}

/** In `turnPolicy`. */
export interface TurnPolicyOptions {
  /** A turn must call a tool or say that it is done. `false` unless given. */
  readonly requireActionOrYield?: boolean;
  /** The model may end the loop by the sentinel. `true` unless given. */
  readonly allowDoneSentinel?: boolean;
  /** Characters of prose in a turn. At least 1. */
  readonly maxProseChars?: number;
}

/** In `policy`. */
export interface PolicyOptions {
  /** Globs of the tools that may be called; empty for all. */
  readonly tools?: readonly string[] | string;
  /** Operations that tools may need, by capability: `{workspace: ["read_text"]}`; empty for all. */
  readonly capabilities?: Readonly<Record<string, readonly string[]>>;
  /** Folders that tools may read and write. */
  readonly workspaceRoots?: readonly string[] | string;
  /** Folders that tools may only read; of roots in each other the narrower one holds. */
  readonly readOnlyRoots?: readonly string[] | string;
  /** The most that a tool may do. */
  readonly sideEffectLevel?: "none" | "read_only" | "workspace_write" | "process_exec" | "network";
  /** How deep agents may start agents. At least 0. */
  readonly recursionLimit?: number;
  /** What arguments of tools may be. `[]` unless given. */
  readonly toolArgConstraints?: readonly PolicyToolArgConstraintsOptions[];
  /** What tools do, by name, where they do not say it themselves. */
  readonly toolAnnotations?: Readonly<Record<string, PolicyToolAnnotationsOptions>>;
}

/** In `commandPolicy`. */
export interface CommandPolicyOptions {
  /** Globs of command lines that are refused. */
  readonly denyPatterns?: readonly string[];
  /** Labels of risks that a person is asked about. */
  readonly requireApproval?: readonly string[];
  /** Folders that commands may run in. */
  readonly workspaceRoots?: readonly string[];
  /** What is told to hooks. `"argv_only"` unless given. */
  readonly defaultShellMode?: string;
  /** Hooks may run commands themselves. `false` unless given. */
  readonly allowRecursive?: boolean;
}

/** In `permissions`. */
export interface PermissionsOptions {
  /** What may be called: globs of tools, or matchers by glob; without it, what is not denied. */
  readonly allow?:
    | string
    | readonly string[]
    | Readonly<Record<string, boolean | string | readonly string[] | PermissionsAllowPathScopeOptions | PermissionsAllowOptions>>;
  /** What may not be called, in the same forms. */
  readonly deny?:
    | string
    | readonly string[]
    | Readonly<Record<string, boolean | string | readonly string[] | PermissionsAllowPathScopeOptions | PermissionsAllowOptions>>;
}

/** In `approvalPolicy`. */
export interface ApprovalPolicyOptions {
  /** Rules in order; deny goes before ask before allow. `[]` unless given. */
  readonly rules?: readonly ApprovalPolicyRulesOptions[];
  /** Globs of tools that are let through. */
  readonly autoApprove?: readonly string[] | string;
  /** Globs of tools that are refused. */
  readonly autoDeny?: readonly string[] | string;
  /** Globs of tools that a person is asked about. */
  readonly requireApproval?: readonly string[] | string;
  /** Globs of the paths that tools may write. */
  readonly writePathAllowlist?: readonly string[] | string;
  /** Files that hold secrets may be named. `false` unless given. */
  readonly allowSensitivePaths?: boolean;
  /** Globs of files that hold secrets, in place of the usual ones. */
  readonly sensitivePathPatterns?: readonly string[] | string;
  /** Paths outside of the workspace may be named. `false` unless given. */
  readonly allowExternalPaths?: boolean;
  /** Folders outside of the workspace that may be named. */
  readonly externalRoots?: readonly string[] | string;
  /** The same call may be made so often. At least 0. */
  readonly repeatLimit?: number;
  /** Another name for `repeatLimit`. At least 0. */
  readonly repeatedCallLimit?: number;
  /** What is done about one more. `"ask"` unless given. */
  readonly repeatAction?:
    | "allow"
    | "approve"
    | "auto_approve"
    | "ask"
    | "require_approval"
    | "requires_approval"
    | "approval"
    | "deny"
    | "block"
    | "auto_deny";
}

/** In `llmOptions`. */
export interface LlmOptions extends RouteOptions, ProviderBodies {
  /** Number of the likeliest words to choose from. At least 0. */
  readonly topK?: number;
  /** Texts at which the answer ends. */
  readonly stop?: readonly string[] | string;
  /** The same seed gives like answers, where the route can do that. */
  readonly seed?: number;
  /** Makes words that were said often less likely. */
  readonly frequencyPenalty?: number;
  /** Makes words that were said at all less likely. */
  readonly presencePenalty?: number;
  /** The answer tells how likely its words were. */
  readonly logprobs?: boolean;
  /** And so many of the words that it did not choose. At least 0. */
  readonly topLogprobs?: number;
  /** What the answer is read as. `"text"` unless given. */
  readonly responseFormat?: "text" | "json" | "json_object";
  /** Schema of the answer; with one, it is read as JSON into `data`. */
  readonly schema?: Data;
  /** Another name for `schema`. */
  readonly jsonSchema?: Data;
  /** Another name for `schema`. */
  readonly outputSchema?: Data;
  /** What the vendor is asked for: a kind, or a dict with the schema. `{kind: "text"}` unless given. */
  readonly outputFormat?: "text" | "json" | "json_object" | "json_schema" | OutputFormatOptions;
  /** What is done about an answer that does not fit its schema. `"off"` unless given. */
  readonly outputValidation?: "off" | "warn" | "error";
  /** Further tries when an answer does not fit its schema. `1` unless given; at least 0. */
  readonly schemaRetries?: number;
  /**
   * What is said before such a try: the usual correction (`true`), nothing (`false`), or a text in place of
   * its first sentence. `true` unless given.
   */
  readonly schemaRetryNudge?: boolean | string;
  /** End an answer as soon as its beginning can't fit the schema. `false` unless given. */
  readonly schemaStreamAbort?: boolean;
  /** Whether and how the model thinks: on, off, a level, or a dict. */
  readonly thinking?:
    | boolean
    | "none"
    | "minimal"
    | "low"
    | "medium"
    | "high"
    | "xhigh"
    | "max"
    | ThinkingOptions;
  /** How much the model thinks. */
  readonly reasoningEffort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
  /** Chooses how much the model thinks by its catalogue entry; `auto` goes by the task. */
  readonly reasoningPolicy?:
    | boolean
    | "auto"
    | "none"
    | "off"
    | "minimal"
    | "low"
    | "medium"
    | "high"
    | "xhigh"
    | "max";
  /** Another name for `reasoningPolicy`. */
  readonly thinkingPolicy?:
    | boolean
    | "auto"
    | "none"
    | "off"
    | "minimal"
    | "low"
    | "medium"
    | "high"
    | "xhigh"
    | "max";
  /** How large the task is, for the policy `auto`. */
  readonly reasoningScale?: "small" | "medium" | "large";
  /** Another name for `reasoningScale`. */
  readonly problemScale?: "small" | "medium" | "large";
  /** What kind of task it is, for the policy `auto`. */
  readonly reasoningTask?: "chat" | "agent" | "code" | "verify" | "summarize";
  /** The model thinks between tool calls too, where it can. `false` unless given. */
  readonly interleavedThinking?: boolean;
  /** Names for Anthropic's header of beta features. */
  readonly anthropicBetaFeatures?: readonly string[] | string;
  /** Whether it must call one, and which. `"auto"` unless given. */
  readonly toolChoice?: "auto" | "none" | "required" | ToolChoiceOptions;
  /** How the model calls tools. */
  readonly toolFormat?: "native" | "text" | "json" | "auto";
  /** Show deferred tools only when the model looks for them. */
  readonly toolSearch?: boolean | "bm25" | "regex" | "hybrid" | ToolSearchOptions;
  /** Limits of this call in money and tokens. */
  readonly budget?: BudgetOptions;
  /** Further tries after failures that pass. At least 0. */
  readonly llmRetries?: number;
  /** Rest before the first of them; doubles with each. `250` unless given; at least 0. */
  readonly llmBackoffMs?: number;
  /** Seconds (or a duration) that a call may take. `120` unless given. */
  readonly timeout?: number;
  /** The same in milliseconds. At least 0. */
  readonly timeoutMs?: number;
  /** Seconds (or a duration) without a word after which a stream is given up. */
  readonly idleTimeout?: number;
  /** The same in milliseconds. At least 0. */
  readonly idleTimeoutMs?: number;
  /** How the answer travels; the result is the same. `true` unless given. */
  readonly stream?: boolean;
  /** Ask the vendor to keep the beginning of the prompt. `false` unless given. */
  readonly cache?: boolean;
  /** Which of a vendor's interfaces is spoken. */
  readonly apiMode?: string;
  /** Where the provider is; the host must be the vendor's, or one that the user named. */
  readonly baseUrl?: string;
  /** The vendor's faster and dearer way, where it has one with a known price. `false` unless given. */
  readonly fast?: boolean;
  /** Chooses one of several routes. */
  readonly routePolicy?: "first_available" | "cheapest" | "strongest" | RoutePolicyOptions | false;
  /** Another name for `routePolicy`. */
  readonly routingPolicy?: "first_available" | "cheapest" | "strongest" | RoutePolicyOptions | false;
  /** Routes that are asked when the one before failed. */
  readonly fallbackChain?: readonly (string | LlmOptions)[] | false;
  /** The beginning of the answer, for routes that take one. */
  readonly prefill?: string;
  /** The request holds pictures; without it, that is seen from the messages. */
  readonly vision?: boolean;
  /** The request holds sound; without it, that is seen from the messages. */
  readonly audio?: boolean;
  /** The request holds PDF files; without it, that is seen from the messages. */
  readonly pdf?: boolean;
  /** The request holds video; without it, that is seen from the messages. */
  readonly video?: boolean;
  /** The system text tells how tools are called, in the format `text`. `true` unless given. */
  readonly toolContract?: boolean;
  /** Changes the prompt before it is sent, to compare. */
  readonly structuralExperiment?: string | StructuralExperimentOptions | false;
  /** The session that events and records of the call belong to. */
  readonly sessionId?: string;
  /** Folder that gets a record of request and answer. */
  readonly llmTranscriptDir?: string;
  /** A conversation that stands before the prompt. */
  readonly transcript?: Data | false;
  /** Messages in place of the prompt. */
  readonly messages?: readonly Data[];
}

/** In `toolSurfaceNarrowing`. */
export interface ToolSurfaceNarrowingOptions {
  /** Hide tools that go unused. `true` unless given. */
  readonly enabled?: boolean;
  /** Turns in which a tool must be used to stay. `5` unless given; at least 1. */
  readonly windowTurns?: number;
  /**
   * `safe` hides the classes in `pruneClasses`, `aggressive` all but those in `keepClasses`. `"safe"` unless
   * given.
   */
  readonly mode?: "safe" | "aggressive";
  /** Tools that always stay. `[]` unless given. */
  readonly hardKeep?: readonly string[];
  /** Classes that may be hidden. `["read_only"]` unless given. */
  readonly pruneClasses?: readonly string[];
  /** Classes that stay. */
  readonly keepClasses?: readonly string[];
  /** What becomes of tools without a class. `"keep"` unless given. */
  readonly unknownToolPolicy?: "keep" | "prune";
}

/** In `mcpServers`. */
export interface McpServersOptions {
  /** Part of the names of its tools. */
  readonly name: string;
  /** How it is reached; by `url` unless given. */
  readonly transport?: "stdio" | "http";
  /** The program of a server over pipes. */
  readonly command?: string | readonly string[];
  /** Its arguments. */
  readonly args?: readonly string[];
  /** Where a server over HTTP is. */
  readonly url?: string;
  /** Variables that it gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where it runs. */
  readonly cwd?: string;
  /** The path or URL of its card. */
  readonly card?: string;
  /** Milliseconds until it answers. `30000` unless given; at least 1. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds that a request may take. `60000` unless given; at least 1. */
  readonly timeoutMs?: number;
  /** How often it is started again, each time by the next request. At least 0. */
  readonly restarts?: number;
  /** Models must search for its tools: all, none, or globs. */
  readonly deferLoading?: boolean | readonly string[];
  /** Folders that it is told about. */
  readonly roots?: boolean | readonly string[];
  /** Whether it may ask a model, and which. */
  readonly sampling?: boolean | McpServersSamplingOptions;
  /** It may ask the person. `false` unless given. */
  readonly elicitation?: boolean;
  /** The token of a server over HTTP. */
  readonly authToken?: string;
  /** What its authorization server knows the run as. */
  readonly clientId?: string;
  /** The secret that goes with it. */
  readonly clientSecret?: string;
  /** What the token is to allow. */
  readonly scopes?: string | readonly string[];
  /** The revision of the protocol that is offered. */
  readonly protocolVersion?: string;
  /** It is started when it is first needed, not before the program. `false` unless given. */
  readonly lazy?: boolean;
  /** Milliseconds that it stays when nobody holds it. `0` unless given; at least 0. */
  readonly keepAliveMs?: number;
  /** Another name for `keepAliveMs`. `0` unless given; at least 0. */
  readonly keepAlive?: number;
}

/** In `progressTool`. */
export interface ProgressToolOptions {
  /** What the tool is called. `"agent_progress"` unless given. */
  readonly name?: string;
  /** What the model is told about it. */
  readonly description?: string;
  /** The sentence about it in the system text. */
  readonly systemPromptNudge?: string;
}

/** In `skills`. */
export interface SkillsOptions {
  /** What it is called. */
  readonly name: string;
  /** What it is for. */
  readonly description?: string;
  /** The same in few words. */
  readonly short?: string;
  /** When models should load it. */
  readonly whenToUse?: string;
  /** What the model is told. */
  readonly prompt?: string;
  /** Its text. */
  readonly body?: string;
  /** Globs of the files that it is for. */
  readonly paths?: readonly string[];
  /** Tools that are shown while it is active. */
  readonly allowedTools?: readonly string[];
  /** Servers that it can't do without; those of `mcp` unless given. */
  readonly requiresMcp?: readonly string[];
  /** Models do not load it by themselves. */
  readonly disableModelInvocation?: boolean;
  /** People may load it by its name. */
  readonly userInvocable?: boolean;
  /** Who may load it. */
  readonly invocation?: string;
  /** The model that it wants. */
  readonly model?: string;
  /** How much that is to think. */
  readonly effort?: string;
  /** Servers that it needs. */
  readonly mcp?: readonly string[];
  /** The group that it is found under. */
  readonly namespace?: string;
  /** Any other name: kept in the skill's entry. */
  readonly [name: string]: unknown;
}

/** In `skillMatch`. */
export interface SkillMatchOptions {
  /** How skills are found for a task. `"metadata"` unless given. */
  readonly strategy?: "metadata" | "host" | "embedding" | "catalog";
  /** Skills that may be active at once. `1` unless given; at least 1. */
  readonly topN?: number;
  /** An active skill stays active. `true` unless given. */
  readonly sticky?: boolean;
}

/** In `control`. */
export interface ControlOptions extends Omit<
  LoopOptions,
  "mode" | "control"
> {
  /** Whether somebody watches. `"interactive"` unless given. */
  readonly mode?: "interactive" | "autonomous";
}

/** In `workItems`. */
export interface WorkItemsOptions {
  /** What the ledger begins with. `[]` unless given. */
  readonly items?: readonly WorkItemsEntryOptions[];
  /** Where the ledger is told again. `"compaction"` unless given. */
  readonly recite?: "compaction" | "system" | "never";
  /** The model can skip none of these items. `false` unless given. */
  readonly locked?: boolean;
  /** Turns with writes after which an open ledger is stale. `12` unless given; at least 1. */
  readonly staleAfter?: number;
}

/** In `workItems`. */
export interface WorkItemsEntryOptions {
  /** What it is called: 1 to 64 letters, digits, `_`, `.`, `/`, `-`. */
  readonly id: string;
  /** One line. */
  readonly title: string;
  /** How far it is. `"pending"` unless given. */
  readonly status?: "pending" | "in_progress" | "done" | "skipped";
  /** How much it matters. `"medium"` unless given. */
  readonly priority?: "high" | "medium" | "low";
  /** What there is to say about it. `""` unless given. */
  readonly notes?: string;
  /** The text that was made for it. */
  readonly artifact?: string;
  /** Whom the text is for. `"deliverable"` unless given. */
  readonly artifactRole?: "deliverable" | "working" | "control";
  /** It was done and is not good enough. `false` unless given. */
  readonly requiresRevision?: boolean;
  /** The item that it does again. */
  readonly revisionOf?: string;
  /** A predicate that must hold before it is done. */
  readonly check?:
    | WorkItemsEntryCheckFileExistsOptions
    | WorkItemsEntryCheckContainsTextOptions
    | WorkItemsEntryCheckToolResultSuccessOptions
    | WorkItemsEntryCheckJsonSchemaValidOptions
    | WorkItemsEntryCheckAlwaysTrueOptions
    | WorkItemsEntryCheckCommandOptions;
  /** The model can't skip it. `false` unless given. */
  readonly locked?: boolean;
}

/** In `contract`. */
export interface ContractOptions {
  /** What it is called. `"task"` unless given. */
  readonly id?: string;
  /** What the work is for. */
  readonly goal: string;
  /** What must be there at the end. `[]` unless given. */
  readonly requiredOutputs: readonly ContractRequiredOutputsOptions[];
  /** What the agent may ask. `[]` unless given. */
  readonly questions?: readonly ContractQuestionsOptions[];
  /** When it is enough. */
  readonly acceptability?: ContractAcceptabilityOptions;
  /** Files that must not change. `[]` unless given. */
  readonly protect?: readonly string[];
  /** Looks at requirements at most. `50` unless given; at least 1. */
  readonly maxChecks?: number;
  /** Milliseconds that one look may take. `120000` unless given; at least 1. */
  readonly checkTimeoutMs?: number;
}

/** In `completion`. */
export interface CompletionOptions {
  /** Only a call of `work_complete` ends the loop. `true` unless given. */
  readonly requireWorkComplete?: boolean;
  /**
   * A text without calls ends the loop, unless a contract, an approved plan or a work item is open: for
   * conversations, where not every message asks for work. `false` unless given.
   */
  readonly plainAnswers?: boolean;
  /** So often it is demanded; then the end is accepted without a claim. `3` unless given; at least 0. */
  readonly workCompleteMaxRetries?: number;
  /**
   * Continuation prompts for silent turns in a row before the claim is demanded. `2` unless given; at least
   * 0.
   */
  readonly maxContinuationPrompts?: number;
  /** What a claim must show. `"auto"` unless given. */
  readonly evidence?: "off" | "contract" | "cited" | "auto";
  /** A claim is refused while work items are open. `true` unless given. */
  readonly verifyWorkItems?: boolean;
  /** The loop ends when the workers that it began have ended. `true` unless given. */
  readonly waitForWorkers?: boolean;
  /** `work_complete` takes `deliverables`: what came of the work, by title. `false` unless given. */
  readonly deliverables?: boolean;
}

/** In `verifyCompletionJudge`. */
export interface VerifyCompletionJudgeOptions extends ModelOptions {
  /** What the model is told after a veto without words. */
  readonly feedbackFallback?: string;
  /** Vetoes after which the loop ends as `verify_capped`; 0 for no cap. At least 0. */
  readonly maxInvocations?: number;
  /** Another name for `maxInvocations`. At least 0. */
  readonly maxFeedback?: number;
  /** When it judges. */
  readonly cadence?: VerifyCompletionJudgeCadenceOptions;
  /** Accept when the judge can't be asked. `false` unless given. */
  readonly failOpen?: boolean;
  /** The system text of the judge. */
  readonly system?: string;
  /** Kept for the record; a judge has no tools. */
  readonly toolFormat?: "native" | "text" | "json" | "auto";
}

/** In `stepJudge`. */
export interface StepJudgeOptions extends ModelOptions {
  /** What the model is told after a veto without words. */
  readonly feedbackFallback?: string;
  /** What is looked at: `default`, `adversarial`, or your own words. `"default"` unless given. */
  readonly rubric?: string;
  /** Whether the step is taken out of the conversation or stays. `"replace"` unless given. */
  readonly onVeto?: "replace" | "retain";
  /** Vetoes in a row; the next step passes. `3` unless given; at least 1. */
  readonly maxAttempts?: number;
  /** Steps without text and calls pass. `true` unless given. */
  readonly skipWhenEmpty?: boolean;
  /** Steps in which a stall was seen pass. `true` unless given. */
  readonly skipWhenStalled?: boolean;
  /** Steps pass when so few turns are left. `1` unless given; at least 0. */
  readonly skipWhenIterationsRemaining?: number;
  /** Pass when the judge can't be asked. `true` unless given. */
  readonly failOpen?: boolean;
  /** The system text of the judge. */
  readonly system?: string;
  /** Kept for the record; a judge has no tools. */
  readonly toolFormat?: "native" | "text" | "json" | "auto";
}

/** In `stall`. */
export interface StallOptions {
  /** Turns without progress that are a stall. `3` unless given; at least 1. */
  readonly threshold?: number;
  /** Warnings to the model before the loop ends. `1` unless given; at least 0. */
  readonly interventions?: number;
  /** Globs of tools that may repeat. */
  readonly exempt?: readonly string[];
  /** What becomes of a loop that stays stalled. `"stop"` unless given. */
  readonly onStop?: "stop" | "pause";
}

/** In `doomLoop`. */
export interface DoomLoopOptions {
  /** Equal calls in a row that are a loop. `3` unless given; from 2 to 100. */
  readonly repeat?: number;
  /** The longest cycle of different calls that is looked for. `2` unless given; from 2 to 4. */
  readonly period?: number;
  /**
   * Detections after which the loop ends; from the second on the calls are refused. `3` unless given; at
   * least 1.
   */
  readonly strikes?: number;
  /** Turns in which such a call is refused. `5` unless given; at least 1. */
  readonly blockTurns?: number;
  /** Tools that may repeat: they neither count nor reset. */
  readonly exemptTools?: readonly string[];
}

/** In `stallDiagnostics`. */
export interface StallDiagnosticsOptions {
  /** Watch for the same call again and again. `true` unless given. */
  readonly enabled?: boolean;
  /** Equal calls in a row that are a stall. `3` unless given; at least 2. */
  readonly threshold?: number;
  /** Tell the model. `true` unless given. */
  readonly injectFeedback?: boolean;
  /** Tell it so often at most. `1` unless given; at least 0. */
  readonly maxFeedback?: number;
  /** Tools that may repeat. */
  readonly exemptTools?: readonly string[];
  /** Another name for `exemptTools`. */
  readonly allowRepeatedTools?: readonly string[];
  /** Warnings show the arguments. `false` unless given. */
  readonly includeArguments?: boolean;
}

/** In `compaction`. */
export interface CompactionOptions extends RouteOptions {
  /** Compact at all. `true` unless given. */
  readonly enabled?: boolean;
  /** How messages are compacted: a name, or a strategy `fn(messages, room) -> steps`. */
  readonly compactStrategy?:
    | "ladder"
    | "truncate"
    | "summarize_middle"
    | "summarize_all"
    | "hybrid"
    | "observation_mask";
  /** Another name for `compactStrategy`. */
  readonly strategy?:
    | "none"
    | "ladder"
    | "truncate"
    | "summarize_middle"
    | "summarize_all"
    | "hybrid"
    | "observation_mask";
  /**
   * Messages at the beginning that stay; 0 by hand lets the first task go, too. `0` unless given; at least 0.
   */
  readonly keepFirst?: number;
  /** Another name for `keepFirst`. At least 0. */
  readonly compactKeepFirst?: number;
  /** Messages at the end that stay. `12` unless given; at least 0. */
  readonly keepLast?: number;
  /** Another name for `keepLast`. At least 0. */
  readonly keepLastN?: number;
  /** Another name for `keepLast`. At least 0. */
  readonly compactKeepLast?: number;
  /** Estimated tokens up to which nothing is done. At least 0. */
  readonly tokenThreshold?: number;
  /** Another name for `tokenThreshold`. At least 0. */
  readonly compactThreshold?: number;
  /** Another name for `tokenThreshold`. At least 0. */
  readonly threshold?: number;
  /** Characters of a tool result that stays. `16000` unless given; at least 0. */
  readonly toolOutputMaxChars?: number;
  /** Estimated tokens that the result may have. At least 0. */
  readonly hardLimitTokens?: number;
  /** What is done about a summary beyond the hard limit. `"llm"` unless given. */
  readonly hardLimitStrategy?: "llm" | "truncate" | "observation_mask" | "custom";
  /** The summarizer's prompt: a path, `{text}`, `{path}` or a closure. */
  readonly summarizePrompt?: string | PromptsOptions;
  /** What a summary must keep. */
  readonly policy?: CompactionPolicyOptions;
  /** Another name for `policy`. */
  readonly compactionPolicy?: CompactionPolicyOptions;
  /** Tokens that a request may have; else what the route's window leaves. At least 100. */
  readonly maxInputTokens?: number;
  /** The part of the budget from which a pass is made. `0.8` unless given; from 0 to 1. */
  readonly soft?: number;
  /** Another name for `soft`. From 0 to 1. */
  readonly softThresholdPercent?: number;
  /** In place of `soft`: the part of the model's window, as far as `hard` allows it. From 0 to 1. */
  readonly thresholdRatio?: number;
  /**
   * The part from which a pass is made whatever hooks say, and everything may go. `0.95` unless given; from 0
   * to 1.
   */
  readonly hard?: number;
  /** The part that a pass brings the request down to. `0.5` unless given; from 0 to 1. */
  readonly target?: number;
  /**
   * Last calls with their results that stay, as far as a quarter of the budget holds them. `4` unless given;
   * at least 1.
   */
  readonly keepExchanges?: number;
  /**
   * Last messages that stay byte for byte; results in them are cut only when they alone can't be sent. `0`
   * unless given; at least 0.
   */
  readonly keepMessages?: number;
  /**
   * Tokens of people's older messages that stay word for word; else a tenth of the budget, at most 8,000. At
   * least 0.
   */
  readonly userTokens?: number;
  /**
   * What a pass may do, always in this order: `clear`, `externalize`, `summarize`, `drop`. `["clear",
   * "externalize", "summarize", "drop"]` unless given.
   */
  readonly rungs?: readonly ("clear" | "externalize" | "summarize" | "drop")[];
  /** How far results can be had again, by patterns of tool names: a class, or `{class, keep: [fields]}`. */
  readonly durability?:
    | Readonly<Record<string, "ephemeral" | "anchoring" | "replayable" | "non_replayable" | CompactionDurabilityOptions>>;
  /**
   * Who writes summaries: the loop's model, another route, a function `fn({span, prior, policy, cap})`, or
   * false for none. `true` unless given.
   */
  readonly summarizer?: boolean | CompactionSummarizerOptions;
  /** What always stays word for word: texts, `{regex}`, functions of a message's text that give texts. */
  readonly mustSurvive?: readonly (string | CompactionMustSurviveOptions)[];
  /**
   * How a summary is checked beyond the runtime's own look: figures, or a function that gives a reason to
   * reject.
   */
  readonly verify?: CompactionVerifyOptions;
  /** Offer the model `compact_context({focus?})`. `false` unless given. */
  readonly tool?: boolean;
}

/** In `transcriptProjection`. */
export interface TranscriptProjectionOptions {
  /** What of the conversation is sent. `"raw"` unless given. */
  readonly policy?:
    | "raw"
    | "clean_tool_repair"
    | "squash_failed_calls"
    | "summary_prefix"
    | "reachability_gc";
  /** Messages (`summary_prefix`, 12) or turns (`reachability_gc`, 4) that stay as they are. At least 0. */
  readonly keepLast?: number;
}

/** In `contextProviders`. */
export interface ContextProvidersEnvironmentOptions {
  /** The list of a folder. */
  readonly id: "environment";
  /** The folder; that of `sandboxPath` unless given. */
  readonly root?: string;
  /** Entries that are listed. `100` unless given; at least 1. */
  readonly maxEntries?: number;
  /** Levels of folders that are listed. `2` unless given; at least 1. */
  readonly depth?: number;
}

/** In `jit`. */
export interface JitOptions {
  /** Ids of rules that are off. `[]` unless given. */
  readonly disable?:
    | readonly ("no_reads" | "serial_reads" | "reads_without_output" | "turns_running_out" | "planning_only" | "compacted" | "compacted_often" | "work_items_stale")[];
  /** Instructions before one turn at most. `2` unless given; at least 1. */
  readonly maxPerTurn?: number;
}

/** In `scratchpad`. */
export interface ScratchpadOptions {
  /** Keep a scratchpad. `true` unless given. */
  readonly enabled?: boolean;
  /** It stands at the end of the system text. `true` unless given. */
  readonly recite?: boolean;
  /** Turns between two reorganizations. `3` unless given; at least 1. */
  readonly reorganizeEvery?: number;
  /** Messages that the reorganizer is shown and may cite. `8` unless given; at least 1. */
  readonly maxRecentMessages?: number;
  /** Further tries when a reorganized pad does not fit. `1` unless given; at least 0. */
  readonly schemaRetries?: number;
  /** What it begins with; else the task as its goal. */
  readonly initial?: ScratchpadInitialOptions;
  /** The model that reorganizes it; false for nobody. */
  readonly reorganizer?: ScratchpadReorganizerOptions | boolean;
}

/** In `prompts`. */
export interface PromptsOptions {
  /** The file of a template. */
  readonly path?: string;
  /** The template itself. */
  readonly text?: string;
}

/** In `toolSearch`. */
export interface ToolSearchOptions {
  /** How tools are found. `"bm25"` unless given. */
  readonly variant?: "bm25" | "regex" | "hybrid";
  /** Who searches: the vendor's own tool, the loop, or whichever is there. `"auto"` unless given. */
  readonly mode?: "auto" | "native" | "client";
  /**
   * How the loop itself searches; the variant unless given. `semantic` and `host` ask the host
   * (`toolSearch.query`).
   */
  readonly strategy?: "bm25" | "regex" | "hybrid" | "semantic" | "host";
  /** Tools that are shown from the beginning. */
  readonly alwaysLoaded?: readonly string[];
  /** Tokens that the tools which were found may take of the request. At least 1. */
  readonly budgetTokens?: number;
  /** Name of the loop's own search tool. `"__harn_tool_search"` unless given. */
  readonly name?: string;
  /**
   * Names and first sentences of the tools that can be found stand in the system text. `false` unless given.
   */
  readonly includeStubListing?: boolean;
}

/** In `outputFormat`. */
export interface OutputFormatOptions {
  /** What the answer is. */
  readonly kind?: "text" | "json" | "json_object" | "json_schema";
  /** Another name for `kind`. */
  readonly type?: "text" | "json" | "json_object" | "json_schema";
  /** The schema, with `jsonSchema`. */
  readonly schema?: Data;
  /** Hold the vendor to the schema strictly. */
  readonly strict?: boolean;
  /** What the vendor is told as the schema's name. */
  readonly name?: string;
}

/** In `thinking`. */
export interface ThinkingOptions {
  /** How the model thinks. */
  readonly mode?: "disabled" | "enabled" | "adaptive" | "effort";
  /** Short for the modes `enabled` and `disabled`. */
  readonly enabled?: boolean;
  /** Tokens for thinking, in the mode `enabled`. At least 0. */
  readonly budgetTokens?: number;
  /** How much, in the mode `effort`. `"medium"` unless given. */
  readonly level?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
}

/** In `toolChoice`. */
export interface ToolChoiceOptions {
  /** The tool that the model must call. */
  readonly name?: string;
}

/** In `budget`. */
export interface BudgetOptions {
  /** Dollars that one call may cost; checked against its worst case before it is sent. At least 0. */
  readonly maxCostUsd?: number;
  /** Tokens that the request may have. At least 0. */
  readonly maxInputTokens?: number;
  /** Tokens that the answer may have. At least 0. */
  readonly maxOutputTokens?: number;
  /** Dollars that all calls of the run, or of the loop, may cost together. At least 0. */
  readonly totalBudgetUsd?: number;
}

/** In `routePolicy`. */
export interface RoutePolicyOptions {
  /** How a candidate is chosen: a rule, or a function of the script. `"first_available"` unless given. */
  readonly policy?: "first_available" | "cheapest" | "strongest";
  /** Routes to choose from: models, or dicts of call options that name one. `[]` unless given. */
  readonly candidates?: readonly (string | LlmOptions)[];
  /** Capabilities that a candidate must have. */
  readonly require?: readonly string[] | string;
}

/** In `structuralExperiment`. */
export interface StructuralExperimentOptions {
  /** One of the experiments that are built in, or your own name for `transform`. */
  readonly name?: string;
  /** What the transcript calls it. */
  readonly label?: string;
  /** What the experiment depends on. */
  readonly args?: Data;
  /** Any other name: arguments of the experiment may stand beside its name. */
  readonly [name: string]: unknown;
}

/** In `consecutiveFailures`. */
export interface IterationBudgetConsecutiveFailuresOptions {
  /** So many failed calls in a row end the loop. At least 1. */
  readonly max: number;
  /** Categories, kinds or reasons of errors that are lived with; without it, all. */
  readonly kinds?: readonly string[];
  /** Rest before the next try, in milliseconds. `0.0` unless given; at least 0. */
  readonly pausedForMs?: number;
}

/** In `toolArgConstraints`. */
export interface PolicyToolArgConstraintsOptions {
  /** Glob of the tools that it holds for. */
  readonly tool: string;
  /** The argument; without it, every `pathParams` of the tool's annotations. */
  readonly argKey?: string;
  /** Globs, one of which every text in it must fit. */
  readonly argPatterns?: readonly string[] | string;
}

/** In `toolAnnotations`. */
export interface PolicyToolAnnotationsOptions {
  /** What kind of tool it is: `read`, `edit`, `execute` … */
  readonly kind?: string;
  /** The most that it does. */
  readonly sideEffectLevel?: string;
  /** Operations that it needs, by capability. */
  readonly capabilities?: Readonly<Record<string, readonly string[]>>;
  /** Its arguments that are paths. */
  readonly pathParams?: readonly string[];
  /** Paths that it always writes. */
  readonly writes?: readonly string[];
  /** Tools that read what it gives. */
  readonly resultReaders?: readonly string[];
  /** It makes artifacts. */
  readonly emitsArtifacts?: boolean;
  /** Any other name: kept with the tool. */
  readonly [name: string]: unknown;
}

/** In `allow`. */
export interface PermissionsAllowPathScopeOptions {
  readonly kind: "path_scope";
  /** `"anchor_only"` unless given. */
  readonly scope?: "anchor_only" | "anchor_plus_mounted" | "custom";
  readonly argKeys?: readonly string[] | string;
  readonly mountModes?: readonly string[] | string;
  /** `[]` unless given. */
  readonly mounts?: readonly (string | PermissionsAllowPathScopeMountsOptions)[];
  readonly anchor?: string;
  readonly patterns?: readonly string[] | string;
  /** `"deny"` unless given. */
  readonly onViolation?: "deny" | "reminder_only";
}

/** In `allow`. */
export interface PermissionsAllowOptions {
  readonly argKey: string;
  readonly patterns: readonly string[] | string;
}

/** In `rules`. */
export interface ApprovalPolicyRulesOptions {
  /** What receipts call it. */
  readonly id?: string;
  /** Another name for `id`. */
  readonly name?: string;
  /** `allow`, `ask` or `deny`, and their other names. */
  readonly action?: string;
  /** What it holds for: globs by key, or tools. */
  readonly match?: string | readonly string[] | ApprovalPolicyRulesMatchOptions;
  /** Short for the action and what it holds for. */
  readonly allow?: string | readonly string[] | ApprovalPolicyRulesMatchOptions;
  /** Short for the action and what it holds for. */
  readonly ask?: string | readonly string[] | ApprovalPolicyRulesMatchOptions;
  /** Short for the action and what it holds for. */
  readonly deny?: string | readonly string[] | ApprovalPolicyRulesMatchOptions;
  /** Why; shown to people and models. */
  readonly reason?: string;
  /** How people are asked: prompt, reviewers, risk. */
  readonly approval?: Data;
}

/** In `sampling`. */
export interface McpServersSamplingOptions extends Omit<
  LlmOptions,
  "maxTokens"
> {
  /** Tokens of an answer at most. `4096` unless given; at least 0. */
  readonly maxTokens?: number;
  /** Calls in one connection. `20` unless given; at least 0. */
  readonly maxCalls?: number;
  /** Tools that the model may call: a registry, or a list of definitions. */
  readonly tools?: Data | readonly unknown[];
}

/** In `mcpServers`. */
export interface ControlMcpServersOptions {
  /** Part of the names of its tools. */
  readonly name: string;
  /** How it is reached; by `url` unless given. */
  readonly transport?: "stdio" | "http";
  /** The program of a server over pipes. */
  readonly command?: string | readonly string[];
  /** Its arguments. */
  readonly args?: readonly string[];
  /** Where a server over HTTP is. */
  readonly url?: string;
  /** Variables that it gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where it runs. */
  readonly cwd?: string;
  /** The path or URL of its card. */
  readonly card?: string;
  /** Milliseconds until it answers. `30000` unless given; at least 1. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds that a request may take. `60000` unless given; at least 1. */
  readonly timeoutMs?: number;
  /** How often it is started again, each time by the next request. At least 0. */
  readonly restarts?: number;
  /** Models must search for its tools: all, none, or globs. */
  readonly deferLoading?: boolean | readonly string[];
  /** Folders that it is told about. */
  readonly roots?: boolean | readonly string[];
  /** Whether it may ask a model, and which. */
  readonly sampling?: boolean | McpServersSamplingOptions;
  /** It may ask the person. `false` unless given. */
  readonly elicitation?: boolean;
  /** The token of a server over HTTP. */
  readonly authToken?: string;
  /** What its authorization server knows the run as. */
  readonly clientId?: string;
  /** The secret that goes with it. */
  readonly clientSecret?: string;
  /** What the token is to allow. */
  readonly scopes?: string | readonly string[];
  /** The revision of the protocol that is offered. */
  readonly protocolVersion?: string;
  /** It is started when it is first needed, not before the program. `false` unless given. */
  readonly lazy?: boolean;
  /** Milliseconds that it stays when nobody holds it. `0` unless given; at least 0. */
  readonly keepAliveMs?: number;
  /** Another name for `keepAliveMs`. `0` unless given; at least 0. */
  readonly keepAlive?: number;
}

/** In `check`. */
export interface WorkItemsEntryCheckFileExistsOptions {
  readonly type: "file_exists";
  readonly path?: string;
  readonly glob?: string;
  /** `1` unless given; at least 1. */
  readonly minCount?: number;
  /** `1` unless given; at least 0. */
  readonly minBytes?: number;
  /** `false` unless given. */
  readonly changed?: boolean;
}

/** In `check`. */
export interface WorkItemsEntryCheckContainsTextOptions {
  readonly type: "contains_text";
  readonly pattern: string;
  /** `"results"` unless given. */
  readonly in?: "results" | "files" | "output" | "transcript";
  readonly path?: string;
  readonly tool?: string;
}

/** In `check`. */
export interface WorkItemsEntryCheckToolResultSuccessOptions {
  readonly type: "tool_result_success";
  readonly tool: string;
  readonly args?: Data;
  /** `1` unless given; at least 1. */
  readonly minCount?: number;
  /** `true` unless given. */
  readonly fresh?: boolean;
}

/** In `check`. */
export interface WorkItemsEntryCheckJsonSchemaValidOptions {
  readonly type: "json_schema_valid";
  readonly schema: Data;
  readonly file?: string;
  readonly item?: string;
  /** `false` unless given. */
  readonly output?: boolean;
}

/** In `check`. */
export interface WorkItemsEntryCheckAlwaysTrueOptions {
  readonly type: "always_true";
  readonly judge?: true | WorkItemsEntryCheckAlwaysTrueJudgeOptions;
}

/** In `check`. */
export interface WorkItemsEntryCheckCommandOptions {
  readonly type: "command";
  readonly command: string;
  /** `0` unless given; at least 0. */
  readonly expectStatus?: number;
  readonly assertText?: string;
}

/** In `requiredOutputs`. */
export interface ContractRequiredOutputsOptions {
  /** What it is called. */
  readonly id: string;
  /** What is wanted, for people and models. */
  readonly description?: string;
  /** What is looked at. */
  readonly predicate:
    | WorkItemsEntryCheckFileExistsOptions
    | WorkItemsEntryCheckContainsTextOptions
    | WorkItemsEntryCheckToolResultSuccessOptions
    | WorkItemsEntryCheckJsonSchemaValidOptions
    | WorkItemsEntryCheckAlwaysTrueOptions
    | WorkItemsEntryCheckCommandOptions;
  /** The work is not done without it. `true` unless given. */
  readonly required?: boolean;
  /** Its share of the score. `1.0` unless given; at least 0. */
  readonly weight?: number;
  /** A locked work item stands for it: `true` or `{title, priority}`. */
  readonly item?: boolean | ContractRequiredOutputsItemOptions;
}

/** In `questions`. */
export interface ContractQuestionsOptions {
  /** What it is called. */
  readonly id: string;
  /** The question. */
  readonly text: string;
  /** The work is not done before it is answered. `false` unless given. */
  readonly required?: boolean;
  /** Answers that are possible. `[]` unless given. */
  readonly choices?: readonly string[];
  /** The answer when nobody gives one. */
  readonly default?: string;
}

/** In `acceptability`. */
export interface ContractAcceptabilityOptions {
  /** How many outputs must be met. `"all"` unless given. */
  readonly mode?: "all" | "required" | "threshold";
  /** The score that is enough, for `threshold`. `0.8` unless given; from 0 to 1. */
  readonly threshold?: number;
  /** What is partly met counts half. `false` unless given. */
  readonly allowPartial?: boolean;
}

/** In `cadence`. */
export interface VerifyCompletionJudgeCadenceOptions {
  /** It judges in every so many turns. `1` unless given; at least 1. */
  readonly every?: number;
  /** When it judges: always, or only when the loop stalls. `"always"` unless given. */
  readonly when?: "always" | "stalled";
  /** It judges so often at most. At least 0. */
  readonly maxInvocations?: number;
  /** Turns before it judges at all. `0` unless given; at least 0. */
  readonly minIterationsBeforeFirst?: number;
}

/** In `policy`. */
export interface CompactionPolicyOptions {
  /** What the summary must heed. */
  readonly instructions?: string;
  /** What the policy is called. */
  readonly mode?: string;
  /** Who is told of it. */
  readonly scope?: string;
  /** What the summary must keep. */
  readonly preserve?: readonly string[] | string;
  /** What it may leave out. */
  readonly drop?: readonly string[] | string;
  /** The instructions stand beside the usual ones, not in their place. */
  readonly extendDefaultInstructions?: boolean;
  /** Who made the policy. */
  readonly author?: string;
}

/** In `durability`. */
export interface CompactionDurabilityOptions {
  /** How far results can be had again. */
  readonly class: "ephemeral" | "anchoring" | "replayable" | "non_replayable";
  /** Fields of a result that stay. */
  readonly keep?: readonly string[];
}

/** In `summarizer`. */
export interface CompactionSummarizerOptions extends ModelOptions, ProviderBodies {}

/** In `mustSurvive`. */
export interface CompactionMustSurviveOptions {
  /** In the syntax of the regex builtins. */
  readonly regex: string;
}

/** In `verify`. */
export interface CompactionVerifyOptions {
  /**
   * The part of exact words that a summary must keep or name the message of. `0.9` unless given; from 0 to 1.
   */
  readonly minRetention?: number;
  /**
   * Questions that a model asks about what leaves, and answers from the summary; two calls a pass. `0` unless
   * given; from 0 to 50.
   */
  readonly probes?: number;
  /** The model that asks and answers them; else the summarizer's. */
  readonly model?: string;
}

/** In `initial`. */
export interface ScratchpadInitialOptions {
  /** The version of its form. */
  readonly schema?: string;
  /** `{text, sourceRef}` each. */
  readonly goals?: readonly ScratchpadInitialGoalsOptions[];
  /** `{text, sourceRef?}` each. */
  readonly openItems?: readonly ScratchpadInitialGoalsOptions[];
  /** `{text, sourceRef}` each. */
  readonly facts?: readonly ScratchpadInitialGoalsOptions[];
  /** `{id, kind, label, excerpt?}` each. */
  readonly refs?: readonly ScratchpadInitialRefsOptions[];
}

/** In `reorganizer`. */
export interface ScratchpadReorganizerOptions extends ModelOptions {
  /** The system text of the reorganizer. */
  readonly system?: string;
}

/** In `mounts`. */
export interface PermissionsAllowPathScopeMountsOptions {
  readonly path: string;
  /** `"extend"` unless given. */
  readonly mode?: string;
}

/** In `match`. */
export interface ApprovalPolicyRulesMatchOptions {
  /** Globs, one of which must fit. */
  readonly tool?: readonly string[] | string;
  /** Globs, one of which must fit. */
  readonly toolKind?: readonly string[] | string;
  /** Globs, one of which must fit. */
  readonly sideEffect?: readonly string[] | string;
  /** Globs, one of which must fit. */
  readonly path?: readonly string[] | string;
  /** Globs, one of which must fit. */
  readonly command?: readonly string[] | string;
  /** Globs, one of which must fit. */
  readonly commandIdentity?: readonly string[] | string;
  /** Globs, one of which must fit. */
  readonly url?: readonly string[] | string;
  /** Globs, one of which must fit. */
  readonly domain?: readonly string[] | string;
  /** Globs, one of which must fit. */
  readonly httpMethod?: readonly string[] | string;
  /** Globs, one of which must fit. */
  readonly mcpServer?: readonly string[] | string;
  /** Globs, one of which must fit. */
  readonly mcpTool?: readonly string[] | string;
  /** Globs, one of which must fit. */
  readonly agent?: readonly string[] | string;
  /** Globs, one of which must fit. */
  readonly persona?: readonly string[] | string;
  /** Globs, one of which must fit. */
  readonly mode?: readonly string[] | string;
  /** Globs, one of which must fit. */
  readonly capability?: readonly string[] | string;
  /** The call has been made so often. */
  readonly repeatCountAtLeast?: number;
}

/** In `judge`. */
export interface WorkItemsEntryCheckAlwaysTrueJudgeOptions extends ModelOptions {
  /** The system text of the judge. */
  readonly system?: string;
  /** Kept for the record; a judge has no tools. */
  readonly toolFormat?: "native" | "text" | "json" | "auto";
}

/** In `item`. */
export interface ContractRequiredOutputsItemOptions {
  /** One line; else the description. */
  readonly title?: string;
  /** How much it matters. `"medium"` unless given. */
  readonly priority?: "high" | "medium" | "low";
}

/** In `goals`. */
export interface ScratchpadInitialGoalsOptions {
  /** What it says. */
  readonly text: string;
  /** The id of what it comes from. */
  readonly sourceRef?: string;
}

/** In `refs`. */
export interface ScratchpadInitialRefsOptions {
  /** What others call it by. */
  readonly id: string;
  /** What it is. */
  readonly kind?: string;
  /** What people call it. */
  readonly label?: string;
  /** Words of it. */
  readonly excerpt?: string;
}

/** How a model is asked aside. */
export interface ModelOptions extends RouteOptions {
  /** What its answer is read as. */
  readonly responseFormat?: "text" | "json" | "json_object";
  /** How much it thinks. */
  readonly reasoningEffort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
  /** Whether and how it thinks. */
  readonly thinking?:
    | boolean
    | "none"
    | "minimal"
    | "low"
    | "medium"
    | "high"
    | "xhigh"
    | "max"
    | ThinkingOptions;
  /** Seconds (or a duration) that a call may take. */
  readonly timeout?: number;
  /** The same in milliseconds. At least 0. */
  readonly timeoutMs?: number;
  /** Where the provider is. */
  readonly baseUrl?: string;
  /** Which of a vendor's interfaces is spoken. */
  readonly apiMode?: string;
}

/** Which model is asked, and how freely it chooses. */
export interface RouteOptions {
  /** Who is asked; `auto` goes by the model's name. */
  readonly provider?: string;
  /** A model or one of its aliases. */
  readonly model?: string;
  /** The model of this tier: `small`, `mid`, `frontier`, or one of the project's. */
  readonly modelTier?: string;
  /** Tokens that the answer may have. `16384` unless given; at least 1. */
  readonly maxTokens?: number;
  /** How freely the model chooses; sent where the route has the knob. */
  readonly temperature?: number;
  /** Share of the likeliest words to choose from. */
  readonly topP?: number;
}

/** By a provider's name: fields of the body of requests to it, in its own words. */
export interface ProviderBodies {
  readonly anthropic?: Data;
  readonly openai?: Data;
  readonly openrouter?: Data;
  readonly huggingface?: Data;
  readonly together?: Data;
  readonly groq?: Data;
  readonly deepseek?: Data;
  readonly fireworks?: Data;
  readonly mistral?: Data;
  readonly cohere?: Data;
  readonly xai?: Data;
  readonly dashscope?: Data;
  readonly gemini?: Data;
  readonly ollama?: Data;
  readonly local?: Data;
  readonly llamacpp?: Data;
  readonly mlx?: Data;
  readonly vllm?: Data;
  readonly tgi?: Data;
  readonly bedrock?: Data;
  readonly azure_openai?: Data;
  readonly vertex?: Data;
  readonly mock?: Data;
  readonly tape?: Data;
}

// Left out:
// - `loopControl`, `llmCaller`, `toolCaller`, `verifyCompletion`, `postTurnCallback`, `contextCallback`,
//   `contextFilter`, `messageDecorator`, `compactCallback`, `hooks`, `onEvent`, `CommandPolicyOptions.pre`,
//   `CommandPolicyOptions.post`, `PermissionsOptions.onEscalation`, `SkillsOptions.onActivate`,
//   `SkillsOptions.onDeactivate`, `ContractOptions.answerer`, `CompactionOptions.compactCallback`,
//   `CompactionOptions.customCompactor`, `CompactionOptions.maskCallback`,
//   `CompactionOptions.compressCallback`, `TranscriptProjectionOptions.projector`,
//   `ContextProvidersEnvironmentOptions.provide`, `JitOptions.rules`,
//   `StructuralExperimentOptions.transform`: functions of a script: they need one.
// - `loopDetectWarn`, `loopDetectBlock`, `loopDetectSkip`: deprecated: use `stallDiagnostics`.
// - `tools`, `LlmOptions.tools`: the library's own: `tools: [tool({…})]`.
// - `timeout`: the run's own, in milliseconds; of a model call: `timeoutMs`.
// - `McpServersOptions.keep-alive-ms`, `ControlMcpServersOptions.keep-alive-ms`: another spelling.
