/**
 * The machine for TypeScript programs: `run(goal)` and `resume(payload)` return at the two pull points, hooks and
 * events are registered on it, the planner can be swapped between any two steps.
 *
 *     const loop = new HarnessLoop({ planner, budget: { turns: 40 } });
 *     loop.hooks.on("before_tool_call", (payload) => …);
 *     let pull = await loop.run("tidy the repository");
 *     while (pull.kind !== "complete") pull = await loop.resume(await answer(pull));
 *
 * It calls no model and runs no tool. It reads a clock only for a `wall_clock_ms` limit, and only until its caller gives the
 * time as `at`: running time counts from the start, between a pause and its resume it stands still.
 * Pull points are return values. What a planner, a hook or a tool result does wrong never throws out of here; calling
 * `run` twice or `resume` before `run` does, because that is a mistake of the program.
 */

import type { ToolRequest } from "../../model/index.ts";
import type { MaybePromise } from "../../values/index.ts";
import type { Amounts } from "./budget.ts";
import {
  type Completion,
  type Control,
  createControl,
  type Plan,
  type PlanStep,
  type Reflection,
  type ToolAnswer,
} from "./control.ts";
import { type ContractRequest, type Core, type CycleProgram, cycle } from "./cycle.ts";
import { EventLog, type LoopEvent, type ParentRef } from "./events.ts";
import { HookRegistry, type ResumePayload } from "./hooks.ts";
import { replayEvents } from "./replay.ts";
import type { StateName } from "./states.ts";

/** What a planner sees. Everything in it is to be read only. */
export interface PlannerView {
  readonly goal: unknown;
  readonly turns: number;
  readonly step: PlanStep | null;
  readonly results: readonly ToolAnswer[];
  readonly aborted: string | null;
  /** What the caller said when it resumed a paused session last. */
  readonly input: unknown;
}

/** A step of a planner's plan: with `tool` (or `calls`) it stops for results, without it is just done. */
export interface HarnessStep extends PlanStep {
  readonly tool?: string;
  readonly arguments?: unknown;
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly arguments?: unknown }[];
}

export interface Planner {
  /** The next plan; `undefined` (or no steps) when nothing is left to do. */
  plan(view: PlannerView): MaybePromise<Plan | { readonly steps: readonly HarnessStep[] } | null | undefined>;
  /** After each step. Left out: next step while there is one, then done. */
  reflect?(view: PlannerView): MaybePromise<Reflection["next"] | Reflection>;
}

/** Where the loop stands when `run` or `resume` returns. */
export type Pull =
  | { readonly kind: "tools"; readonly calls: readonly ToolRequest[] }
  | { readonly kind: "pause"; readonly reason: string; readonly detail: unknown }
  | ({ readonly kind: "complete" } & Completion);

/** What `resume` takes: answers while calls are open, a `ResumePayload` after a pause. */
export type ResumeInput =
  | { readonly results: readonly ToolAnswer[] }
  | { readonly result: unknown }
  | { readonly error: string; readonly category?: string }
  | ResumePayload;

export interface HarnessLoopOptions {
  readonly planner: Planner;
  /** Names the session in events; default "session". Two sessions of one program need two names. */
  readonly session?: string;
  readonly parent?: ParentRef;
  /** Left out: `defaultBudget`. Given: these limits and no others, so `{}` is no limit at all. */
  readonly budget?: Amounts;
  /** Milliseconds that never go back; the loop that the package exports has the machine's (`src/library/`). */
  readonly clock?: () => number;
  readonly hooks?: HookRegistry;
}

type PlannerRequest = {
  readonly kind: "planner";
  readonly ask: "plan" | "reflect";
  readonly view: PlannerView;
};

/** What a session may use when nobody says. */
const defaultBudget: Amounts = { turns: 50, tool_calls: 200 };

export class HarnessLoop {
  readonly hooks: HookRegistry;
  readonly events: EventLog;
  private planner: Planner;
  private input: unknown = null;
  private readonly core: Core;
  private walk: Generator<ContractRequest | PlannerRequest, Completion, unknown> | undefined;
  private pulled: Pull | undefined;
  private busy = false;
  private readonly clock: (() => number) | null;
  /** Somebody else says what time it is. */
  private emitted = false;

  constructor(
    options: HarnessLoopOptions,
    restored?: { readonly control: Control; readonly events: readonly LoopEvent[] },
  ) {
    this.planner = options.planner;
    this.hooks = options.hooks ?? new HookRegistry();
    const session = restored?.control.session ?? options.session ?? "session";
    this.events = new EventLog(session, options.parent ?? null, restored?.events);
    const control = restored?.control ?? createControl(session, options.budget ?? defaultBudget);
    if (restored !== undefined) control.budget.limits = { ...(options.budget ?? defaultBudget) };
    this.clock = options.clock ?? null;
    this.core = { control, events: this.events, hooks: this.hooks, now: undefined };
  }

  /** A session taken up again from its event log, where it stood when the last event was written. */
  static restore(events: readonly LoopEvent[], options: HarnessLoopOptions): HarnessLoop {
    return new this(options, { control: replayEvents(events), events });
  }

  get state(): StateName {
    return this.core.control.state;
  }

  /** The control state, to look at or to store; never to change. */
  get control(): Readonly<Control> {
    return this.core.control;
  }

  /** Another planner from the next planning on; the rest of the present plan is given up after the step at work. */
  swapPlanner(planner: Planner): void {
    this.planner = planner;
    this.core.control.replan = true;
  }

  /** Starts the session. Only once. */
  run(goal: unknown, options: { readonly at?: number } = {}): MaybePromise<Pull> {
    if (this.core.control.started)
      throw new Error("HarnessLoop.run: the session was started before; use resume");
    this.core.control.goal = goal;
    return this.proceed(undefined, options.at);
  }

  /**
   * Goes on after a pull point. On a restored session: from where its log ends. A pause needs no payload; while calls are
   * open their results are the payload, and without one it throws: nothing has happened, they are still open.
   */
  resume(payload?: ResumeInput, options: { readonly at?: number } = {}): MaybePromise<Pull> {
    const { control } = this.core;
    if (!control.started) throw new Error("HarnessLoop.resume: the session was not started; use run");
    if (this.walk !== undefined) return this.proceed(this.readInput(payload), options.at);
    const first = this.proceed(undefined, options.at);
    if (control.state === "DONE") return first;
    const whenPulled = (pull: Pull): MaybePromise<Pull> =>
      pull.kind === "complete" ? pull : this.proceed(this.readInput(payload), options.at);
    return first instanceof Promise ? first.then(whenPulled) : whenPulled(first);
  }

  private readInput(payload: ResumeInput | undefined): unknown {
    if (this.pulled?.kind !== "tools") return payload ?? {};
    if (payload === undefined) {
      const calls = this.pulled.calls.map(({ id, name }) => `${name} (${id})`).join(", ");
      throw new Error(`HarnessLoop.resume: calls wait for their results: ${calls}; give { results }`);
    }
    if (typeof payload !== "object" || payload === null) return undefined;
    if ("results" in payload) return payload.results;
    const { id } = this.pulled.calls[0] as ToolRequest;
    if ("error" in payload && typeof payload.error === "string") {
      return [{ id, ok: false, error: payload.error, category: payload.category ?? "error" }];
    }
    return "result" in payload ? [{ id, ok: true, value: payload.result }] : undefined;
  }

  private proceed(input: unknown, at: number | undefined): MaybePromise<Pull> {
    if (this.busy) throw new Error("HarnessLoop: still running; wait for the pull before resuming");
    if (at !== undefined) {
      this.emitted = true;
      this.core.now = at;
    }
    this.look();
    this.walk ??= cycle(this.core, this.program());
    this.busy = true;
    const pull = this.drive(this.walk, input);
    if (!(pull instanceof Promise)) return this.rest(pull);
    return pull.then((done) => this.rest(done));
  }

  /** Reads the clock where a limit depends on it. */
  private look(): void {
    const limited = this.core.control.budget.limits.wall_clock_ms !== undefined;
    if (!this.emitted && limited && this.clock !== null) this.core.now = this.clock();
  }

  private rest(pull: Pull): Pull {
    this.busy = false;
    this.pulled = pull;
    return pull;
  }

  /** Answers requests until a pull point. Synchronous until a hook or planner gives a promise. */
  private drive(
    walk: Generator<ContractRequest | PlannerRequest, Completion, unknown>,
    input: unknown,
  ): MaybePromise<Pull> {
    let answer = input;
    for (;;) {
      this.look();
      const step = walk.next(answer);
      if (step.done === true) return { kind: "complete", ...step.value };
      const request = step.value;
      if (request.kind === "tools" || request.kind === "pause") return request;
      const outcome = this.perform(request);
      if (outcome instanceof Promise) return outcome.then((value) => this.drive(walk, value));
      answer = outcome;
    }
  }

  private perform(
    request: Exclude<ContractRequest | PlannerRequest, { kind: "tools" | "pause" }>,
  ): MaybePromise<unknown> {
    const failed = (thrown: unknown): unknown => ({ ok: false, thrown });
    try {
      const value =
        request.kind === "hook"
          ? request.hook(request.payload, request.topic)
          : this.planner[request.ask]?.(request.view);
      if (value instanceof Promise)
        return value.then((argument: unknown) => ({ ok: true, value: argument }), failed);
      return { ok: true, value };
    } catch (thrown) {
      return failed(thrown);
    }
  }

  private program(): CycleProgram<PlannerRequest> {
    const loop = this;
    return {
      *plan(control) {
        return yield* loop.ask("plan", control);
      },
      // biome-ignore lint/correctness/useYield: a planned step asks nobody.
      *execute(step, control) {
        return callsOf(step as HarnessStep, control.budget.used.turns);
      },
      *reflect(_step, control) {
        const more = control.step + 1 < (control.plan?.steps.length ?? 0);
        const usual: Reflection = { next: more ? "step" : control.replan ? "replan" : "done" };
        if (loop.planner.reflect === undefined || control.replan) return usual;
        const said = yield* loop.ask("reflect", control);
        return parseReflection(said) ?? usual;
      },
      resumed(payload) {
        loop.input = payload.input ?? null;
      },
    };
  }

  private *ask(ask: "plan" | "reflect", control: Control): Generator<PlannerRequest, unknown, unknown> {
    const view: PlannerView = {
      goal: control.goal,
      turns: control.budget.used.turns,
      step: control.plan?.steps[control.step] ?? null,
      results: control.answers.filter((answer) => answer !== null),
      aborted: control.aborted,
      input: this.input,
    };
    const answer = (yield { kind: "planner", ask, view }) as {
      ok: boolean;
      value?: unknown;
      thrown?: unknown;
    };
    if (!answer.ok) throw answer.thrown;
    return answer.value;
  }
}

function callsOf(step: HarnessStep, turn: number): ToolRequest[] {
  if (Array.isArray(step.calls)) {
    return step.calls.map((call, n) => ({
      id: typeof call.id === "string" ? call.id : `call_${turn}_${n + 1}`,
      name: String(call.name),
      arguments: call.arguments ?? {},
    }));
  }
  return typeof step.tool === "string"
    ? [{ id: `call_${turn}_1`, name: step.tool, arguments: step.arguments ?? {} }]
    : [];
}

function parseReflection(said: unknown): Reflection | undefined {
  const reflection = typeof said === "string" ? { next: said } : said;
  if (typeof reflection !== "object" || reflection === null) return undefined;
  const { next, status, reason } = reflection as { next?: unknown; status?: unknown; reason?: unknown };
  if (next !== "step" && next !== "replan" && next !== "done") return undefined;
  return {
    next,
    ...(typeof status === "string" ? { status } : {}),
    ...(typeof reason === "string" ? { reason } : {}),
  };
}
