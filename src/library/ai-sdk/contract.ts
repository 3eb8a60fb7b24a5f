/** What of AI SDK's contract for harnesses (`harness-v1`) is used here, so that the package needs none of theirs. */

/** What a session takes over where another one has left off. */
export interface SessionState<T extends string> {
  readonly type: T;
  readonly harnessId: string;
  readonly specificationVersion: "harness-v1";
  readonly data: JsonValue;
}

export type JsonValue =
  | null
  | string
  | number
  | boolean
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };
export type ResumeState = SessionState<"resume-session">;
export type ContinueState = SessionState<"continue-turn">;

export interface StartOptions {
  readonly sessionId: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly resumeFrom?: ResumeState & { readonly continueFrom?: ContinueState };
  readonly continueFrom?: ContinueState;
}

/** A tool of the page's server, which it executes itself. */
export interface HostTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
}

export interface TurnOptions {
  readonly model?: string;
  readonly skills: readonly unknown[];
  readonly instructions?: string;
  readonly tools: readonly HostTool[];
  readonly responseFormat?: { readonly type: string };
  readonly abortSignal?: AbortSignal;
  readonly emit: (part: StreamPart) => void;
}

export interface PromptTurnOptions extends TurnOptions {
  readonly prompt: string | { readonly role: "user"; readonly content: string | readonly PromptPart[] };
}

export type PromptPart = { readonly type: string; readonly text?: string };

export interface TurnControl {
  submitToolResult(result: {
    readonly toolCallId: string;
    readonly output: unknown;
    readonly isError?: boolean;
  }): Promise<void>;
  readonly done: Promise<void>;
}

export interface HarnessSession {
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

export interface Harness {
  readonly specificationVersion: "harness-v1";
  readonly harnessId: string;
  // biome-ignore lint/complexity/noBannedTypes: their set of no typed tools.
  readonly builtinTools: {};
  doStart(options: StartOptions): Promise<HarnessSession>;
}

export interface TokenUsage {
  readonly inputTokens: Tokens<"noCache" | "cacheRead" | "cacheWrite">;
  readonly outputTokens: Tokens<"text" | "reasoning">;
}
type Tokens<K extends string> = { readonly total: number | undefined } & { readonly [k in K]: undefined };

export interface FinishReason {
  readonly unified: "stop" | "tool-calls" | "error" | "other";
  readonly raw: string | undefined;
}

export type StreamPart =
  | { readonly type: "stream-start" }
  | { readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; readonly id: string }
  | { readonly type: "text-delta" | "reasoning-delta"; readonly id: string; readonly delta: string }
  | {
      readonly type: "tool-call";
      readonly toolCallId: string;
      readonly toolName: string;
      /** JSON. */
      readonly input: string;
      readonly providerExecuted?: boolean;
    }
  | {
      readonly type: "tool-result";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly result: NonNullable<JsonValue>;
      readonly isError?: boolean;
    }
  | { readonly type: "finish-step"; readonly finishReason: FinishReason; readonly usage: TokenUsage }
  | { readonly type: "finish"; readonly finishReason: FinishReason; readonly totalUsage: TokenUsage }
  | { readonly type: "error"; readonly error: unknown }
  | { readonly type: "raw"; readonly rawValue: unknown };
