/** A session: the conversation so far, and the turn that works. */
import { harnError } from "../errors.ts";
import type { AgentResult, AnyTool, Harn, Json, Run } from "../types.ts";
import { aiSdkChunks } from "../web/ai-sdk-chunks.ts";
import type {
  ContinueState,
  HarnessSession,
  JsonValue,
  PromptTurnOptions,
  ResumeState,
  SessionState,
  TurnControl,
  TurnOptions,
} from "./contract.ts";
import { type HarnessOptions, harnessId } from "./harness-options.ts";
import { HostTools } from "./host-tools.ts";
import { PartsOfTurn } from "./parts.ts";

export interface SessionData {
  /** Of the turns that are over. */
  readonly transcript?: JsonValue;
  /** Of a turn that was suspended. */
  readonly run?: string;
}

interface Turn {
  readonly run: Run<AgentResult>;
  readonly done: Promise<void>;
  isSuspended: boolean;
}

export class ConversationSession implements HarnessSession {
  readonly sessionId: string;
  readonly isResume: boolean;
  private readonly h: Harn;
  private readonly options: HarnessOptions;
  private transcript: JsonValue | undefined;
  private suspended: string | undefined;
  private turn: Turn | undefined;

  constructor(h: Harn, options: HarnessOptions, sessionId: string, data: SessionData | undefined) {
    this.h = h;
    this.options = options;
    this.sessionId = sessionId;
    this.isResume = data !== undefined;
    this.transcript = data?.transcript;
    this.suspended = data?.run;
  }

  async doPromptTurn(options: PromptTurnOptions): Promise<TurnControl> {
    refuseTurn(options);
    const { prompt, model, instructions } = options;
    const task = wordsOfPrompt(prompt);
    const { transcript } = this;
    return this.begin(options, (tools) =>
      this.h.agent({
        ...this.options,
        ...(model === undefined ? {} : { model }),
        ...(instructions === undefined ? {} : { system: instructions }),
        ...(transcript === undefined ? {} : { transcript: transcript as { readonly [key: string]: Json } }),
        prompt: task,
        tools,
      }),
    );
  }

  async doContinueTurn(options: TurnOptions): Promise<TurnControl> {
    refuseTurn(options);
    const run = this.suspended;
    if (run === undefined) throw harnError("HARN-LIB-001", "harnHarness: no turn was suspended");
    this.suspended = undefined;
    return this.begin(options, (tools) => this.h.resume<AgentResult>(run, { tools }));
  }

  private begin(
    { tools, emit, abortSignal }: TurnOptions,
    start: (tools: readonly AnyTool[]) => Run<AgentResult>,
  ): TurnControl {
    const host = new HostTools(tools, emit);
    const run = start([...(this.options.tools ?? []), ...host.tools]);
    const stop = (): void => void run.stop("aborted");
    if (abortSignal?.aborted === true) stop();
    abortSignal?.addEventListener("abort", stop, { once: true });
    const parts = new PartsOfTurn(host.names, emit);
    const turn: Turn = {
      run,
      isSuspended: false,
      done: this.follow(run, parts, () => turn.isSuspended).finally(() => {
        abortSignal?.removeEventListener("abort", stop);
        if (this.turn === turn) this.turn = undefined;
      }),
    };
    turn.done.catch(() => {});
    this.turn = turn;
    return { submitToolResult: async (result) => host.give(result), done: turn.done };
  }

  private async follow(run: Run<AgentResult>, parts: PartsOfTurn, isSuspended: () => boolean): Promise<void> {
    for await (const chunk of aiSdkChunks(run)) if (!isSuspended()) parts.of(chunk);
    const { output, status, error } = await run.done;
    if (output?.transcript !== undefined) this.transcript = output.transcript as JsonValue;
    // A question has no place in a turn: what waits for an answer (`onQuestion`, `h.runs.answer`) is no answer.
    if ((status === "failed" || status === "waiting") && !isSuspended()) throw error;
  }

  doCompact(): Promise<void> {
    return Promise.reject(
      harnError(
        "HARN-LIB-001",
        "harnHarness: a conversation is compacted by the options of its agent (`autoCompact`)",
      ),
    );
  }

  async doSuspendTurn(): Promise<ContinueState> {
    const { turn } = this;
    if (turn === undefined) throw harnError("HARN-LIB-001", "harnHarness: no turn works");
    turn.isSuspended = true;
    await turn.run.stop("suspended");
    await turn.done.catch(() => {});
    this.suspended = turn.run.id;
    return this.state("continue-turn");
  }

  async doDetach(): Promise<ResumeState> {
    return await this.doStop();
  }

  async doStop(): Promise<ResumeState> {
    await this.doDestroy();
    return this.state("resume-session");
  }

  async doDestroy(): Promise<void> {
    await this.turn?.run.stop("closed");
  }

  private state<T extends string>(type: T): SessionState<T> {
    const { transcript, suspended } = this;
    const data = {
      ...(transcript === undefined ? {} : { transcript }),
      ...(suspended === undefined ? {} : { run: suspended }),
    };
    return { type, harnessId, specificationVersion: "harness-v1", data };
  }
}

/** What a turn may ask for and nothing here can do: told, not dropped. */
function refuseTurn({ skills, responseFormat }: TurnOptions): void {
  if (skills.length > 0)
    throw harnError("HARN-LIB-001", "harnHarness: `skills` are options of its agent, not of a turn");
  if (responseFormat !== undefined && responseFormat.type !== "text")
    throw harnError("HARN-LIB-001", "harnHarness: a turn gives text; `h.agent({output})` gives data");
}

function wordsOfPrompt(prompt: PromptTurnOptions["prompt"]): string {
  const content = typeof prompt === "string" ? prompt : prompt.content;
  if (typeof content === "string") return content;
  return content
    .map(({ type, text }) => {
      if (type === "text" && text !== undefined) return text;
      throw harnError("HARN-LIB-001", `harnHarness: a prompt is text; a part of type ${type} can't be given`);
    })
    .join("\n");
}
