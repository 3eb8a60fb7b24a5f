/**
 * Hooks and event subscribers written in the language. A script can't change a payload in place, so a hook says what
 * it wants by what it returns:
 *
 *     nil, true            go on                      {skip: true}             skip the step, the call, the plan
 *     {payload: {…}}       go on with another payload {pause: "reason"}        yield for review
 *     {resume: {extend: …}} on_pause, on_budget_exceeded: go on at once
 *
 * A hook that throws aborts the turn. Everything else that a hook returns is an error of the hook.
 */

import type { Json } from "../../effects/index.ts";
import type { Task } from "../../interp/index.ts";
import { callableOnChild } from "../../interp/index.ts";
import { type Callable, Dict, fromJson, thrown, toJson, typeOf, type Value } from "../../values/index.ts";
import {
  type Hook,
  type HookTopic,
  type HookVerdict,
  type LoopEvent,
  pauseLoop,
  type ResumePayload,
  replacePayload,
  resumeWith,
  skipStep,
} from "../contract/index.ts";

/** A callable as a hook of the machine. */
export function scriptHook(task: Task, callback: Callable): Hook {
  return (payload, topic) => {
    const answer = callableOnChild(task, callback, [fromJson(plainJson(payload))]);
    return answer instanceof Promise
      ? answer.then((value) => hookVerdict(value, topic))
      : hookVerdict(answer, topic);
  };
}

function hookVerdict(answer: Value, topic: HookTopic): HookVerdict | undefined {
  if (answer === null || answer === true) return undefined;
  if (!(answer instanceof Dict))
    throw thrown(`hook ${topic} must return nil, true, or a dict; got ${typeOf(answer)}`);
  const payload = answer.get("payload");
  if (payload instanceof Dict) return replacePayload(toJson(payload) as Record<string, unknown>);
  if (answer.get("skip") === true) return skipStep;
  const reason = answer.get("pause");
  if (typeof reason === "string") return pauseLoop(reason);
  const resume = answer.get("resume");
  if (resume instanceof Dict) return resumeWith(toJson(resume) as ResumePayload);
  if (answer.size === 0) return undefined;
  throw thrown(`hook ${topic} returned a dict without \`payload\`, \`skip\`, \`pause\`, or \`resume\``);
}

/** A contract event as scripts see it. */
export const eventValue = (event: LoopEvent): Value => fromJson(plainJson(event));

/** Plain JSON: what has no JSON form is left out. */
function plainJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
