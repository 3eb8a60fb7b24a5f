/** Flags of `harn eval run` and `resume`, read into what the engine takes. */

import type { PlanChoice, SetOptions } from "../../eval/engine/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import { UsageError } from "../../host/command/index.ts";
import { fromJson, jsonOrText, presentFields, type Value } from "../../values/index.ts";
import type { evalRunFlags, resumeFlags, trialFlags } from "../flags/eval.ts";

/** Flags that `run` and `resume` share. */
export type SetFlags = FlagsOf<typeof trialFlags>;

/** Which trials of a set `resume` is about. */
export type ResumeFlags = FlagsOf<typeof resumeFlags>;

export type EvalRunFlags = FlagsOf<typeof evalRunFlags>;

export function setOptions(flags: SetFlags): Partial<SetOptions> {
  const { trials, processes, cost, tokens, time, giveUp, grace, retries, cache, maxErrors, onDoubt } = flags;
  return presentFields({
    trials,
    processes,
    costUsd: cost,
    tokens,
    timeMs: time,
    connections: flags.connections === undefined ? undefined : connectionsOf(flags.connections),
    giveUpMs: giveUp,
    graceMs: grace,
    retries,
    cache: cache === undefined ? undefined : { ageMs: cache === true ? null : cache },
    roles: flags.role === undefined ? undefined : roleModels(flags.role),
    maxErrors,
    withScores: flags.score === false ? false : undefined,
    onDoubt,
  });
}

export function planChoice(flags: EvalRunFlags, task: string | undefined): PlanChoice {
  return {
    task: flags.task ?? task,
    samples: flags.sample,
    limit: limitOf(flags.limit),
    epochs: flags.epochs,
    ...(flags.race === "off" ? { race: false as const } : {}),
    variants: flags.variant === undefined ? undefined : variantChoice(flags.variant),
  };
}

/** `model=a,b`: values of a key, as JSON or else texts. */
const variantChoice = (given: Readonly<Record<string, string>>): Readonly<Record<string, readonly Value[]>> =>
  Object.fromEntries(
    Object.entries(given).map(([key, values]) => [
      key,
      values.split(",").map((value) => fromJson(jsonOrText(value))),
    ]),
  );

/** `judge=gpt-4o`: the model of a role. */
function roleModels(given: Readonly<Record<string, string>>): SetOptions["roles"] {
  for (const [role, model] of Object.entries(given))
    if (!["agent", "user", "judge"].includes(role) || model === "")
      throw new UsageError(
        `--role: expected agent=MODEL, user=MODEL or judge=MODEL, got ${role}=${model}`,
        "HARN-CLI-003",
      );
  return given;
}

/** `openai=20`, `openai=2-10-50`. */
function connectionsOf(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [provider, rule] of Object.entries(given)) {
    const numbers = rule.split("-").map(Number);
    const isRule =
      (numbers.length === 1 || numbers.length === 3) &&
      numbers.every((n, at) => Number.isInteger(n) && n >= 1 && n <= 200 && n >= (numbers[at - 1] ?? 0));
    if (!isRule)
      throw new UsageError(
        `--connections: expected PROVIDER=N or PROVIDER=MIN-START-MAX, from 1 to 200, got ${provider}=${rule}`,
        "HARN-CLI-003",
      );
  }
  return given;
}

function limitOf(text: string | undefined): readonly [from: number, to: number] | undefined {
  if (text === undefined) return undefined;
  const found = /^(?:([0-9]+)-)?([0-9]+)$/u.exec(text);
  const [from, to] = [Number(found?.[1] ?? 1), Number(found?.[2])];
  if (found === null || from < 1 || to < from)
    throw new UsageError(`--limit: expected N or A-B, from 1 on, got ${text}`, "HARN-CLI-003");
  return [from, to];
}
