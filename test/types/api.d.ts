// Made by test/unit/library/api.test.ts, which says how to renew it.
declare const conversationStates: {
    readonly idle: "Nothing is said that was not answered.";
    readonly queued: "A run is to begin, or to go on.";
    readonly processing: "A run works.";
    readonly waiting: "Its run stands still until a person answers.";
    readonly interrupted: "Somebody stopped it: nothing begins until a message or a resume.";
    readonly paused: "It was parked where it was, for the reason that `why` names: its run goes on with a resume or a message.";
    readonly failed: "Its run can't go on.";
};
type ConversationState = keyof typeof conversationStates;
type Json = null | boolean | number | string | readonly Json[] | {
    readonly [key: string]: Json;
};
type JsonObject = {
    readonly [key: string]: Json;
};
interface TextRef {
    readonly ref: string;
    readonly bytes: number;
    readonly head: string;
}
type EventText = string | TextRef;
type Mode = "plan" | "execute";
type Delivery = "queue" | "step" | "now";
type ToolStatus = "ok" | "error" | "rejected" | "interrupted";
type RunStatus$1 = "done" | "failed" | "interrupted" | "waiting";
interface Tokens$1 {
    readonly input: number;
    readonly output: number;
    readonly cost_usd: number | null;
}
interface AnswerTokens extends Tokens$1 {
    readonly cached: number;
    readonly reasoning: number;
}
interface ContextUsage {
    readonly used: number;
    readonly window: number | null;
    readonly ratio: number | null;
    readonly threshold: number | null;
    readonly source: "estimate" | "vendor";
    readonly parts: {
        readonly system: number;
        readonly tools: number;
        readonly messages: number;
    };
}
interface FailedCall {
    readonly message: string;
    readonly category: string;
    readonly provider: string;
    readonly model: string;
    readonly status: number | null;
    readonly address: string | null;
}
interface Considered {
    readonly layer: string;
    readonly said: string;
}
interface DurableEventData<Text = EventText> {
    "conversation.created": {
        readonly agent: string;
        readonly title: string;
        readonly owner: string;
        readonly mode: string | null;
        readonly config: JsonObject;
        readonly parent: string | null;
    };
    "conversation.changed": {
        readonly title?: string;
        readonly mode?: string | null;
        readonly config?: JsonObject;
        readonly archived?: boolean;
    };
    "conversation.state": {
        readonly state: ConversationState;
        readonly why: string;
    };
    "message.queued": {
        readonly message: string;
        readonly by: string;
        readonly text: Text;
        readonly attachments: readonly Json[];
        readonly delivery: Delivery;
    };
    "message.withdrawn": {
        readonly message: string;
    };
    "message.taken": {
        readonly message: string;
    };
    "run.start": {
        readonly message: string | null;
        readonly agent: string;
    };
    "run.resumed": {
        readonly because: "crash" | "answer" | "asked";
    };
    "run.end": {
        readonly status: RunStatus$1;
        readonly exit_code: number | null;
        readonly error: string | null;
        readonly outcome?: "failed" | "stalled" | null;
    };
    "loop.start": {
        readonly task: Text;
        readonly name: string | null;
        readonly provider: string;
        readonly model: string;
        readonly format: string;
        readonly mode: string | null;
        readonly window: number | null;
    };
    "loop.end": {
        readonly status: string;
        readonly stop_reason: string;
        readonly turns: number;
        readonly duration_ms: number;
        readonly total: Tokens$1;
        readonly error?: FailedCall | null;
    };
    "turn.start": {
        readonly provider: string;
        readonly model: string;
    };
    "turn.end": {
        readonly tool_count: number;
    };
    "message.end": {
        readonly message: string | null;
        readonly role: string;
        readonly text: Text;
    };
    "thought.end": {
        readonly text: Text;
    };
    "tool.start": {
        readonly name: string;
        readonly kind: string;
        readonly arguments: Json;
        readonly model_call_id: string;
    };
    "tool.end": {
        readonly name: string;
        readonly status: ToolStatus;
        readonly result: Text;
        readonly error: string | null;
        readonly category: string | null;
        readonly gate: string | null;
        readonly duration_ms: number;
        readonly attempts: number;
    };
    usage: {
        readonly of: "turn" | "aside";
        readonly provider: string;
        readonly model: string;
        readonly duration_ms: number;
        readonly answer: AnswerTokens;
        readonly total: Tokens$1;
    };
    "context.usage": ContextUsage;
    "context.compacted": {
        readonly before: number;
        readonly after: number;
        readonly archived: number;
        readonly kept: number | null;
        readonly strategy: string;
        readonly reason: string;
        readonly summary: Text;
        readonly pinned: readonly string[];
        readonly cut: readonly string[];
    };
    "mode.changed": {
        readonly from: string | null;
        readonly to: string;
        readonly by: string;
    };
    "doom.detected": {
        readonly pattern: "repeat" | "cycle";
        readonly period: number;
        readonly calls: readonly string[];
        readonly strike: number;
        readonly action: "correct" | "block" | "stop";
    };
    decision: {
        readonly about: string;
        readonly verdict: string;
        readonly why: string;
        readonly by: string;
        readonly considered: readonly Considered[];
    };
    "question.asked": {
        readonly question: string;
        readonly kind: string;
        readonly prompt: string;
        readonly schema: Json;
        readonly tool: string | null;
        readonly arguments: Json;
        readonly deadline: number | null;
    };
    "question.answered": {
        readonly question: string;
        readonly answer: Json;
        readonly by: string | null;
    };
    "question.expired": {
        readonly question: string;
    };
    "question.withdrawn": {
        readonly question: string;
    };
    "file.changed": {
        readonly path: string;
        readonly change: "created" | "written" | "removed";
        readonly before: string | null;
        readonly after: string | null;
        readonly bytes: number | null;
        readonly before_text?: Text | null;
        readonly after_text?: Text | null;
    };
    "plan.changed": {
        readonly entries: Json;
        readonly text: Text | null;
    };
    "paper.changed": {
        readonly project: string;
        readonly version: number;
        readonly op: string;
        readonly section: string | null;
    };
    retry: {
        readonly what: "model" | "tool";
        readonly attempt: number;
        readonly delay_ms: number;
        readonly reason: string;
    };
    notice: {
        readonly level: "info" | "warning" | "error";
        readonly text: string;
    };
    trace: {
        readonly name: string;
        readonly fields: JsonObject;
    };
    "interrupt.requested": {
        readonly by: string;
        readonly reason: string | null;
    };
    "run.interrupted": {
        readonly by: string;
        readonly reason: string | null;
        readonly how: "unwound" | "killed" | "idle";
        readonly ms: number;
    };
}
interface EphemeralEventData {
    "message.delta": {
        readonly message: string | null;
        readonly text: string;
    };
    "thought.delta": {
        readonly message: string | null;
        readonly text: string;
    };
    "tool.output": {
        readonly call: string;
        readonly text: string;
    };
    partial: {
        readonly message: string | null;
        readonly text: string;
    };
    hello: {
        readonly head: number;
        readonly from: number;
    };
    ping: {
        readonly at: number;
        readonly head: number;
        readonly trouble?: "disk-full";
    };
    reset: {
        readonly reason: string;
        readonly from: number;
    };
}
declare const protocolVersion = 1;
interface WirePlace {
    readonly loop: string | null;
    readonly parent: {
        readonly loop: string;
        readonly call: string | null;
    } | null;
    readonly turn: number;
    readonly call: string | null;
}
type Data = Readonly<Record<string, unknown>>;
interface LoopOptions extends Omit<LlmOptions, "schemaRetries" | "llmRetries" | "llmBackoffMs" | "timeout" | "sessionId" | "llmTranscriptDir" | "transcript" | "messages"> {
    readonly profile?: "tool_using" | "researcher" | "verifier" | "completer";
    readonly system?: string;
    readonly loopUntilDone?: boolean;
    readonly persistent?: boolean;
    readonly doneSentinel?: string;
    readonly maxIterations?: number;
    readonly maxTurns?: number;
    readonly iterationBudget?: "fixed" | "adaptive" | IterationBudgetOptions;
    readonly limits?: LimitsOptions;
    readonly maxNudges?: number;
    readonly nudge?: string;
    readonly turnPolicy?: TurnPolicyOptions;
    readonly modes?: boolean;
    readonly mode?: string;
    readonly agent?: string;
    readonly persona?: string;
    readonly policy?: PolicyOptions | false;
    readonly commandPolicy?: CommandPolicyOptions;
    readonly permissions?: PermissionsOptions | false;
    readonly approvalPolicy?: ApprovalPolicyOptions | false;
    readonly llmOptions?: LlmOptions;
    readonly prefetchNextTurn?: boolean;
    readonly toolRetries?: number;
    readonly toolBackoffMs?: number;
    readonly toolTimeoutMs?: number;
    readonly toolOutputMaxChars?: number;
    readonly maxConcurrentTools?: number;
    readonly stopAfterSuccessfulTools?: readonly string[] | string;
    readonly requireSuccessfulTools?: readonly (string | readonly string[])[] | string;
    readonly nativeToolFallback?: "allow" | "allow_once" | "reject";
    readonly toolSurfaceNarrowing?: boolean | ToolSurfaceNarrowingOptions;
    readonly mcpServers?: readonly (string | McpServersOptions)[] | false;
    readonly progressTool?: boolean | ProgressToolOptions;
    readonly subagents?: boolean;
    readonly subagentTools?: boolean;
    readonly skills?: SkillsOptions | readonly SkillsOptions[] | false;
    readonly skillMatch?: SkillMatchOptions;
    readonly workingFiles?: readonly string[] | string;
    readonly control?: boolean | "interactive" | "autonomous" | ControlOptions;
    readonly maxContinuationPrompts?: number;
    readonly workItems?: boolean | WorkItemsOptions | readonly WorkItemsEntryOptions[];
    readonly contract?: ContractOptions;
    readonly completion?: boolean | CompletionOptions;
    readonly verifyCompletionJudge?: boolean | VerifyCompletionJudgeOptions;
    readonly doneJudge?: boolean | VerifyCompletionJudgeOptions;
    readonly maxVerifyAttempts?: number;
    readonly stepJudge?: boolean | StepJudgeOptions;
    readonly stall?: boolean | StallOptions;
    readonly doomLoop?: boolean | DoomLoopOptions;
    readonly stallThreshold?: number;
    readonly stallDiagnostics?: boolean | StallDiagnosticsOptions;
    readonly timestampMessages?: boolean;
    readonly compaction?: "none" | "ladder" | "truncate" | "summarize_middle" | "summarize_all" | "hybrid" | "observation_mask" | boolean | CompactionOptions;
    readonly autoCompact?: "none" | "ladder" | "truncate" | "summarize_middle" | "summarize_all" | "hybrid" | "observation_mask" | boolean | CompactionOptions;
    readonly compactStrategy?: "ladder" | "truncate" | "summarize_middle" | "summarize_all" | "hybrid" | "observation_mask";
    readonly compactThreshold?: number;
    readonly compactKeepFirst?: number;
    readonly compactKeepLast?: number;
    readonly maxInputTokens?: number;
    readonly softThresholdPercent?: number;
    readonly contextWindow?: number;
    readonly transcriptProjection?: "raw" | "clean_tool_repair" | "squash_failed_calls" | "summary_prefix" | "reachability_gc" | false | TranscriptProjectionOptions;
    readonly contextProviders?: readonly ("environment" | "guidance" | ContextProvidersEnvironmentOptions)[];
    readonly sandboxPath?: string;
    readonly jit?: boolean | JitOptions;
    readonly scratchpad?: boolean | ScratchpadOptions;
    readonly prompts?: Readonly<Record<string, string | PromptsOptions>> | false;
    readonly promptOverrides?: Readonly<Record<string, string | PromptsOptions>> | false;
    readonly daemon?: boolean;
    readonly persistPath?: string;
    readonly resumePath?: string;
    readonly wakeIntervalMs?: number;
    readonly watchPaths?: readonly string[] | string;
    readonly consolidateOnIdle?: boolean;
    readonly idleWatchdogAttempts?: number;
    readonly llmRetries?: number;
    readonly llmBackoffMs?: number;
    readonly schemaRetries?: number;
    readonly sessionId?: string;
    readonly sessionBusy?: "wait" | "fail" | "fork";
    readonly llmTranscriptDir?: string;
    readonly transcript?: Data | false;
    readonly messages?: readonly Data[] | false;
}
interface IterationBudgetOptions {
    readonly mode?: "fixed" | "adaptive";
    readonly initial?: number;
    readonly max?: number;
    readonly extendBy?: number;
    readonly exposeDecisions?: boolean;
    readonly wallClockMs?: number;
    readonly totalCostUsd?: number;
    readonly consecutiveFailures?: number | IterationBudgetConsecutiveFailuresOptions;
}
interface LimitsOptions {
    readonly toolCalls?: number;
    readonly tokens?: number;
    readonly closingTurn?: boolean;
}
interface TurnPolicyOptions {
    readonly requireActionOrYield?: boolean;
    readonly allowDoneSentinel?: boolean;
    readonly maxProseChars?: number;
}
interface PolicyOptions {
    readonly tools?: readonly string[] | string;
    readonly capabilities?: Readonly<Record<string, readonly string[]>>;
    readonly workspaceRoots?: readonly string[] | string;
    readonly readOnlyRoots?: readonly string[] | string;
    readonly sideEffectLevel?: "none" | "read_only" | "workspace_write" | "process_exec" | "network";
    readonly recursionLimit?: number;
    readonly toolArgConstraints?: readonly PolicyToolArgConstraintsOptions[];
    readonly toolAnnotations?: Readonly<Record<string, PolicyToolAnnotationsOptions>>;
}
interface CommandPolicyOptions {
    readonly denyPatterns?: readonly string[];
    readonly requireApproval?: readonly string[];
    readonly workspaceRoots?: readonly string[];
    readonly defaultShellMode?: string;
    readonly allowRecursive?: boolean;
}
interface PermissionsOptions {
    readonly allow?: string | readonly string[] | Readonly<Record<string, boolean | string | readonly string[] | PermissionsAllowPathScopeOptions | PermissionsAllowOptions>>;
    readonly deny?: string | readonly string[] | Readonly<Record<string, boolean | string | readonly string[] | PermissionsAllowPathScopeOptions | PermissionsAllowOptions>>;
}
interface ApprovalPolicyOptions {
    readonly rules?: readonly ApprovalPolicyRulesOptions[];
    readonly autoApprove?: readonly string[] | string;
    readonly autoDeny?: readonly string[] | string;
    readonly requireApproval?: readonly string[] | string;
    readonly writePathAllowlist?: readonly string[] | string;
    readonly allowSensitivePaths?: boolean;
    readonly sensitivePathPatterns?: readonly string[] | string;
    readonly allowExternalPaths?: boolean;
    readonly externalRoots?: readonly string[] | string;
    readonly repeatLimit?: number;
    readonly repeatedCallLimit?: number;
    readonly repeatAction?: "allow" | "approve" | "auto_approve" | "ask" | "require_approval" | "requires_approval" | "approval" | "deny" | "block" | "auto_deny";
}
interface LlmOptions extends RouteOptions, ProviderBodies {
    readonly topK?: number;
    readonly stop?: readonly string[] | string;
    readonly seed?: number;
    readonly frequencyPenalty?: number;
    readonly presencePenalty?: number;
    readonly logprobs?: boolean;
    readonly topLogprobs?: number;
    readonly responseFormat?: "text" | "json" | "json_object";
    readonly schema?: Data;
    readonly jsonSchema?: Data;
    readonly outputSchema?: Data;
    readonly outputFormat?: "text" | "json" | "json_object" | "json_schema" | OutputFormatOptions;
    readonly outputValidation?: "off" | "warn" | "error";
    readonly schemaRetries?: number;
    readonly schemaRetryNudge?: boolean | string;
    readonly schemaStreamAbort?: boolean;
    readonly thinking?: boolean | "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | ThinkingOptions;
    readonly reasoningEffort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
    readonly reasoningPolicy?: boolean | "auto" | "none" | "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
    readonly thinkingPolicy?: boolean | "auto" | "none" | "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
    readonly reasoningScale?: "small" | "medium" | "large";
    readonly problemScale?: "small" | "medium" | "large";
    readonly reasoningTask?: "chat" | "agent" | "code" | "verify" | "summarize";
    readonly interleavedThinking?: boolean;
    readonly anthropicBetaFeatures?: readonly string[] | string;
    readonly toolChoice?: "auto" | "none" | "required" | ToolChoiceOptions;
    readonly toolFormat?: "native" | "text" | "json" | "auto";
    readonly toolSearch?: boolean | "bm25" | "regex" | "hybrid" | ToolSearchOptions;
    readonly budget?: BudgetOptions;
    readonly llmRetries?: number;
    readonly llmBackoffMs?: number;
    readonly timeout?: number;
    readonly timeoutMs?: number;
    readonly idleTimeout?: number;
    readonly idleTimeoutMs?: number;
    readonly stream?: boolean;
    readonly cache?: boolean;
    readonly apiMode?: string;
    readonly baseUrl?: string;
    readonly fast?: boolean;
    readonly routePolicy?: "first_available" | "cheapest" | "strongest" | RoutePolicyOptions | false;
    readonly routingPolicy?: "first_available" | "cheapest" | "strongest" | RoutePolicyOptions | false;
    readonly fallbackChain?: readonly (string | LlmOptions)[] | false;
    readonly prefill?: string;
    readonly vision?: boolean;
    readonly audio?: boolean;
    readonly pdf?: boolean;
    readonly video?: boolean;
    readonly toolContract?: boolean;
    readonly structuralExperiment?: string | StructuralExperimentOptions | false;
    readonly sessionId?: string;
    readonly llmTranscriptDir?: string;
    readonly transcript?: Data | false;
    readonly messages?: readonly Data[];
}
interface ToolSurfaceNarrowingOptions {
    readonly enabled?: boolean;
    readonly windowTurns?: number;
    readonly mode?: "safe" | "aggressive";
    readonly hardKeep?: readonly string[];
    readonly pruneClasses?: readonly string[];
    readonly keepClasses?: readonly string[];
    readonly unknownToolPolicy?: "keep" | "prune";
}
interface McpServersOptions {
    readonly name: string;
    readonly transport?: "stdio" | "http";
    readonly command?: string | readonly string[];
    readonly args?: readonly string[];
    readonly url?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly headers?: Readonly<Record<string, string>>;
    readonly cwd?: string;
    readonly card?: string;
    readonly connectTimeoutMs?: number;
    readonly timeoutMs?: number;
    readonly restarts?: number;
    readonly deferLoading?: boolean | readonly string[];
    readonly roots?: boolean | readonly string[];
    readonly sampling?: boolean | McpServersSamplingOptions;
    readonly elicitation?: boolean;
    readonly authToken?: string;
    readonly clientId?: string;
    readonly clientSecret?: string;
    readonly scopes?: string | readonly string[];
    readonly protocolVersion?: string;
    readonly lazy?: boolean;
    readonly keepAliveMs?: number;
    readonly keepAlive?: number;
}
interface ProgressToolOptions {
    readonly name?: string;
    readonly description?: string;
    readonly systemPromptNudge?: string;
}
interface SkillsOptions {
    readonly name: string;
    readonly description?: string;
    readonly short?: string;
    readonly whenToUse?: string;
    readonly prompt?: string;
    readonly body?: string;
    readonly paths?: readonly string[];
    readonly allowedTools?: readonly string[];
    readonly requiresMcp?: readonly string[];
    readonly disableModelInvocation?: boolean;
    readonly userInvocable?: boolean;
    readonly invocation?: string;
    readonly model?: string;
    readonly effort?: string;
    readonly mcp?: readonly string[];
    readonly namespace?: string;
    readonly [name: string]: unknown;
}
interface SkillMatchOptions {
    readonly strategy?: "metadata" | "host" | "embedding" | "catalog";
    readonly topN?: number;
    readonly sticky?: boolean;
}
interface ControlOptions extends Omit<LoopOptions, "mode" | "control"> {
    readonly mode?: "interactive" | "autonomous";
}
interface WorkItemsOptions {
    readonly items?: readonly WorkItemsEntryOptions[];
    readonly recite?: "compaction" | "system" | "never";
    readonly locked?: boolean;
    readonly staleAfter?: number;
}
interface WorkItemsEntryOptions {
    readonly id: string;
    readonly title: string;
    readonly status?: "pending" | "in_progress" | "done" | "skipped";
    readonly priority?: "high" | "medium" | "low";
    readonly notes?: string;
    readonly artifact?: string;
    readonly artifactRole?: "deliverable" | "working" | "control";
    readonly requiresRevision?: boolean;
    readonly revisionOf?: string;
    readonly check?: WorkItemsEntryCheckFileExistsOptions | WorkItemsEntryCheckContainsTextOptions | WorkItemsEntryCheckToolResultSuccessOptions | WorkItemsEntryCheckJsonSchemaValidOptions | WorkItemsEntryCheckAlwaysTrueOptions | WorkItemsEntryCheckCommandOptions;
    readonly locked?: boolean;
}
interface ContractOptions {
    readonly id?: string;
    readonly goal: string;
    readonly requiredOutputs: readonly ContractRequiredOutputsOptions[];
    readonly questions?: readonly ContractQuestionsOptions[];
    readonly acceptability?: ContractAcceptabilityOptions;
    readonly protect?: readonly string[];
    readonly maxChecks?: number;
    readonly checkTimeoutMs?: number;
}
interface CompletionOptions {
    readonly requireWorkComplete?: boolean;
    readonly plainAnswers?: boolean;
    readonly workCompleteMaxRetries?: number;
    readonly maxContinuationPrompts?: number;
    readonly evidence?: "off" | "contract" | "cited" | "auto";
    readonly verifyWorkItems?: boolean;
    readonly waitForWorkers?: boolean;
    readonly deliverables?: boolean;
}
interface VerifyCompletionJudgeOptions extends ModelOptions {
    readonly feedbackFallback?: string;
    readonly maxInvocations?: number;
    readonly maxFeedback?: number;
    readonly cadence?: VerifyCompletionJudgeCadenceOptions;
    readonly failOpen?: boolean;
    readonly system?: string;
    readonly toolFormat?: "native" | "text" | "json" | "auto";
}
interface StepJudgeOptions extends ModelOptions {
    readonly feedbackFallback?: string;
    readonly rubric?: string;
    readonly onVeto?: "replace" | "retain";
    readonly maxAttempts?: number;
    readonly skipWhenEmpty?: boolean;
    readonly skipWhenStalled?: boolean;
    readonly skipWhenIterationsRemaining?: number;
    readonly failOpen?: boolean;
    readonly system?: string;
    readonly toolFormat?: "native" | "text" | "json" | "auto";
}
interface StallOptions {
    readonly threshold?: number;
    readonly interventions?: number;
    readonly exempt?: readonly string[];
    readonly onStop?: "stop" | "pause";
}
interface DoomLoopOptions {
    readonly repeat?: number;
    readonly period?: number;
    readonly strikes?: number;
    readonly blockTurns?: number;
    readonly exemptTools?: readonly string[];
}
interface StallDiagnosticsOptions {
    readonly enabled?: boolean;
    readonly threshold?: number;
    readonly injectFeedback?: boolean;
    readonly maxFeedback?: number;
    readonly exemptTools?: readonly string[];
    readonly allowRepeatedTools?: readonly string[];
    readonly includeArguments?: boolean;
}
interface CompactionOptions extends RouteOptions {
    readonly enabled?: boolean;
    readonly compactStrategy?: "ladder" | "truncate" | "summarize_middle" | "summarize_all" | "hybrid" | "observation_mask";
    readonly strategy?: "none" | "ladder" | "truncate" | "summarize_middle" | "summarize_all" | "hybrid" | "observation_mask";
    readonly keepFirst?: number;
    readonly compactKeepFirst?: number;
    readonly keepLast?: number;
    readonly keepLastN?: number;
    readonly compactKeepLast?: number;
    readonly tokenThreshold?: number;
    readonly compactThreshold?: number;
    readonly threshold?: number;
    readonly toolOutputMaxChars?: number;
    readonly hardLimitTokens?: number;
    readonly hardLimitStrategy?: "llm" | "truncate" | "observation_mask" | "custom";
    readonly summarizePrompt?: string | PromptsOptions;
    readonly policy?: CompactionPolicyOptions;
    readonly compactionPolicy?: CompactionPolicyOptions;
    readonly maxInputTokens?: number;
    readonly soft?: number;
    readonly softThresholdPercent?: number;
    readonly thresholdRatio?: number;
    readonly hard?: number;
    readonly target?: number;
    readonly keepExchanges?: number;
    readonly keepMessages?: number;
    readonly userTokens?: number;
    readonly rungs?: readonly ("clear" | "externalize" | "summarize" | "drop")[];
    readonly durability?: Readonly<Record<string, "ephemeral" | "anchoring" | "replayable" | "non_replayable" | CompactionDurabilityOptions>>;
    readonly summarizer?: boolean | CompactionSummarizerOptions;
    readonly mustSurvive?: readonly (string | CompactionMustSurviveOptions)[];
    readonly verify?: CompactionVerifyOptions;
    readonly tool?: boolean;
}
interface TranscriptProjectionOptions {
    readonly policy?: "raw" | "clean_tool_repair" | "squash_failed_calls" | "summary_prefix" | "reachability_gc";
    readonly keepLast?: number;
}
interface ContextProvidersEnvironmentOptions {
    readonly id: "environment";
    readonly root?: string;
    readonly maxEntries?: number;
    readonly depth?: number;
}
interface JitOptions {
    readonly disable?: readonly ("no_reads" | "serial_reads" | "reads_without_output" | "turns_running_out" | "planning_only" | "compacted" | "compacted_often" | "work_items_stale")[];
    readonly maxPerTurn?: number;
}
interface ScratchpadOptions {
    readonly enabled?: boolean;
    readonly recite?: boolean;
    readonly reorganizeEvery?: number;
    readonly maxRecentMessages?: number;
    readonly schemaRetries?: number;
    readonly initial?: ScratchpadInitialOptions;
    readonly reorganizer?: ScratchpadReorganizerOptions | boolean;
}
interface PromptsOptions {
    readonly path?: string;
    readonly text?: string;
}
interface ToolSearchOptions {
    readonly variant?: "bm25" | "regex" | "hybrid";
    readonly mode?: "auto" | "native" | "client";
    readonly strategy?: "bm25" | "regex" | "hybrid" | "semantic" | "host";
    readonly alwaysLoaded?: readonly string[];
    readonly budgetTokens?: number;
    readonly name?: string;
    readonly includeStubListing?: boolean;
}
interface OutputFormatOptions {
    readonly kind?: "text" | "json" | "json_object" | "json_schema";
    readonly type?: "text" | "json" | "json_object" | "json_schema";
    readonly schema?: Data;
    readonly strict?: boolean;
    readonly name?: string;
}
interface ThinkingOptions {
    readonly mode?: "disabled" | "enabled" | "adaptive" | "effort";
    readonly enabled?: boolean;
    readonly budgetTokens?: number;
    readonly level?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
}
interface ToolChoiceOptions {
    readonly name?: string;
}
interface BudgetOptions {
    readonly maxCostUsd?: number;
    readonly maxInputTokens?: number;
    readonly maxOutputTokens?: number;
    readonly totalBudgetUsd?: number;
}
interface RoutePolicyOptions {
    readonly policy?: "first_available" | "cheapest" | "strongest";
    readonly candidates?: readonly (string | LlmOptions)[];
    readonly require?: readonly string[] | string;
}
interface StructuralExperimentOptions {
    readonly name?: string;
    readonly label?: string;
    readonly args?: Data;
    readonly [name: string]: unknown;
}
interface IterationBudgetConsecutiveFailuresOptions {
    readonly max: number;
    readonly kinds?: readonly string[];
    readonly pausedForMs?: number;
}
interface PolicyToolArgConstraintsOptions {
    readonly tool: string;
    readonly argKey?: string;
    readonly argPatterns?: readonly string[] | string;
}
interface PolicyToolAnnotationsOptions {
    readonly kind?: string;
    readonly sideEffectLevel?: string;
    readonly capabilities?: Readonly<Record<string, readonly string[]>>;
    readonly pathParams?: readonly string[];
    readonly writes?: readonly string[];
    readonly resultReaders?: readonly string[];
    readonly emitsArtifacts?: boolean;
    readonly [name: string]: unknown;
}
interface PermissionsAllowPathScopeOptions {
    readonly kind: "path_scope";
    readonly scope?: "anchor_only" | "anchor_plus_mounted" | "custom";
    readonly argKeys?: readonly string[] | string;
    readonly mountModes?: readonly string[] | string;
    readonly mounts?: readonly (string | PermissionsAllowPathScopeMountsOptions)[];
    readonly anchor?: string;
    readonly patterns?: readonly string[] | string;
    readonly onViolation?: "deny" | "reminder_only";
}
interface PermissionsAllowOptions {
    readonly argKey: string;
    readonly patterns: readonly string[] | string;
}
interface ApprovalPolicyRulesOptions {
    readonly id?: string;
    readonly name?: string;
    readonly action?: string;
    readonly match?: string | readonly string[] | ApprovalPolicyRulesMatchOptions;
    readonly allow?: string | readonly string[] | ApprovalPolicyRulesMatchOptions;
    readonly ask?: string | readonly string[] | ApprovalPolicyRulesMatchOptions;
    readonly deny?: string | readonly string[] | ApprovalPolicyRulesMatchOptions;
    readonly reason?: string;
    readonly approval?: Data;
}
interface McpServersSamplingOptions extends Omit<LlmOptions, "maxTokens"> {
    readonly maxTokens?: number;
    readonly maxCalls?: number;
    readonly tools?: Data | readonly unknown[];
}
interface WorkItemsEntryCheckFileExistsOptions {
    readonly type: "file_exists";
    readonly path?: string;
    readonly glob?: string;
    readonly minCount?: number;
    readonly minBytes?: number;
    readonly changed?: boolean;
}
interface WorkItemsEntryCheckContainsTextOptions {
    readonly type: "contains_text";
    readonly pattern: string;
    readonly in?: "results" | "files" | "output" | "transcript";
    readonly path?: string;
    readonly tool?: string;
}
interface WorkItemsEntryCheckToolResultSuccessOptions {
    readonly type: "tool_result_success";
    readonly tool: string;
    readonly args?: Data;
    readonly minCount?: number;
    readonly fresh?: boolean;
}
interface WorkItemsEntryCheckJsonSchemaValidOptions {
    readonly type: "json_schema_valid";
    readonly schema: Data;
    readonly file?: string;
    readonly item?: string;
    readonly output?: boolean;
}
interface WorkItemsEntryCheckAlwaysTrueOptions {
    readonly type: "always_true";
    readonly judge?: true | WorkItemsEntryCheckAlwaysTrueJudgeOptions;
}
interface WorkItemsEntryCheckCommandOptions {
    readonly type: "command";
    readonly command: string;
    readonly expectStatus?: number;
    readonly assertText?: string;
}
interface ContractRequiredOutputsOptions {
    readonly id: string;
    readonly description?: string;
    readonly predicate: WorkItemsEntryCheckFileExistsOptions | WorkItemsEntryCheckContainsTextOptions | WorkItemsEntryCheckToolResultSuccessOptions | WorkItemsEntryCheckJsonSchemaValidOptions | WorkItemsEntryCheckAlwaysTrueOptions | WorkItemsEntryCheckCommandOptions;
    readonly required?: boolean;
    readonly weight?: number;
    readonly item?: boolean | ContractRequiredOutputsItemOptions;
}
interface ContractQuestionsOptions {
    readonly id: string;
    readonly text: string;
    readonly required?: boolean;
    readonly choices?: readonly string[];
    readonly default?: string;
}
interface ContractAcceptabilityOptions {
    readonly mode?: "all" | "required" | "threshold";
    readonly threshold?: number;
    readonly allowPartial?: boolean;
}
interface VerifyCompletionJudgeCadenceOptions {
    readonly every?: number;
    readonly when?: "always" | "stalled";
    readonly maxInvocations?: number;
    readonly minIterationsBeforeFirst?: number;
}
interface CompactionPolicyOptions {
    readonly instructions?: string;
    readonly mode?: string;
    readonly scope?: string;
    readonly preserve?: readonly string[] | string;
    readonly drop?: readonly string[] | string;
    readonly extendDefaultInstructions?: boolean;
    readonly author?: string;
}
interface CompactionDurabilityOptions {
    readonly class: "ephemeral" | "anchoring" | "replayable" | "non_replayable";
    readonly keep?: readonly string[];
}
interface CompactionSummarizerOptions extends ModelOptions, ProviderBodies {
}
interface CompactionMustSurviveOptions {
    readonly regex: string;
}
interface CompactionVerifyOptions {
    readonly minRetention?: number;
    readonly probes?: number;
    readonly model?: string;
}
interface ScratchpadInitialOptions {
    readonly schema?: string;
    readonly goals?: readonly ScratchpadInitialGoalsOptions[];
    readonly openItems?: readonly ScratchpadInitialGoalsOptions[];
    readonly facts?: readonly ScratchpadInitialGoalsOptions[];
    readonly refs?: readonly ScratchpadInitialRefsOptions[];
}
interface ScratchpadReorganizerOptions extends ModelOptions {
    readonly system?: string;
}
interface PermissionsAllowPathScopeMountsOptions {
    readonly path: string;
    readonly mode?: string;
}
interface ApprovalPolicyRulesMatchOptions {
    readonly tool?: readonly string[] | string;
    readonly toolKind?: readonly string[] | string;
    readonly sideEffect?: readonly string[] | string;
    readonly path?: readonly string[] | string;
    readonly command?: readonly string[] | string;
    readonly commandIdentity?: readonly string[] | string;
    readonly url?: readonly string[] | string;
    readonly domain?: readonly string[] | string;
    readonly httpMethod?: readonly string[] | string;
    readonly mcpServer?: readonly string[] | string;
    readonly mcpTool?: readonly string[] | string;
    readonly agent?: readonly string[] | string;
    readonly persona?: readonly string[] | string;
    readonly mode?: readonly string[] | string;
    readonly capability?: readonly string[] | string;
    readonly repeatCountAtLeast?: number;
}
interface WorkItemsEntryCheckAlwaysTrueJudgeOptions extends ModelOptions {
    readonly system?: string;
    readonly toolFormat?: "native" | "text" | "json" | "auto";
}
interface ContractRequiredOutputsItemOptions {
    readonly title?: string;
    readonly priority?: "high" | "medium" | "low";
}
interface ScratchpadInitialGoalsOptions {
    readonly text: string;
    readonly sourceRef?: string;
}
interface ScratchpadInitialRefsOptions {
    readonly id: string;
    readonly kind?: string;
    readonly label?: string;
    readonly excerpt?: string;
}
interface ModelOptions extends RouteOptions {
    readonly responseFormat?: "text" | "json" | "json_object";
    readonly reasoningEffort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
    readonly thinking?: boolean | "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | ThinkingOptions;
    readonly timeout?: number;
    readonly timeoutMs?: number;
    readonly baseUrl?: string;
    readonly apiMode?: string;
}
interface RouteOptions {
    readonly provider?: string;
    readonly model?: string;
    readonly modelTier?: string;
    readonly maxTokens?: number;
    readonly temperature?: number;
    readonly topP?: number;
}
interface ProviderBodies {
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
type Validation<T> = {
    readonly value: T;
    readonly issues?: undefined;
} | {
    readonly issues: readonly ValidationIssue[];
};
interface ValidationIssue {
    readonly message: string;
    readonly path?: readonly (PropertyKey | {
        readonly key: PropertyKey;
    })[] | undefined;
}
interface Schema<T = unknown, I = unknown> {
    readonly "~standard": {
        readonly version: 1;
        readonly vendor: string;
        readonly validate: (value: unknown) => Validation<T> | Promise<Validation<T>>;
        readonly types?: {
            readonly input: I;
            readonly output: T;
        } | undefined;
    };
}
type Out<S extends Schema> = NonNullable<S["~standard"]["types"]>["output"];
type In<S extends Schema> = NonNullable<S["~standard"]["types"]>["input"];
type JsonSchema = {
    readonly [key: string]: unknown;
};
interface ToolContext {
    readonly signal: AbortSignal;
    readonly idempotencyKey: string;
    readonly attempt: number;
    readonly run: string;
    readonly call: string;
}
type Rare = "\uDBFF\uDFFF" | 5e-324 | -9223372036854775807n;
type Part = Rare | true | false | {
    readonly [key: string]: Part;
} | readonly Part[] | [
];
type AsWritten = Rare | {
    readonly [key: string]: Part;
} | readonly Part[] | [
];
type Unseen = AsWritten | Promise<AsWritten>;
type Misfit<R, T> = T extends readonly unknown[] ? never : {
    [K in keyof T]-?: K extends keyof R ? (R[K] extends T[K] ? never : K) : K;
}[keyof T];
type OnlyOne<K, All = K> = K extends string ? ([
    All
] extends [
    K
] ? `: see \`${K}\`` : "") : "";
type MisfitPlace<R, T> = [
    R,
    T
] extends [
    object,
    object
] ? [
    Misfit<R, T>
] extends [
    never
] ? "" : OnlyOne<Misfit<R, T>> : "";
type Executes<I extends Schema, R> = (input: Out<I>, context: ToolContext) => R;
type Fitting<I extends Schema, O extends Schema, R> = [
    R
] extends [
    In<O> | Promise<In<O>> | PromiseLike<In<O>>
] ? Executes<I, R> : `does not fit \`output\`${MisfitPlace<Awaited<R>, In<O>>}`;
type Execute<I extends Schema, O extends Schema, R> = [
    Unseen
] extends [
    R
] ? string extends R ? Fitting<I, O, R> : Executes<I, R> : Fitting<I, O, R>;
interface ToolSpec<N extends string, I extends Schema, O extends Schema, R> {
    readonly name: N;
    readonly description: string;
    readonly input: I;
    readonly output?: O;
    readonly inputSchema?: JsonSchema;
    readonly effect?: "read" | "write";
    readonly idempotent?: boolean;
    readonly timeout?: number;
    readonly approval?: boolean;
    readonly execute: Execute<I, O, R>;
}
interface AnyTool {
    readonly name: string;
    readonly description: string;
    readonly effect: "read" | "write";
    readonly idempotent: boolean;
    readonly timeout: number | undefined;
    readonly approval: boolean;
    readonly parameters: JsonSchema;
    readonly returns: JsonSchema | undefined;
    call(input: unknown, context: ToolContext): Promise<unknown>;
}
interface Tool<N extends string = string> extends AnyTool {
    readonly name: N;
}
interface LogLine {
    readonly level: "info" | "warning" | "error";
    readonly text: string;
    readonly run: string;
}
type MockAnswer = {
    readonly [key: string]: unknown;
};
interface Question {
    readonly id: string;
    readonly run: string;
    readonly kind: string;
    readonly prompt: string;
    readonly schema: Json;
    readonly tool: string | null;
    readonly arguments: Json;
    readonly choices: readonly string[];
}
interface HarnOptions {
    readonly cwd?: string;
    readonly store?: string | "memory" | false;
    readonly env?: Readonly<Record<string, string>>;
    readonly model?: string;
    readonly provider?: string;
    readonly baseUrl?: string;
    readonly apiKey?: string;
    readonly mock?: string | readonly MockAnswer[];
    readonly tape?: string;
    readonly tools?: readonly AnyTool[];
    readonly allow?: readonly string[];
    readonly deny?: readonly string[];
    readonly onQuestion?: (question: Question) => unknown;
    readonly onDoubt?: "ask" | "redo" | "skip" | "fail";
    readonly fetch?: typeof fetch;
    readonly signal?: AbortSignal;
    readonly log?: (line: LogLine) => void;
}
type ScriptSource = string | URL | {
    readonly text: string;
    readonly name?: string;
};
interface RunOptions<O = unknown> {
    readonly input?: unknown;
    readonly args?: readonly string[];
    readonly tools?: readonly AnyTool[];
    readonly output?: Schema<O>;
    readonly signal?: AbortSignal;
    readonly timeout?: number;
    readonly name?: string;
    readonly onPrint?: (text: string) => void;
}
interface AgentOptions<O = unknown> extends LoopOptions, Omit<RunOptions<O>, "input" | "args" | "tools"> {
    readonly prompt: string;
    readonly tools?: readonly AnyTool[];
}
interface AgentResult {
    readonly status: string;
    readonly stop_reason: string;
    readonly text: string;
    readonly [key: string]: Json | undefined;
}
type RunStatus = "done" | "failed" | "stopped" | "waiting";
interface Usage {
    readonly input: number;
    readonly output: number;
}
interface RunEnd<O = unknown> {
    readonly run: string;
    readonly status: RunStatus;
    readonly output?: O;
    readonly error?: HarnFailure;
    readonly usage: Usage;
    readonly cost_usd: number | null;
    readonly questions?: readonly Question[];
}
interface Place {
    readonly file: string;
    readonly line: number;
    readonly column: number;
}
interface HarnFailure extends Error {
    readonly code: string;
    readonly run?: string;
    readonly place?: Place;
    readonly questions?: readonly Question[];
}
type EventData = DurableEventData<string> & EphemeralEventData;
type RunEvent = {
    readonly [T in keyof EventData]: WirePlace & {
        readonly v: 1;
        readonly seq: number | null;
        readonly at: number;
        readonly type: T;
        readonly conversation: string | null;
        readonly run: string;
        readonly data: EventData[T];
    };
}[keyof EventData];
interface Run<O = unknown> extends Promise<O>, AsyncIterable<RunEvent>, AsyncDisposable {
    readonly id: string;
    readonly done: Promise<RunEnd<O>>;
    readonly text: AsyncIterable<string>;
    answer(question: string, value: unknown): void;
    stop(reason?: string): Promise<void>;
}
interface ResumeOptions<O = unknown> extends Pick<RunOptions<O>, "tools" | "output" | "signal" | "timeout" | "onPrint"> {
    readonly script?: string;
}
interface ForkOptions {
    readonly at: number;
    readonly result?: Json;
    readonly model?: string;
    readonly provider?: string;
}
interface ReplayOptions {
    readonly script?: string;
    readonly tools?: "recorded" | "live";
}
interface RunRow {
    readonly run: string;
    readonly status: string;
    readonly script: string;
    readonly began: number;
    readonly ended: number | null;
    readonly exit_code: number | null;
    readonly outcome: {
        readonly status: "failed" | "stalled";
        readonly why: string;
    } | null;
    readonly parent: string | null;
}
interface Runs {
    list(options?: {
        readonly limit?: number;
        readonly after?: string;
    }): Promise<readonly RunRow[]>;
    get(run: string): Promise<RunRow | undefined>;
    events(run: string, after?: number): AsyncIterable<RunEvent>;
    questions(run: string): Promise<readonly Question[]>;
    answer(run: string, question: string, value: unknown): Promise<void>;
    export(run: string, file: string): Promise<void>;
    import(file: string): Promise<string>;
    remove(run: string): Promise<void>;
}
type Anything<T> = 0 extends 1 & T ? true : unknown extends T ? true : false;
type Plain = string | number | bigint | boolean | null | undefined;
type Recorded<T> = Anything<T> extends true ? T : T extends undefined | void ? null : RecordedPart<T>;
type RecordedPart<T> = Anything<T> extends true ? T : T extends Plain | Uint8Array | Json | {
    readonly [key: string]: Json | undefined;
} ? T : T extends {
    toJSON(...of: never): infer J;
} ? RecordedPart<J> : T extends ReadonlySet<infer V> ? RecordedPart<V>[] : T extends ReadonlyMap<string, infer V> ? {
    [key: string]: RecordedPart<V>;
} : T extends readonly (infer V)[] ? number extends T["length"] ? RecordedPart<V>[] : {
    [K in keyof T]: RecordedPart<T[K]>;
} : {
    [K in keyof T]: RecordedPart<T[K]>;
};
interface StepOptions {
    readonly effect?: "read" | "write";
    readonly idempotent?: boolean;
}
type StepContext = Omit<ToolContext, "call">;
interface AskOptions<A = unknown> {
    readonly schema?: Schema<A>;
    readonly default?: A;
    readonly timeout?: number;
    readonly choices?: readonly string[];
    readonly context?: unknown;
}
interface FlowAgentOptions<O = unknown> extends LoopOptions {
    readonly prompt: string;
    readonly tools?: readonly AnyTool[];
    readonly output?: Schema<O>;
}
interface ParallelOptions {
    readonly concurrency?: number;
}
interface FlowContext {
    readonly run: string;
    step<I, R>(name: string, input: I, fn: (input: Recorded<I>, context: StepContext) => R, options?: StepOptions): Promise<Recorded<Awaited<R>>>;
    agent<O = AgentResult>(options: FlowAgentOptions<O>): Promise<O>;
    ask<A = Json>(prompt: string, options?: AskOptions<A>): Promise<A>;
    sleep(ms: number): Promise<void>;
    now(): number;
    parallel<T, R>(items: Iterable<T>, fn: (ctx: FlowContext, item: T, index: number) => R, options?: ParallelOptions): Promise<Awaited<R>[]>;
}
type FlowOptions<O = unknown> = Omit<RunOptions<O>, "input" | "args" | "onPrint">;
type Flow<I, O> = <V = Recorded<O>>(...call: undefined extends I ? [
    input?: I,
    options?: FlowOptions<V>
] : [
    input: I,
    options?: FlowOptions<V>
]) => Run<V>;
interface Harn extends AsyncDisposable {
    run<O = unknown>(source: ScriptSource, options?: RunOptions<O>): Run<O>;
    agent<O = AgentResult>(options: AgentOptions<O>): Run<O>;
    flow<I, O>(name: string, fn: (ctx: FlowContext, input: I) => O): Flow<I, Awaited<O>>;
    resume<O = unknown>(run: string, options?: ResumeOptions<O>): Run<O>;
    replay<O = unknown>(run: string | URL, options?: ReplayOptions): Run<O>;
    fork<O = unknown>(run: string, options: ForkOptions & ResumeOptions<O>): Run<O>;
    readonly runs: Runs;
    close(): Promise<void>;
}
declare const mark: unique symbol;
interface WholeFloat {
    readonly [mark]: number;
    valueOf(): number;
    toJSON(): number;
}
export declare function float(value: number): WholeFloat;
export declare class HarnError extends Error implements HarnFailure {
    readonly name = "HarnError";
    readonly code: string;
    readonly run?: string;
    readonly place?: Place;
    readonly questions?: readonly Question[];
    private constructor();
}
export declare function harn(options?: HarnOptions): Harn;
export declare function tool<const N extends string, I extends Schema, O extends Schema = Schema, const R = Unseen>(given: ToolSpec<N, I, O, R>): Tool<N>;
interface Stamp extends WirePlace {
    readonly v: typeof protocolVersion;
    readonly at: number;
    readonly conversation: string | null;
    readonly run: string | null;
}
type DurableType = keyof DurableEventData;
type EphemeralType = keyof EphemeralEventData;
type DurableEnvelope<T extends DurableType = DurableType> = {
    readonly [K in T]: Stamp & {
        readonly seq: number;
        readonly type: K;
        readonly data: DurableEventData[K];
    };
}[T];
type EphemeralEnvelope<T extends EphemeralType = EphemeralType> = {
    readonly [K in T]: Stamp & {
        readonly seq: null;
        readonly type: K;
        readonly data: EphemeralEventData[K];
    };
}[T];
type EventEnvelope = DurableEnvelope | EphemeralEnvelope;
declare const problemStatus: {
    readonly "bad-json": 400;
    readonly "bad-cursor": 400;
    readonly "bad-path": 400;
    readonly "login-needed": 401;
    readonly forbidden: 403;
    readonly "bad-host": 403;
    readonly "bad-origin": 403;
    readonly csrf: 403;
    readonly "not-found": 404;
    readonly "method-not-allowed": 405;
    readonly "not-acceptable": 406;
    readonly busy: 409;
    readonly "already-answered": 409;
    readonly "in-progress": 409;
    readonly "not-queued": 409;
    readonly expired: 410;
    readonly changed: 412;
    readonly "too-large": 413;
    readonly "not-json": 415;
    readonly invalid: 422;
    readonly "invalid-answer": 422;
    readonly "key-reused": 422;
    readonly "no-such-step": 422;
    readonly "slow-down": 429;
    readonly internal: 500;
    readonly stopping: 503;
    readonly store: 503;
    readonly "disk-full": 507;
};
type ProblemSlug = keyof typeof problemStatus;
interface Problem {
    readonly type: string;
    readonly title: string;
    readonly status: number;
    readonly detail: string;
    readonly code: string;
    readonly errors?: readonly {
        readonly path: string;
        readonly message: string;
    }[];
}
type LoopKey = string;
type CallKey = string;
interface TotalsView extends Tokens$1 {
    readonly cached: number;
    readonly reasoning: number;
    readonly answers: number;
}
interface RunView {
    readonly run: string;
    readonly message: string | null;
    readonly agent: string | null;
    readonly started: number;
    readonly ended: number | null;
    readonly status: RunStatus$1 | null;
    readonly exit_code: number | null;
    readonly error: string | null;
    readonly outcome: "failed" | "stalled" | null;
    readonly resumed: number;
    readonly outermost: readonly LoopKey[];
}
interface LoopView {
    readonly key: LoopKey;
    readonly run: string;
    readonly loop: string;
    readonly parent: {
        readonly loop: LoopKey;
        readonly call: CallKey | null;
    } | null;
    readonly name: string | null;
    readonly task: EventText;
    readonly provider: string;
    readonly model: string;
    readonly mode: string | null;
    readonly window: number | null;
    readonly started: number;
    readonly ended: number | null;
    readonly status: string | null;
    readonly stop_reason: string | null;
    readonly turn: number;
    readonly gauge: ContextUsage | null;
    readonly totals: TotalsView;
    readonly calls: readonly CallKey[];
    readonly loops: readonly LoopKey[];
}
interface CallView {
    readonly key: CallKey;
    readonly call: string;
    readonly loop: LoopKey;
    readonly turn: number;
    readonly name: string;
    readonly kind: string;
    readonly started: number | null;
    readonly status: ToolStatus | null;
    readonly gate: string | null;
    readonly duration_ms: number | null;
    readonly loops: readonly LoopKey[];
}
interface QuestionView {
    readonly id: string;
    readonly run: string | null;
    readonly loop: LoopKey | null;
    readonly call: CallKey | null;
    readonly seq: number;
    readonly asked: number;
    readonly data: DurableEventData["question.asked"];
    readonly state: "open" | "answered" | "expired" | "withdrawn";
    readonly answer: Json;
    readonly by: string | null;
    readonly closed: number | null;
}
interface QueuedView {
    readonly message: string;
    readonly text: EventText;
    readonly by: string;
    readonly delivery: Delivery;
    readonly seq: number;
    readonly at: number;
}
interface FileView {
    readonly path: string;
    readonly change: DurableEventData["file.changed"]["change"];
    readonly changes: number;
    readonly first: number;
    readonly last: number;
    readonly before: string | null;
    readonly after: string | null;
    readonly bytes: number | null;
    readonly at: number;
}
interface InterruptView {
    readonly asked: number;
    readonly by: string;
    readonly reason: string | null;
    readonly done: {
        readonly at: number;
        readonly how: "unwound" | "killed" | "idle";
        readonly ms: number;
    } | null;
}
interface LiveText {
    readonly turn: number;
    readonly message: string | null;
    readonly text: string;
    readonly thought: string;
}
interface LogView {
    readonly seq: number;
    readonly at: number;
    readonly created: number | null;
    readonly agent: string | null;
    readonly title: string | null;
    readonly owner: string | null;
    readonly mode: string | null;
    readonly config: JsonObject;
    readonly forked_from: string | null;
    readonly archived: boolean;
    readonly state: ConversationState;
    readonly why: string;
    readonly run: string | null;
    readonly totals: TotalsView;
    readonly gauge: ContextUsage | null;
    readonly turns: number;
    readonly compactions: number;
    readonly decisions: number;
    readonly plan: {
        readonly seq: number;
        readonly text: EventText | null;
        readonly entries: Json;
    } | null;
    readonly interrupt: InterruptView | null;
    readonly runs: Readonly<Record<string, RunView>>;
    readonly loops: Readonly<Record<LoopKey, LoopView>>;
    readonly calls: Readonly<Record<CallKey, CallView>>;
    readonly questions: Readonly<Record<string, QuestionView>>;
    readonly queued: readonly QueuedView[];
    readonly files: Readonly<Record<string, FileView>>;
    readonly papers: Readonly<Record<string, number>>;
    readonly live: Readonly<Record<LoopKey, LiveText>>;
    readonly output: Readonly<Record<CallKey, string>>;
}
interface PaperSummary {
    readonly id: string;
    readonly conversation: string | null;
    readonly owner: string;
    readonly title: string;
    readonly authors: readonly string[];
    readonly abstract: string;
    readonly language: string;
    readonly citation_style: string;
    readonly state: string;
    readonly version: number;
    readonly created: number;
    readonly changed: number;
}
interface SectionRecord {
    readonly id: string;
    readonly parent: string | null;
    readonly position: number;
    readonly depth: number;
    readonly title: string;
    readonly label: string;
    readonly body: string;
    readonly summary: string;
    readonly state: string;
    readonly version: number;
    readonly changed: number;
}
interface CitedWork {
    readonly key: string;
    readonly item: {
        readonly [name: string]: Json;
    };
    readonly verified: boolean;
    readonly origin: {
        readonly [name: string]: Json;
    } | null;
}
interface ReferenceRecord extends CitedWork {
    readonly quote: string;
}
interface PaperRecord extends PaperSummary {
    readonly sections: readonly SectionRecord[];
    readonly references: readonly ReferenceRecord[];
}
interface VersionRecord {
    readonly n: number;
    readonly at: number;
    readonly by: string;
    readonly run: string | null;
    readonly op: string;
    readonly note: string | null;
    readonly section: string | null;
}
interface PaperDiff {
    readonly fields: readonly string[];
    readonly sections: readonly {
        readonly section: string;
        readonly title: string;
        readonly change: "added" | "removed" | "changed" | "moved";
        readonly before: string;
        readonly after: string;
    }[];
    readonly references: readonly {
        readonly key: string;
        readonly change: "added" | "removed" | "changed";
    }[];
}
interface FindingRecord {
    readonly kind: string;
    readonly section: string;
    readonly offset: number;
    readonly text: string;
}
interface ImportedReferences {
    readonly version: number;
    readonly keys: readonly string[];
    readonly problems: readonly {
        readonly line: number;
        readonly message: string;
    }[];
}
interface LibraryRecord extends CitedWork {
    readonly source: string | null;
    readonly added: number;
}
interface LibraryAdded {
    readonly items: readonly LibraryRecord[];
    readonly problems: ImportedReferences["problems"];
}
interface Page<T> {
    readonly items: readonly T[];
    readonly next: string | null;
}
type BadOutcome = "failed" | "stalled";
interface ConversationSummary {
    readonly id: string;
    readonly agent: string;
    readonly title: string;
    readonly owner: string;
    readonly state: ConversationState;
    readonly why: string;
    readonly outcome: BadOutcome | null;
    readonly mode: string | null;
    readonly archived: boolean;
    readonly created: number;
    readonly changed: number;
    readonly turns: number;
    readonly totals: Tokens$1;
    readonly gauge: Pick<ContextUsage, "used" | "window" | "ratio"> | null;
    readonly open_questions: number;
}
interface QuestionRecord {
    readonly id: string;
    readonly conversation: string | null;
    readonly run: string | null;
    readonly kind: string;
    readonly prompt: string;
    readonly schema: Json;
    readonly choices: readonly string[];
    readonly tool: string | null;
    readonly arguments: Json;
    readonly asked: number;
    readonly deadline: number | null;
    readonly answer: Json;
    readonly by: string | null;
}
interface ConversationRecord extends Omit<ConversationSummary, "open_questions"> {
    readonly config: JsonObject;
    readonly parent: string | null;
    readonly run: string | null;
    readonly questions: readonly QuestionRecord[];
    readonly queued: number;
    readonly head: number;
    readonly version: number;
}
interface MessageRecord {
    readonly id: string;
    readonly role: "user" | "assistant";
    readonly text: EventText;
    readonly attachments: readonly Json[];
    readonly by: string | null;
    readonly state: "queued" | "taken" | "said" | "withdrawn";
    readonly delivery: Delivery | null;
    readonly run: string | null;
    readonly seq: number;
    readonly at: number;
}
interface RunSummary {
    readonly run: string;
    readonly script: string;
    readonly conversation: string | null;
    readonly status: string;
    readonly outcome: {
        readonly status: BadOutcome;
        readonly why: string;
    } | null;
    readonly started: number;
    readonly ended: number | null;
    readonly exit_code: number | null;
    readonly parent: string | null;
}
interface FileRecord {
    readonly path: string;
    readonly bytes: number;
    readonly changed: number;
}
interface FileDiff {
    readonly path: string;
    readonly from: FileState | null;
    readonly to: FileState | null;
    readonly hunks: readonly DiffHunk[] | null;
}
interface FileState {
    readonly hash: string | null;
    readonly bytes: number | null;
}
interface DiffHunk {
    readonly old_start: number;
    readonly old_lines: number;
    readonly new_start: number;
    readonly new_lines: number;
    readonly lines: readonly string[];
}
interface PrincipalRecord {
    readonly name: string;
    readonly role: Role;
    readonly created: number;
    readonly revoked: number | null;
}
interface NewMessage {
    readonly text: string;
    readonly attachments?: readonly {
        readonly path: string;
    }[];
    readonly delivery?: Delivery;
}
interface AgentInfo {
    readonly name: string;
    readonly title: string;
    readonly mode: Mode | null;
    readonly examples: readonly string[];
}
type Role = "read" | "write" | "admin";
interface ServerInfo {
    readonly version: string;
    readonly protocol: number;
    readonly agents: readonly AgentInfo[];
    readonly features: readonly string[];
}
interface Me {
    readonly name: string;
    readonly role: Role;
}
type AnswerBody = {
    readonly decision: "approve" | "deny";
    readonly always?: boolean;
    readonly arguments?: JsonObject;
    readonly reason?: string;
    readonly feedback?: string;
} | {
    readonly answer: Json;
};
declare namespace client_d_exports {
    export { AnswerBody, ClientOptions, ConversationRecord, ConversationSummary, EventEnvelope, EventPage, EventsAsked, FileDiff, FileRecord, ForkChanges, HarnClient, HarnProblem, LibraryAdded, LibraryRecord, LogView, MessageRecord, NewMessage, Page, PageAsked, PaperDiff, PaperRecord, PaperSummary, PrincipalRecord, Problem, QuestionRecord, RunSummary, Sent, fileAddress, reportAddress };
}
declare const paperFormats: readonly [
    "md",
    "latex",
    "bib",
    "html",
    "json",
    "docx",
    "pdf"
];
type PaperFormat = (typeof paperFormats)[number];
type EventPage = {
    items: EventEnvelope[];
    next: number | null;
    head: number;
};
interface PageAsked {
    readonly limit?: number;
    readonly after?: string;
}
interface ClientOptions {
    readonly url?: string;
    readonly token?: string;
    readonly fetch?: typeof fetch;
}
interface Sent {
    readonly signal?: AbortSignal;
    readonly idempotencyKey?: string;
    readonly ifMatch?: string;
}
interface EventsAsked {
    readonly after?: number;
    readonly signal?: AbortSignal;
    readonly types?: readonly string[];
}
interface ForkChanges {
    readonly title?: string;
    readonly model?: string;
    readonly provider?: string;
    readonly result?: unknown;
    readonly set?: Readonly<Record<string, string>>;
}
declare class HarnProblem extends Error {
    readonly status: number;
    readonly problem: Problem | null;
    constructor(status: number, problem: Problem | null, message?: string);
    get slug(): ProblemSlug | null;
}
declare class HarnClient {
    private readonly url;
    private readonly token;
    private readonly send;
    constructor({ url, token, fetch: send }?: ClientOptions);
    health: () => Promise<{
        status: "ok" | "stopping";
        version: string;
    }>;
    info: () => Promise<ServerInfo>;
    me: () => Promise<Me>;
    login: (code: string) => Promise<void>;
    logout: () => Promise<void>;
    conversations: (asked?: PageAsked & {
        state?: string;
        agent?: string;
        q?: string;
        archived?: boolean;
    }) => Promise<Page<ConversationSummary>>;
    createConversation: (made: {
        agent: string;
        title?: string;
        mode?: "plan" | "execute" | null;
        config?: Record<string, unknown>;
        message?: NewMessage;
    }, sent?: Sent) => Promise<ConversationRecord>;
    conversation: (id: string) => Promise<ConversationRecord>;
    changeConversation: (id: string, changes: {
        title?: string;
        mode?: "plan" | "execute" | null;
        config?: Record<string, unknown>;
        archived?: boolean;
    }, sent?: Sent) => Promise<ConversationRecord>;
    removeConversation: (id: string, { purge }?: {
        purge?: boolean | undefined;
    }) => Promise<void>;
    messages: (id: string, asked?: PageAsked) => Promise<Page<MessageRecord>>;
    say: (id: string, message: NewMessage, sent?: Sent) => Promise<{
        message: string;
        position: number;
    }>;
    takeBack: (id: string, message: string) => Promise<void>;
    interrupt: (id: string, reason?: string, sent?: Sent) => Promise<{
        interrupt?: string;
        state: string;
    }>;
    resume: (id: string, sent?: Sent) => Promise<{
        state: string;
    }>;
    fork: (id: string, place: ({
        event: number;
    } | {
        step: number;
    }) & ForkChanges, sent?: Sent) => Promise<ConversationRecord>;
    questions: (id: string, { open }?: {
        open?: boolean | undefined;
    }) => Promise<Page<QuestionRecord>>;
    question: (id: string) => Promise<QuestionRecord>;
    answer: (question: string, answer: AnswerBody, sent?: Sent) => Promise<{
        question: string;
        counted: boolean;
        open: number;
    }>;
    files: (id: string) => Promise<{
        items: FileRecord[];
        cut: boolean;
    }>;
    readFile: (id: string, path: string) => Promise<Blob>;
    writeFile: (id: string, path: string, content: Blob | string) => Promise<FileRecord>;
    removeFile: (id: string, path: string) => Promise<void>;
    fileDiff: (id: string, { path, from, to }: {
        readonly path: string;
        readonly from?: number;
        readonly to?: number;
    }, sent?: Sent) => Promise<FileDiff>;
    state: (id: string, seq?: number) => Promise<LogView>;
    blob: (id: string, ref: string) => Promise<string>;
    runs: (asked?: PageAsked) => Promise<Page<RunSummary>>;
    report: (run: string) => Promise<string>;
    run: (run: string) => Promise<RunSummary>;
    principals: () => Promise<Page<PrincipalRecord>>;
    addPrincipal: (name: string, role?: Role, sent?: Sent) => Promise<{
        name: string;
        role: Role;
        token: string | null;
    }>;
    revokePrincipal: (name: string, { keepRuns }?: {
        keepRuns?: boolean;
    }) => Promise<void>;
    papers: (asked?: PageAsked & {
        conversation?: string;
        q?: string;
    }) => Promise<Page<PaperSummary>>;
    paper: (id: string) => Promise<PaperRecord>;
    checkPaper: (id: string) => Promise<{
        findings: readonly FindingRecord[];
    }>;
    writeSection: (id: string, section: string, set: {
        body?: string;
        title?: string;
        label?: string;
        summary?: string;
        version?: number;
    }) => Promise<{
        version: number;
    }>;
    moveSection: (id: string, section: string, to: {
        parent: string | null;
        position: number;
        version?: number;
    }, sent?: Sent) => Promise<{
        version: number;
    }>;
    importReferences: (id: string, bibtex: string, sent?: Sent) => Promise<ImportedReferences>;
    paperVersions: (id: string, asked?: PageAsked) => Promise<Page<VersionRecord>>;
    paperDiff: (id: string, from: number, to?: number) => Promise<PaperDiff>;
    restorePaper: (id: string, version: number, sent?: Sent) => Promise<{
        version: number;
    }>;
    exportPaper: (id: string, { format, version, onFindings }: {
        readonly format: PaperFormat;
        readonly version?: number;
        readonly onFindings?: (findings: readonly FindingRecord[]) => void;
    }, sent?: Sent) => Promise<Blob>;
    library: (asked?: {
        q?: string;
        limit?: number;
    }) => Promise<{
        items: readonly LibraryRecord[];
    }>;
    libraryEntry: (key: string) => Promise<LibraryRecord>;
    addToLibrary: (work: {
        item: Readonly<Record<string, unknown>>;
    } | {
        bibtex: string;
    }, sent?: Sent) => Promise<LibraryAdded>;
    writeLibraryEntry: (key: string, item: Readonly<Record<string, unknown>>) => Promise<LibraryRecord>;
    removeLibraryEntry: (key: string) => Promise<void>;
    eventPage: (id: string, { after, limit, types }?: {
        after?: number;
        limit?: number;
        types?: readonly string[];
    }) => Promise<EventPage>;
    events(id: string, { after, signal, types }?: EventsAsked): AsyncGenerator<EventEnvelope>;
    private stream;
    private get;
    private post;
    private ask;
    private open;
    private headers;
}
declare const fileAddress: (id: string, path: string) => string;
declare const reportAddress: (run: string) => string;
declare namespace server_d_exports {
    export { Agent, CreateServerOptions, Fetch, HarnServer, Logged, PrincipalRole, ServerFlags, createServer };
}
type PrincipalRole = "read" | "write" | "admin";
interface Logged {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly ms: number;
    readonly principal: string;
    readonly error?: string;
}
interface PeerConnection {
    readonly remote: string;
    readonly target?: string | undefined;
}
type Fetch = (request: Request, connection?: PeerConnection) => Promise<Response>;
interface Agent {
    readonly name: string;
    readonly script: string;
    readonly title?: string;
    readonly mode?: "plan" | "execute";
    readonly config?: Readonly<Record<string, string | number | boolean | null>>;
    readonly examples?: readonly string[];
}
interface ServerFlags {
    readonly provider?: string;
    readonly model?: string;
    readonly baseUrl?: string;
    readonly tape?: string;
    readonly llmMock?: string;
    readonly allow?: readonly string[] | string;
    readonly deny?: readonly string[] | string;
}
interface CreateServerOptions {
    readonly agents: readonly Agent[];
    readonly project?: string;
    readonly host?: string;
    readonly port?: number;
    readonly tls?: {
        readonly cert: string;
        readonly key: string;
    };
    readonly allowedHosts?: readonly string[];
    readonly jobs?: number;
    readonly timeout?: number;
    readonly memory?: number;
    readonly flags?: ServerFlags;
    readonly log?: (line: Logged) => void;
    readonly report?: (text: string) => void;
}
interface HarnServer {
    readonly fetch: Fetch;
    listen(): Promise<string>;
    addPrincipal(name: string, role: PrincipalRole): string | undefined;
    close(): Promise<void>;
}
declare function createServer(options: CreateServerOptions): Promise<HarnServer>;
declare namespace tools_d_exports {
    export { serveTools };
}
declare function serveTools(tools: readonly AnyTool[]): Promise<void>;
declare namespace testing_d_exports {
    export { AgentOptions, AgentResult, AnyTool, AskOptions, Difference, Execute, Flow, FlowAgentOptions, FlowContext, FlowOptions, ForkOptions, Harn, HarnFailure, HarnOptions, In, Json, JsonSchema, Kill, Ledger, LogLine, MockAnswer, Out, ParallelOptions, Place, Question, Recorded, ReplayOptions, ReplayResult, ResumeOptions, Run, RunEnd, RunEvent, RunOptions, RunRow, RunStatus, Runs, Schema, ScriptSource, StepContext, StepOptions, Tool, ToolCalls, ToolContext, ToolSpec, Unseen, Usage, Validation, ValidationIssue, killAtEachRecord, replayOf, testHarn };
}
interface ToolCalls {
    readonly tool: string;
    readonly key: string;
    readonly times: number;
    readonly mayRepeat: boolean;
}
interface Kill {
    readonly record: number;
    readonly after: string;
    readonly end: RunEnd;
    readonly calls: readonly ToolCalls[];
}
interface Ledger {
    readonly end: RunEnd;
    readonly records: number;
    readonly calls: readonly ToolCalls[];
    readonly kills: readonly Kill[];
    readonly twice: readonly (ToolCalls & {
        readonly record: number;
    })[];
    readonly differing: readonly Kill[];
}
declare function killAtEachRecord(make: (h: Harn) => Run<unknown>, options?: HarnOptions): Promise<Ledger>;
interface ReplayOfOptions {
    readonly tools?: readonly AnyTool[];
    readonly script?: string;
    readonly flows?: {
        readonly [name: string]: (ctx: FlowContext, input: never) => unknown;
    };
    readonly cwd?: string;
}
interface Difference {
    readonly step: string | undefined;
    readonly recorded: string | undefined;
    readonly now: string | undefined;
    readonly message: string;
}
interface ReplayResult {
    readonly same: boolean;
    readonly difference?: Difference;
    readonly end: RunEnd;
}
declare function replayOf(file: string | URL, options?: ReplayOfOptions): Promise<ReplayResult>;
declare const testHarn: (options?: HarnOptions) => Harn;
declare namespace web_d_exports {
    export { AgentOptions, AgentResult, AiSdkChunk, AnyTool, AskOptions, EventStreamOptions, Execute, Flow, FlowAgentOptions, FlowContext, FlowOptions, ForkOptions, Harn, HarnFailure, HarnOptions, In, Json, JsonSchema, LogLine, MockAnswer, Out, ParallelOptions, Place, Question, Recorded, ReplayOptions, ResumeOptions, Run, RunEnd, RunEvent, RunOptions, RunRow, RunStatus, Runs, Schema, ScriptSource, StepContext, StepOptions, Tool, ToolContext, ToolSpec, Unseen, Usage, Validation, ValidationIssue, aiSdkChunks, eventStream };
}
type AiSdkChunk = {
    readonly type: "start";
    readonly messageId: string;
} | {
    readonly type: "start-step" | "finish-step";
} | {
    readonly type: `${Spoken}-start` | `${Spoken}-end`;
    readonly id: string;
} | {
    readonly type: `${Spoken}-delta`;
    readonly id: string;
    readonly delta: string;
} | (Called & {
    readonly type: "tool-input-available";
    readonly toolName: string;
    readonly input: unknown;
}) | (Called & {
    readonly type: "tool-output-available";
    readonly output: unknown;
}) | (Called & {
    readonly type: "tool-output-error";
    readonly errorText: string;
}) | {
    readonly type: "data-question";
    readonly id: string;
    readonly data: unknown;
} | {
    readonly type: "error";
    readonly errorText: string;
} | {
    readonly type: "abort";
    readonly reason: string;
} | {
    readonly type: "finish";
    readonly finishReason: "stop" | "error" | "other";
    readonly messageMetadata: Pick<RunEnd, "run" | "status" | "usage" | "cost_usd">;
};
type Spoken = "text" | "reasoning";
interface Called {
    readonly toolCallId: string;
    readonly providerExecuted: true;
}
declare function aiSdkChunks(run: Run<unknown>): AsyncGenerator<AiSdkChunk, void, undefined>;
interface EventStreamOptions {
    readonly format?: "harn" | "ai-sdk";
    readonly after?: number;
}
declare function eventStream(run: Run<unknown>, options?: EventStreamOptions): Response;
declare namespace ai_sdk_d_exports {
    export { AgentOptions, AgentResult, AnyTool, AskOptions, ContinueState, Execute, FinishReason, Flow, FlowAgentOptions, FlowContext, FlowOptions, ForkOptions, Harn, HarnFailure, HarnOptions, Harness, HarnessOptions, HarnessSession, HostTool, In, Json, JsonSchema, JsonValue, LogLine, MockAnswer, Out, ParallelOptions, Place, PromptPart, PromptTurnOptions, Question, Recorded, ReplayOptions, ResumeOptions, ResumeState, Run, RunEnd, RunEvent, RunOptions, RunRow, RunStatus, Runs, Schema, ScriptSource, SessionState, StartOptions, StepContext, StepOptions, StreamPart, TokenUsage, Tool, ToolContext, ToolSpec, TurnControl, TurnOptions, Unseen, Usage, Validation, ValidationIssue, harnHarness, noSandbox };
}
interface SessionState<T extends string> {
    readonly type: T;
    readonly harnessId: string;
    readonly specificationVersion: "harness-v1";
    readonly data: JsonValue;
}
type JsonValue = null | string | number | boolean | readonly JsonValue[] | {
    readonly [key: string]: JsonValue | undefined;
};
type ResumeState = SessionState<"resume-session">;
type ContinueState = SessionState<"continue-turn">;
interface StartOptions {
    readonly sessionId: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly resumeFrom?: ResumeState & {
        readonly continueFrom?: ContinueState;
    };
    readonly continueFrom?: ContinueState;
}
interface HostTool {
    readonly name: string;
    readonly description?: string;
    readonly inputSchema?: unknown;
}
interface TurnOptions {
    readonly model?: string;
    readonly skills: readonly unknown[];
    readonly instructions?: string;
    readonly tools: readonly HostTool[];
    readonly responseFormat?: {
        readonly type: string;
    };
    readonly abortSignal?: AbortSignal;
    readonly emit: (part: StreamPart) => void;
}
interface PromptTurnOptions extends TurnOptions {
    readonly prompt: string | {
        readonly role: "user";
        readonly content: string | readonly PromptPart[];
    };
}
type PromptPart = {
    readonly type: string;
    readonly text?: string;
};
interface TurnControl {
    submitToolResult(result: {
        readonly toolCallId: string;
        readonly output: unknown;
        readonly isError?: boolean;
    }): Promise<void>;
    readonly done: Promise<void>;
}
interface HarnessSession {
    readonly sessionId: string;
    readonly isResume: boolean;
    doPromptTurn(options: PromptTurnOptions): Promise<TurnControl>;
    doContinueTurn(options: TurnOptions): Promise<TurnControl>;
    doCompact(customInstructions?: string): Promise<void>;
    doSuspendTurn(): Promise<ContinueState>;
    doDetach(): Promise<ResumeState>;
    doStop(): Promise<ResumeState>;
    doDestroy(): Promise<void>;
}
interface Harness {
    readonly specificationVersion: "harness-v1";
    readonly harnessId: string;
    readonly builtinTools: {};
    doStart(options: StartOptions): Promise<HarnessSession>;
}
interface TokenUsage {
    readonly inputTokens: Tokens<"noCache" | "cacheRead" | "cacheWrite">;
    readonly outputTokens: Tokens<"text" | "reasoning">;
}
type Tokens<K extends string> = {
    readonly total: number | undefined;
} & {
    readonly [k in K]: undefined;
};
interface FinishReason {
    readonly unified: "stop" | "tool-calls" | "error" | "other";
    readonly raw: string | undefined;
}
type StreamPart = {
    readonly type: "stream-start";
} | {
    readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end";
    readonly id: string;
} | {
    readonly type: "text-delta" | "reasoning-delta";
    readonly id: string;
    readonly delta: string;
} | {
    readonly type: "tool-call";
    readonly toolCallId: string;
    readonly toolName: string;
    readonly input: string;
    readonly providerExecuted?: boolean;
} | {
    readonly type: "tool-result";
    readonly toolCallId: string;
    readonly toolName: string;
    readonly result: NonNullable<JsonValue>;
    readonly isError?: boolean;
} | {
    readonly type: "finish-step";
    readonly finishReason: FinishReason;
    readonly usage: TokenUsage;
} | {
    readonly type: "finish";
    readonly finishReason: FinishReason;
    readonly totalUsage: TokenUsage;
} | {
    readonly type: "error";
    readonly error: unknown;
} | {
    readonly type: "raw";
    readonly rawValue: unknown;
};
type HarnessOptions = Omit<AgentOptions, "prompt" | "output" | "signal" | "name">;
declare function harnHarness(h: Harn, options?: HarnessOptions): Harness;
declare const refuseSandbox: () => Promise<never>;
declare const noSandbox: {
    readonly specificationVersion: "harness-sandbox-v1";
    readonly providerId: "harn";
    readonly createSession: ({ sessionId }?: {
        readonly sessionId?: string;
    }) => Promise<{
        description: string;
        readFile: typeof refuseSandbox;
        readBinaryFile: typeof refuseSandbox;
        readTextFile: typeof refuseSandbox;
        writeFile: typeof refuseSandbox;
        writeBinaryFile: typeof refuseSandbox;
        writeTextFile: typeof refuseSandbox;
        spawn: typeof refuseSandbox;
        run: ({ command }: {
            readonly command: string;
        }) => Promise<{
            exitCode: number;
            stdout: string;
            stderr: string;
        }>;
        id: string;
        defaultWorkingDirectory: string;
        ports: never[];
        getPortEndpoint: typeof refuseSandbox;
        getPortUrl: typeof refuseSandbox;
        stop: () => Promise<void>;
        destroy: () => Promise<void>;
        restricted: () => {
            description: string;
            readFile: typeof refuseSandbox;
            readBinaryFile: typeof refuseSandbox;
            readTextFile: typeof refuseSandbox;
            writeFile: typeof refuseSandbox;
            writeBinaryFile: typeof refuseSandbox;
            writeTextFile: typeof refuseSandbox;
            spawn: typeof refuseSandbox;
            run: ({ command }: {
                readonly command: string;
            }) => Promise<{
                exitCode: number;
                stdout: string;
                stderr: string;
            }>;
        };
    }>;
    readonly resumeSession: ({ sessionId }: {
        readonly sessionId: string;
    }) => Promise<{
        description: string;
        readFile: typeof refuseSandbox;
        readBinaryFile: typeof refuseSandbox;
        readTextFile: typeof refuseSandbox;
        writeFile: typeof refuseSandbox;
        writeBinaryFile: typeof refuseSandbox;
        writeTextFile: typeof refuseSandbox;
        spawn: typeof refuseSandbox;
        run: ({ command }: {
            readonly command: string;
        }) => Promise<{
            exitCode: number;
            stdout: string;
            stderr: string;
        }>;
        id: string;
        defaultWorkingDirectory: string;
        ports: never[];
        getPortEndpoint: typeof refuseSandbox;
        getPortUrl: typeof refuseSandbox;
        stop: () => Promise<void>;
        destroy: () => Promise<void>;
        restricted: () => {
            description: string;
            readFile: typeof refuseSandbox;
            readBinaryFile: typeof refuseSandbox;
            readTextFile: typeof refuseSandbox;
            writeFile: typeof refuseSandbox;
            writeBinaryFile: typeof refuseSandbox;
            writeTextFile: typeof refuseSandbox;
            spawn: typeof refuseSandbox;
            run: ({ command }: {
                readonly command: string;
            }) => Promise<{
                exitCode: number;
                stdout: string;
                stderr: string;
            }>;
        };
    }>;
};
export { type AgentOptions, type AgentResult, type AnyTool, type AskOptions, type Execute, type Flow, type FlowAgentOptions, type FlowContext, type FlowOptions, type ForkOptions, type Harn, type HarnFailure, type HarnOptions, type In, type Json, type JsonSchema, type LogLine, type MockAnswer, type Out, type ParallelOptions, type Place, type Question, type Recorded, type ReplayOptions, type ResumeOptions, type Run, type RunEnd, type RunEvent, type RunOptions, type RunRow, type RunStatus, type Runs, type Schema, type ScriptSource, type StepContext, type StepOptions, type Tool, type ToolContext, type ToolSpec, type Unseen, type Usage, type Validation, type ValidationIssue, ai_sdk_d_exports as ai_sdk, client_d_exports as client, server_d_exports as server, testing_d_exports as testing, tools_d_exports as tools, web_d_exports as web };
