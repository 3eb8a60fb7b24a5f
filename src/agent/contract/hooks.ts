/**
 * Lifecycle hooks: the operator's seam into the loop. Ten topics, any number of subscribers each, fired in the order
 * of registration.
 *
 * A hook may change the payload (in place, or by returning `replacePayload(payload)`), throw to abort the turn, or return a
 * sentinel: `skipStep` (skip the step), `pauseLoop(reason)` (yield for review), `resumeWith(payload)` (on_pause and
 * on_budget_exceeded only: go on at once). Every hook works on a copy of the payload, which is taken over only when it
 * returns: one that throws half-way has changed nothing.
 */
import { copyPlain } from "../../events/index.ts";

/** When the hooks of each topic are called. */
export const hookTimes = {
  before_plan: "before a plan is made",
  after_plan: "when a plan was made, before it is followed",
  before_tool_call: "before a call of a tool is handed over",
  after_tool_call: "when a call of a tool was answered",
  before_step: "before a step of the plan begins",
  after_step: "when a step has ended",
  on_error: "when something failed",
  on_pause: "before the loop pauses",
  on_budget_exceeded: "when a limit of the budget is reached",
  on_complete: "when the loop has ended",
} as const;
export type HookTopic = keyof typeof hookTimes;
export const hookTopics = Object.keys(hookTimes) as readonly HookTopic[];

/** The topics that are about calls of tools; the others are about the loop's own turns. */
export const isAboutTools = (topic: HookTopic): boolean =>
  topic === "before_tool_call" || topic === "after_tool_call";

export type HookPayload = Record<string, unknown>;

const verdict = Symbol("hook verdict");
export type HookVerdict =
  | { readonly [verdict]: "skip" }
  | { readonly [verdict]: "pause"; readonly reason: string }
  | { readonly [verdict]: "replace"; readonly payload: HookPayload }
  | { readonly [verdict]: "resume"; readonly payload: ResumePayload };

/** What a caller may say when it resumes a paused session. */
export interface ResumePayload {
  /** Raise limits by these amounts. */
  readonly extend?: Readonly<Record<string, number>>;
  /** End the session now instead of going on. */
  readonly close?: { readonly status?: string; readonly reason?: string };
  /** Free data for the program that is being run (a person's answer, new input). */
  readonly input?: unknown;
}

/** Skip the step (the plan, the call) that comes next. */
export const skipStep: HookVerdict = { [verdict]: "skip" };
/** Yield to the caller for review; resuming takes up at this very place. */
export const pauseLoop = (reason: string): HookVerdict => ({ [verdict]: "pause", reason });
/** Go on with another payload: for those who cannot change it in place. */
export const replacePayload = (payload: HookPayload): HookVerdict => ({ [verdict]: "replace", payload });
/** Resume a paused session at once. */
export const resumeWith = (payload: ResumePayload): HookVerdict => ({ [verdict]: "resume", payload });

/** A hook as TypeScript programs write it. May be asynchronous. */
export type Hook = (payload: HookPayload, topic: HookTopic) => unknown;

/** What firing a topic came to. */
export interface HookOutcome {
  readonly payload: HookPayload;
  readonly skip: boolean;
  readonly pause: string | undefined;
  readonly resume: ResumePayload | undefined;
  /** What the first throwing hook threw; later hooks did not run. */
  readonly error: { readonly thrown: unknown } | undefined;
}

/** How the driver answers a hook request. */
export type HookAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly thrown: unknown };

export interface HookRequest {
  readonly kind: "hook";
  readonly topic: HookTopic;
  readonly hook: Hook;
  readonly payload: HookPayload;
}

export class HookRegistry {
  private readonly hooks = new Map<HookTopic, Hook[]>();

  /** Adds a subscriber at the end. Returns how to remove it. */
  on(topic: HookTopic, hook: Hook): () => void {
    if (!hookTopics.includes(topic)) {
      throw new RangeError(`unknown hook topic ${String(topic)}; expected one of ${hookTopics.join(", ")}`);
    }
    const list = this.hooks.get(topic) ?? [];
    this.hooks.set(topic, [...list, hook]);
    return () =>
      this.hooks.set(
        topic,
        (this.hooks.get(topic) ?? []).filter((other) => other !== hook),
      );
  }

  has(topic: HookTopic): boolean {
    return this.of(topic).length > 0;
  }

  /** The subscribers now; a hook that subscribes while firing is called from the next firing on. */
  of(topic: HookTopic): readonly Hook[] {
    return this.hooks.get(topic) ?? [];
  }
}

/** What firing a topic comes to where nobody listens. */
export const untouched = (payload: HookPayload): HookOutcome => ({
  payload,
  skip: false,
  pause: undefined,
  resume: undefined,
  error: undefined,
});

/** Asks the hooks of a topic one after the other. */
export function* fire(
  registry: HookRegistry,
  topic: HookTopic,
  payload: HookPayload,
): Generator<HookRequest, HookOutcome, unknown> {
  const hooks = registry.of(topic);
  if (hooks.length === 0) return untouched(payload);
  let current = payload;
  const result = {
    skip: false,
    pause: undefined as string | undefined,
    resume: undefined as ResumePayload | undefined,
  };
  for (const hook of hooks) {
    const draft = copyPlain(current) as HookPayload;
    const answer = (yield { kind: "hook", topic, hook, payload: draft }) as HookAnswer;
    if (!answer.ok) return { payload: current, ...result, error: { thrown: answer.thrown } };
    const said = answer.value as HookVerdict | undefined;
    const kind = typeof said === "object" && said !== null ? said[verdict] : undefined;
    current = kind === "replace" ? { ...draft, ...(said as { payload: HookPayload }).payload } : draft;
    if (kind === "skip") result.skip = true;
    if (kind === "pause") result.pause ??= (said as { reason: string }).reason;
    if (kind === "resume") result.resume ??= (said as { payload: ResumePayload }).payload;
  }
  return { payload: current, ...result, error: undefined };
}
