/**
 * Everything of a loop that outlives a turn: one plain object with a slot per subsystem.
 *
 * `LoopState` holds data only and could be written to disk between two turns. `Loop` is what a turn works with: the
 * state, the conversation, the options as read and the tools; it is made anew when a loop is taken up again.
 * `TurnWork` is the workspace of one turn and dies with it.
 *
 * Invariant: nothing here is copied per turn; counts and lists grow by what the turn added.
 */

import type { LoopIdentity } from "../../events/index.ts";
import type {
  AgentMode,
  BudgetRefusal,
  Conversation,
  Disclosure,
  LoggedMessage,
  ModelBudget,
  ModelError,
  ModelMessage,
  StopReason,
  StructuralTool,
  SystemPart,
  ToolCall,
  ToolEntry,
  ToolFormat,
  ToolGate,
  ToolOutcome,
  ToolRequest,
  ToolSet,
} from "../../model/index.ts";
import type { Callable, Dict, Value } from "../../values/index.ts";
import type { Control, Core } from "../contract/index.ts";
import type { HookSaid, SessionHookEvent } from "../hooks/session-hooks.ts";
import type { LoopOptions } from "../options/loop-options.ts";
import type { CompactionMode } from "../session/compaction-source.ts";
import { newCompletionState } from "./completion-state.ts";
import { newJitState } from "./jit-state.ts";
import { newLadderSlot } from "./ladder-slot.ts";
import type { LoopCall, OutcomeSink } from "./loop-call.ts";
import type { Mailbox } from "./mailbox.ts";
import type { PhaseObserver } from "./phases.ts";
import type { Projector } from "./projector.ts";
import { newRepetitionState } from "./repetition-state.ts";
import type { Turn } from "./requests.ts";
import type { Initiator, SuspensionRequest } from "./suspension.ts";

export interface JudgeDecision {
  /** 0-based index of the judged turn. */
  readonly iteration: number;
  readonly verdict: string;
  readonly reasoning: string;
  readonly nextStep: string;
  readonly durationMs: number;
  readonly trigger: string | null;
}

export interface TurnRecord {
  /** 1-based. */
  readonly iteration: number;
  readonly toolCount: number;
  readonly proseChars: number;
}

/** How a loop that could not go on failed. */
export interface LoopFailure {
  readonly error: ModelError;
  readonly afterToolResult: boolean;
  readonly budget: BudgetRefusal | null;
  /** An `llm_caller` gave up in its own words; they are the result's `status` and `error`. */
  readonly own: { readonly status: string; readonly value: Value } | null;
}

/** How a loop ended that was suspended. */
export interface SuspendedEnd {
  readonly reason: string;
  readonly handle: Dict | null;
  readonly initiator: Initiator;
  readonly conditions: Dict | null;
  readonly resumeBy: string | null;
}

/** How often a judge was asked and said no. */
export interface JudgeCount {
  invocations: number;
  vetoes: number;
  capReached: boolean;
}

export interface BudgetDecision {
  readonly iteration: number;
  readonly action: string;
  readonly oldLimit: number;
  readonly newLimit: number;
  readonly reason: string;
  readonly status: string;
}

/** A loop that ends gets one more turn without tools, to say what it has come to. */
export interface ClosingState {
  /** How it ends after that turn; null: it does not. */
  end: { readonly status: string; readonly reason: string } | null;
  /** In words for the model. */
  why: string;
  /** The turn is this one. */
  begun: boolean;
}

export function createLoopState(control: Control, task: string, sessionId: string) {
  const judge = (): JudgeCount => ({ invocations: 0, vetoes: 0, capReached: false });
  return {
    version: 1 as const,
    control,
    task,
    sessionId,
    startedAt: 0,
    /** Model round trips that were answered. */
    iterations: 0,
    /** Raw texts of all turns; joined when asked for. */
    texts: [] as string[],
    visible: [] as string[],
    /** The text of the last turn, with what came before it when that was cut by the token limit. */
    lastText: "",
    /** What a person saw of the last turn that showed something. */
    lastVisible: "",
    /** The last turn's text as a user should read it: no sentinel, no protocol; "" when there is none. */
    answer: "",
    lastThinking: null as string | null,
    lastStopReason: null as StopReason | null,
    /**
     * `judged*`: what judges used, apart from the loop's own calls; `lent*`: what its tools, callbacks and child loops
     * used. `costUsd` is everything.
     */
    usage: {
      judgedTokens: 0,
      innerTokens: 0,
      input: 0,
      output: 0,
      costUsd: 0,
      modelMs: 0,
      toolMs: 0,
    },
    tools: {
      attempted: new Set<string>(),
      successful: new Set<string>(),
      rejected: new Set<string>(),
      executions: 0,
      rejections: 0,
    },
    /** Text-only turns in a row. */
    nudges: 0,
    vetoes: 0,
    modelFailures: 0,
    turns: [] as TurnRecord[],
    judgeDecisions: [] as JudgeDecision[],
    failure: null as LoopFailure | null,
    /** How it ended; `null` while it runs. */
    end: null as { readonly status: string; readonly reason: string } | null,
    /** One slot per subsystem; data only. */
    slots: {
      fallback: { count: 0, rejected: 0 },
      emptyRetries: { count: 0 },
      completionJudge: judge(),
      doneJudge: judge(),
      stepJudge: { attempts: 0 },
      budget: { decisions: [] as BudgetDecision[], extensions: 0 },
      repetition: newRepetitionState(),
      /** What context providers gave last, by id, and after how many compactions. */
      provided: new Map<string, { readonly text: string; readonly compactions: number }>(),
      /** How often each tool was called, and the last calls, newest last. */
      calls: {
        usage: new Map<string, number>(),
        last: [] as { readonly tool: string; readonly ok: boolean; readonly turn: number }[],
      },
      /** How often each hook before the end blocked it, by its place, and its last words. */
      hookBlocks: new Map<number, { readonly attempt: number; readonly reason: string }>(),
      /** Messages of people, and how much of the log was looked at for them; below 0: what there is has been counted. */
      people: { looked: 0, count: 0 },
      /** The mode that the model was told of last, and how often it was another one. */
      mode: { shown: null as AgentMode | null, changes: 0 },
      /** The last turn comes, or is there (completion/closing.ts). */
      closing: { end: null, why: "", begun: false } as ClosingState,
      /** What just-in-time instructions know of the turns before them. */
      jit: newJitState(),
      /** Claims and what refused them; of loops with `completion`. */
      completion: newCompletionState(),
      prose: { shortened: false },
      /** The last answer was cut by the token limit and the model was asked to go on: the next text belongs to it. */
      cut: { continued: false },
      /** Counted for the result's `trace`. */
      traced: { streamAborts: 0, checkpoints: 0, checkpointFailures: 0 },
      /** What the runtime did by itself and recorded (interventions.ts). */
      interventions: { count: 0 },
      /** What the post-turn callback said to the last tool calls. */
      postTurn: { saidToTools: null as string | null },
      /** Ids of the reminders that the coming or last call was told. */
      reminders: { delivered: [] as readonly string[] },
      /** Messages of the log when it was looked at last and when the last pass ended, and whether that was above its threshold. */
      compaction: { count: 0, looked: -1, ended: 0, over: false },
      /** What was told last of how full the window is, and after how many compactions. */
      gauge: { delivered: null as number | null, compactions: 0 },
      /** Meter and ladder. */
      ladder: newLadderSlot(),
      /** Turns after which the loop went on. */
      scratchpad: { opened: false, turns: 0 },
      /** Names called in the last turns, and the tools that the model is no longer told of; `off`: not here. */
      narrowing: { window: [] as string[][], removed: new Set<string>(), off: false },
      /** Deferred tools that a search has found, oldest first. */
      toolSearch: { promoted: [] as readonly string[] },
      /**
       * What a loop that idles or is persisted keeps (daemon/). `watchState`: how files were when it began to idle; `heard`:
       * what had been said from outside (`arrivalCount`) when the model was asked last.
       */
      daemon: {
        received: 0,
        phase: "active",
        startsIdle: false,
        earlier: nothingEarlier as Earlier,
        idleBackoffMs: 0,
        watchState: null as ReadonlyMap<string, number> | null,
        exitCode: null as number | null,
      },
      /** What the model asked for in this turn, how the loop ended by it, whether it went on in the same call. */
      suspension: {
        asked: null as SuspensionRequest | null,
        ended: null as SuspendedEnd | null,
        isResumed: false,
      },
    },
  };
}
export type LoopState = ReturnType<typeof createLoopState>;

/** How tools are spoken: `none` is a loop without tools. */
export type ToolMode = ToolFormat | "none";

/** What the driver knows of the route; the turn needs it for formats and events only. */
export interface LoopRoute {
  readonly provider: string;
  readonly model: string;
  /** Tool results go back as `tool_result` messages (Anthropic's shape). */
  readonly toolResultBlocks: boolean;
}

export interface Loop {
  /** What it was called with. */
  readonly call: LoopCall;
  readonly core: Core;
  readonly state: LoopState;
  /** What it and everybody who works for it may spend. */
  readonly modelBudget: ModelBudget;
  readonly conversation: Conversation;
  /** Read again when `next_options` change them. */
  options: LoopOptions;
  readonly route: LoopRoute;
  /** The system text begins with the preamble of `agent_turn`. */
  readonly announces: boolean;
  /** What the events of its compactions say. */
  readonly compactionMode: CompactionMode;
  /** Caller's system text. */
  readonly system: string | null;
  /** What MCP servers of the loop want the model to know; "" for nothing. */
  readonly serverNotes: string;
  /** All tools that a call may reach; `visible` are those the model is told of. */
  readonly tools: ToolSet;
  visible: ToolSet;
  /** Names of tools that are answered when they are called, and that the model is not told of. */
  readonly unlisted: ReadonlySet<string>;
  /** Who searches the tools that are not shown; null: all are. */
  readonly disclosure: Disclosure;
  /** Tools that the loop answers itself. */
  readonly structural: ReadonlyMap<string, StructuralTool>;
  /** There are tools of the user: only these make a loop tool-using. */
  readonly usesTools: boolean;
  /** The mode that holds for it now: its own, or a narrower one around it; `null` where nobody has modes. */
  readonly agentMode: () => AgentMode | null;
  /** Of the session: `result.tools.mode`. */
  readonly format: ToolFormat;
  /** Another format was asked for than the session speaks. */
  readonly formatOverride: { readonly requested: ToolFormat; readonly effective: ToolFormat } | null;
  readonly mode: ToolMode;
  /** How calls are spoken: as `mode`, and as `format` where the model is told of `load_skill` only. */
  readonly channel: ToolMode;
  /** `null` without the option `skills`. */
  readonly skills: LoopSkills | null;
  readonly sentinel: string | null;
  /** `next_options` and `llm_options` of callbacks. */
  overrides: Dict | null;
  /** Who it is in events. */
  readonly identity: LoopIdentity;
  /** Whether anybody gets its events: those that nobody gets are not made. */
  listens(): boolean;
  /** Whether a session hook of this event is registered: without one nothing is made for it. */
  readonly hooked: (event: SessionHookEvent) => boolean;
  /** Tells session hooks; nobody is asked when there are none. */
  readonly sessionHooks: (event: SessionHookEvent, fields: Dict, subject: string) => Promise<HookSaid> | null;
  /** Called with how each tool call ended. */
  readonly onOutcome: OutcomeSink | null;
  /** What it is sent while it idles. */
  readonly mailbox: Mailbox | null;
  /** Asked before every call what the model should be told; those of the run, as they are at that time. */
  readonly reminderProviders: ReadonlyMap<string, Callable>;
  /** What follows the conversation for `transcript_projection`; made when first asked for. */
  projector: Projector | null;
  /** Tokens that the route's model takes in; `null` when nobody knows. */
  readonly contextWindow: number | null;
  /** The model takes pictures. */
  readonly seesPictures: boolean;
  /** The route wants calls back with the reasoning that they came with. */
  readonly reasoningStays: boolean;
  /** A new id. */
  freshId(): string;
  /** SHA-256 in hexadecimal. */
  digest(text: string): string;
  /** Where a pattern of the regex builtins fits in a text; throws what is wrong with the pattern. */
  findAll(pattern: string, text: string): readonly string[];
  /** Tells who watches phases (`phases.ts`) that the loop is in this one now. */
  readonly reached: PhaseObserver;
  work: TurnWork;
}

/** Tokens that count against the loop's limit. */
export function usedTokens({ usage }: LoopState): number {
  return usage.input + usage.output + usage.judgedTokens + usage.innerTokens;
}

/** The workspace of a turn. */
export function newTurn(iteration: number) {
  return {
    /** 0-based. */
    iteration,
    /** Messages of others that came into the conversation before this turn. */
    drained: 0,
    /** Messages of the log when the model was asked; null: it was not asked in this turn. */
    seenLength: null as number | null,
    answered: false,
    text: "",
    visible: "",
    calls: [] as readonly ToolCall[],
    assistant: null as LoggedMessage | null,
    doneMarker: null as string | null,
    /** Broken tagged calls: what the model is to be told. */
    parseErrors: [] as readonly string[],
    fallback: "none" as "none" | "accepted" | "rejected",
    /** `wall_clock_ms` ended the model call or the tools of this turn. */
    late: false,
    /** A judge or diagnosis kept the calls from being dispatched. */
    held: false,
    /** By position in the batch: outcomes as dispatch gave them. */
    outcomes: [] as (ToolOutcome | null)[],
    /** Positions of the calls whose end was emitted. */
    ended: new Set<number>(),
    /** Something already decided that the loop ends here. */
    ending: null as { readonly status: string; readonly reason: string } | null,
    /** What the model call took. */
    call: { inputTokens: 0, outputTokens: 0, costUsd: 0, durationMs: 0, thinkingChars: 0 },
    /** A stall warning fired in this turn. */
    stalled: false,
    /** What the watch over progress says of it to the stop decision; `undefined`: nobody watches. */
    stall: undefined as { readonly stop: boolean; readonly park: boolean } | undefined,
    completion: {
      proposed: false,
      vetoed: false,
      verdict: null as string | null,
      feedback: null as string | null,
    },
    /** System text and messages as assembled for the coming call. */
    context: null as {
      readonly system: string | null;
      /** Of the system text. */
      readonly parts: readonly SystemPart[];
      readonly messages: ModelMessage[];
      /** The messages with their ids, where they are not the view of the conversation. */
      readonly sent: readonly LoggedMessage[] | null;
    } | null,
  };
}
export type TurnWork = ReturnType<typeof newTurn>;

/** The call as the contract sees it. */
export const requestOf = (call: ToolCall): ToolRequest => ({
  id: call.id,
  name: call.name,
  arguments: call.arguments,
});

/** The skills of one loop. */
export interface LoopSkills {
  /** `load_skill`; undefined where there is nothing to load. */
  readonly tool: ToolEntry | undefined;
  /** Refuses calls of tools outside the scope of the active skills. */
  gate(loop: Loop): ToolGate;
  /** Which tools the active skills leave. */
  scope(loop: Loop): (entry: ToolEntry) => boolean;
  /** Parts of the system text; "" for nothing. */
  activeText(loop: Loop): string;
  catalogText(): string;
  /** PLANNING: activates what fits the conversation. */
  prepare(loop: Loop): Turn<void>;
  /** REFLECTING: what the model loaded comes into force. */
  settled(loop: Loop): Turn<void>;
}

/** What a loop has from those that it goes on from. */
interface Earlier {
  readonly text: string;
  readonly tools: readonly string[];
  readonly rejected: readonly string[];
  readonly iterations: number;
  /** Transcript events that are no messages. */
  readonly events: readonly Dict[];
}

const nothingEarlier: Earlier = { text: "", tools: [], rejected: [], iterations: 0, events: [] };
