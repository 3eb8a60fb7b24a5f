/**
 * Judges of what a program does to the machine, and whose doing it is.
 *
 *   Task.perform ─▶ guardEffect: checks of the effect ─▶ runs as an effect of its task ─▶ ports of the machine ─▶ judges
 *
 * The checks refuse before anything is begun. The judges cannot be forgotten by a builtin: there is no other way to the
 * machine. They speak inside the effect, so what they refuse is recorded. Both are installed by the first rule that
 * restricts anything; a run without one pays a comparison per effect.
 */
import type { EffectCall } from "../../effects/index.ts";
import { type Runtime, stateKey, type Task } from "../../interp/index.ts";
import { AccessGate, type AccessJudge } from "./access.ts";
import type { EffectOwner } from "./effect-owner.ts";
import { gateOf, guardHost } from "./guarded-host.ts";
import { runOwned } from "./owner.ts";

/** Throws what is wrong with an effect that is about to begin; decides the same on replay. */
export type EffectCheck = (
  task: Task,
  call: Pick<EffectCall<unknown>, "effect" | "kind" | "args" | "onlyReads">,
) => void;

const effectChecks = stateKey<Set<EffectCheck>>("effect checks", () => new Set());

/** From now on `check` is asked before every effect. */
export function addEffectCheck(runtime: Runtime, check: EffectCheck): void {
  runtime.state(effectChecks).add(check);
  runtime.guard ??= guardEffect;
}

/** From now on `judge` is asked before the machine is touched. It finds whose effect that is with `effectOwner`. */
export function addJudge(runtime: Runtime, judge: AccessJudge): void {
  runtime.guard ??= guardEffect;
  let gate = gateOf(runtime.host);
  if (gate === undefined) {
    gate = new AccessGate();
    runtime.host = guardHost(runtime.host, gate);
  }
  gate.add(judge);
}

function guardEffect<T>(task: Task, call: EffectCall<T>): EffectCall<T> {
  checkEffect(task, call);
  // Without judges nobody asks whose effect it is.
  return gateOf(task.runtime.host) === undefined ? call : owned({ task, kind: call.kind }, call);
}

/** Asks the checks of a run without beginning anything: for effects that are performed by other means. */
export function checkEffect(...[task, call]: Parameters<EffectCheck>): void {
  if (task.runtime.guard === undefined) return;
  for (const check of task.runtime.state(effectChecks)) check(task, call);
}

/** The effect with its work done under its owner. */
function owned<T>(owner: EffectOwner, call: EffectCall<T>): EffectCall<T> {
  const { run, evidence } = call;
  return {
    ...call,
    // A signal is made only for work that declares the parameter.
    run:
      run.length === 0
        ? () => runOwned(owner, run as () => ReturnType<typeof run>)
        : (signal: AbortSignal, left?: number) => runOwned(owner, () => run(signal, left)),
    ...(evidence === undefined
      ? undefined
      : {
          evidence: {
            before: () => runOwned(owner, evidence.before),
            after: (before) => runOwned(owner, () => evidence.after(before)),
          },
        }),
  };
}
