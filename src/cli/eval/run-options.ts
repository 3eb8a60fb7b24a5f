/** Flags of `harn eval run` and `resume`, read into what the engine takes. */
import type { PlanChoice, RedoChoice, SetOptions, StaleChoice } from "../../eval/engine/index.ts";
import { type ReportFlags, readNumber } from "../../eval/local/index.ts";
import { UsageError } from "../../host/command/index.ts";
import type { RunFlags } from "../../run/setup/index.ts";
import { fromJson, jsonOrText, presentFields, type Value } from "../../values/index.ts";
import type { FormFlags } from "./report-command.ts";

/** Flags that `run` and `resume` share. */
export interface SetFlags
  extends FormFlags,
    ReportFlags,
    Pick<
      RunFlags,
      "tape" | "llmMock" | "model" | "provider" | "seed" | "baseUrl" | "allow" | "deny" | "onDoubt"
    > {
  readonly trials?: string;
  readonly processes?: string;
  readonly connections?: readonly string[];
  readonly cost?: string;
  readonly tokens?: string;
  readonly time?: string;
  readonly maxErrors?: string;
  readonly retries?: string;
  readonly giveUp?: string;
  readonly grace?: string;
  readonly redo?: string;
  readonly role?: readonly string[];
  /** True, or how old answers may be. */
  readonly cache?: string | true;
  /** `off`: what a race does not need is run, too. */
  readonly race?: string;
  /** False: `--no-score`. */
  readonly score?: boolean;
  /** In the background. */
  readonly detach?: boolean;
  readonly plain?: boolean;
  readonly quiet?: boolean;
}

/** Which trials of a set `resume` is about. */
export interface ResumeFlags extends SetFlags {
  readonly task?: string;
  readonly sample?: readonly string[];
}

export interface EvalRunFlags extends ResumeFlags {
  readonly set?: string;
  readonly limit?: string;
  readonly epochs?: string;
  readonly variant?: readonly string[];
  readonly param?: readonly string[];
  readonly stale?: string;
  readonly structuralExperiment?: string;
}

export function setOptions(flags: SetFlags): Partial<SetOptions> {
  return presentFields({
    trials: whole("--trials", flags.trials),
    processes: whole("--processes", flags.processes),
    costUsd: flags.cost === undefined ? undefined : readNumber("--cost", flags.cost.replace(/^\$/u, "")),
    tokens: whole("--tokens", flags.tokens),
    timeMs: duration("--time", flags.time),
    connections: flags.connections === undefined ? undefined : connectionsOf(flags.connections),
    giveUpMs: duration("--give-up", flags.giveUp),
    graceMs: duration("--grace", flags.grace),
    retries: flags.retries === undefined ? undefined : whole("--retries", flags.retries, 0),
    cache: flags.cache === undefined ? undefined : cacheOf(flags.cache),
    roles: flags.role === undefined ? undefined : rolesOf(flags.role),
    maxErrors: flags.maxErrors === undefined ? undefined : readNumber("--max-errors", flags.maxErrors),
    withScores: flags.score === false ? false : undefined,
    onDoubt: oneOf("--on-doubt", flags.onDoubt, ["ask", "redo", "skip", "fail"]),
  });
}

export function planChoice(flags: EvalRunFlags, task: string | undefined): PlanChoice {
  return {
    task: flags.task ?? task,
    samples: flags.sample,
    limit: limitOf(flags.limit),
    epochs: whole("--epochs", flags.epochs),
    ...(withoutRace(flags) ? { race: false as const } : {}),
    variants: flags.variant === undefined ? undefined : variantsOf(flags.variant),
  };
}

/** Whether races are off. */
export const withoutRace = (flags: SetFlags): boolean => oneOf("--race", flags.race, ["on", "off"]) === "off";

export const redoOf = (flags: SetFlags): RedoChoice | undefined =>
  oneOf("--redo", flags.redo, ["errored", "failed", "unscored", "all"]);

export const staleOf = (flags: EvalRunFlags): StaleChoice | undefined =>
  oneOf("--stale", flags.stale, ["ask", "keep", "redo", "follow"]);

/** `NAME=VALUE`, given several times. */
export function paramsOf(texts: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(texts.map((text) => assignment("--param", text)));
}

function assignment(flag: string, text: string): [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new UsageError(`${flag} must be NAME=VALUE; got ${text}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** `model=a,b`: values of a key, as JSON or else texts. */
function variantsOf(texts: readonly string[]): Readonly<Record<string, readonly Value[]>> {
  return Object.fromEntries(
    texts.map((text) => {
      const [key, values] = assignment("--variant", text);
      return [key, values.split(",").map((value) => fromJson(jsonOrText(value)))];
    }),
  );
}

const cacheOf = (age: string | true): SetOptions["cache"] => ({
  ageMs: age === true ? null : (duration("--cache", age) ?? null),
});

/** `judge=gpt-4o`: the model of a role. */
function rolesOf(texts: readonly string[]): SetOptions["roles"] {
  return Object.fromEntries(
    texts.map((text) => {
      const [role, model] = assignment("--role", text);
      if (!["agent", "user", "judge"].includes(role) || model === "")
        throw new UsageError(`--role must be agent=MODEL, user=MODEL or judge=MODEL; got ${text}`);
      return [role, model];
    }),
  );
}

/** `openai=20`, `openai=2-10-50`. */
function connectionsOf(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const [provider, rule] = assignment("--connections", text);
      const numbers = rule.split("-").map(Number);
      const isRule =
        (numbers.length === 1 || numbers.length === 3) &&
        numbers.every((n, at) => Number.isInteger(n) && n >= 1 && n <= 200 && n >= (numbers[at - 1] ?? 0));
      if (!isRule)
        throw new UsageError(
          `--connections must be PROVIDER=N or PROVIDER=MIN-START-MAX, from 1 to 200; got ${text}`,
        );
      return [provider, rule];
    }),
  );
}

function limitOf(text: string | undefined): readonly [from: number, to: number] | undefined {
  if (text === undefined) return undefined;
  const found = /^(?:([0-9]+)-)?([0-9]+)$/u.exec(text);
  const [from, to] = [Number(found?.[1] ?? 1), Number(found?.[2])];
  if (found === null || from < 1 || to < from)
    throw new UsageError(`--limit must be N or A-B, from 1 on; got ${text}`);
  return [from, to];
}

export function whole(flag: string, text: string | undefined, least = 1): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^[0-9]+$/u.test(text) || !Number.isSafeInteger(value) || value < least)
    throw new UsageError(`${flag} must be a whole number from ${least} on; got ${text}`);
  return value;
}

const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds of `90s`, `5m`, `1h`, or a number of seconds. */
function duration(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const found = /^([0-9]+(?:\.[0-9]+)?)(ms|s|m|min|h|d)?$/u.exec(text);
  if (found === null) throw new UsageError(`${flag} must be a duration such as 90s, 5m or 1h; got ${text}`);
  return Number(found[1]) * (units[found[2] ?? "s"] as number);
}

function oneOf<T extends string>(
  flag: string,
  text: string | undefined,
  choices: readonly T[],
): T | undefined {
  if (text === undefined) return undefined;
  const found = choices.find((choice) => choice === text);
  if (found === undefined)
    throw new UsageError(
      `${flag} must be ${choices.slice(0, -1).join(", ")} or ${choices.at(-1) ?? ""}; got ${text}`,
    );
  return found;
}
