/**
 * Secrets of a program (builtins.md §2.24): named `namespace/name`, from the environment, or set while the program runs.
 * Their values never reach a journal: there, and in whatever is recorded later, the placeholder stands.
 */

import { showText } from "../../diagnostics/index.ts";
import { type EffectCall, HiddenSecret, type Json, type ResultShape, shape } from "../../effects/index.ts";
import {
  isInputMocked,
  milliseconds,
  newId,
  stateKey,
  type Task,
  takeMockedLine,
} from "../../interp/index.ts";
import { at, defineBuiltins, refusal } from "../../table/index.ts";
import {
  Dict,
  hexText,
  type MaybePromise,
  proceed,
  runtimeError,
  thrown,
  type Value,
} from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";
import { writeError } from "../process/output.ts";
import { wallClock } from "../time/clock-state.ts";
import { isoTime } from "../time/iso-time.ts";

interface KeptSecret {
  readonly value: string;
  readonly version: number;
}

/** Set or rotated by the program itself: they end with the run. */
const secretState = stateKey<{ readonly kept: Map<string, KeptSecret>; asked: number }>("secrets", () => ({
  kept: new Map(),
  asked: 0,
}));

function needSecretName(caller: string, input: Argument): string {
  const name = input === undefined || input === null ? "" : textOf(input);
  if (/^[\w.-]+(\/[\w.-]+)*$/.test(name)) return name;
  throw runtimeError(`${caller}: a secret's name looks like namespace/name, got '${name}'`);
}

/** `github/token` is in `HARN_SECRET_GITHUB_TOKEN`, else in `GITHUB_TOKEN`. */
function variablesOf(name: string): readonly [string, string] {
  const plain = name.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
  return [`HARN_SECRET_${plain}`, plain];
}

const hiddenSecretShape = (name: string): ResultShape<string | null> =>
  shape.orNull(shape.text).as<string | null>(
    (secret) => (secret === null ? null : (new HiddenSecret(name, secret).json as string)),
    (stored) => stored,
  );

/** Something secret from outside: the caller gets it, the journal its placeholder. */
function secretly(
  task: Task,
  effect: Pick<EffectCall<unknown>, "kind" | "variable"> & {
    readonly type: "observe" | "human";
    readonly name: string;
  },
  run: (signal: AbortSignal) => MaybePromise<string | undefined>,
): MaybePromise<string | null> {
  return task.perform<string | null>({
    effect: effect.type,
    kind: effect.kind,
    args: (): Json => effect.name,
    ...(effect.variable === undefined ? {} : { variable: effect.variable }),
    run: (signal) =>
      proceed(run(signal), (value) => {
        if (value === undefined) return null;
        task.runtime.keepSecret(effect.name, value);
        return value;
      }),
    result: hiddenSecretShape(effect.name),
  });
}

function read(task: Task, name: string): MaybePromise<string | null> {
  const kept = task.runtime.state(secretState).kept.get(name);
  if (kept !== undefined) return kept.value;
  const { env } = task.runtime.host;
  const variables = variablesOf(name);
  const variable = variables.find((one) => env.has(one)) ?? variables[0];
  return secretly(task, { kind: "secret_read", type: "observe", name: variable, variable }, () =>
    env.get(variable),
  );
}

/** A secret for the runtime's own use, as an address with a password; `undefined` when there is none. Only inside effects. */
export function secretValue(task: Task, name: string): string | undefined {
  const kept = task.runtime.state(secretState).kept.get(name)?.value;
  if (kept !== undefined) return kept;
  const { env } = task.runtime.host;
  const variable = variablesOf(name).find((one) => env.has(one));
  const value = variable === undefined ? undefined : env.get(variable);
  if (variable !== undefined && value !== undefined) task.runtime.keepSecret(variable, value);
  return value;
}

function keep(task: Task, name: string, value: string): KeptSecret {
  const { kept } = task.runtime.state(secretState);
  const secret = { value, version: (kept.get(name)?.version ?? 0) + 1 };
  kept.set(name, secret);
  task.runtime.keepSecret(variablesOf(name)[0], value);
  return secret;
}

/** 256 random bits: not from the run's seed, which is in the journal. */
function freshValue(task: Task, name: string): string {
  const { crypto } = task.runtime.host;
  const draw = () => hexText(crypto.randomBytes(32));
  return secretly(
    task,
    { kind: "secret_rotate", type: "observe", name: variablesOf(name)[0] },
    draw,
  ) as string;
}

function lease(task: Task, name: string, ttl: Argument): MaybePromise<Value> {
  const ms = ttl === undefined || ttl === null ? 60_000 : milliseconds(ttl);
  if (ms === undefined || ms <= 0) {
    throw refusal(at("harness.secrets.lease", "time"), "a duration above 0", ttl);
  }
  return proceed(read(task, name), (value) => {
    if (value === null) throw thrown(`harness.secrets.lease: there is no secret '${name}'`);
    return Dict.of({
      lease_id: `lease_${newId(task)}`,
      name,
      value,
      expires_at: isoTime(wallClock(task) + ms),
    });
  });
}

/** A line that is not shown while it is typed. */
function readPassword(task: Task, prompt: Argument): MaybePromise<Value> {
  const state = task.runtime.state(secretState);
  state.asked++;
  const { host } = task.runtime;
  // Taken before the effect, which a replay does not run.
  const mocked = isInputMocked(task.runtime)
    ? { line: takeMockedLine(task.runtime) ?? undefined }
    : undefined;
  const asksAt = (signal: AbortSignal) => {
    if (mocked !== undefined) return mocked.line;
    const line = host.readHidden?.(signal) ?? host.readLine(signal);
    if (!host.isTty("stdin")) return line;
    // The line break that was typed was not shown either.
    return proceed(line, (text) => {
      writeError(task, "\n");
      return text;
    });
  };
  if (prompt !== undefined && prompt !== null) writeError(task, showText(textOf(prompt)));
  return secretly(task, { kind: "read_password", type: "human", name: `PASSWORD_${state.asked}` }, asksAt);
}

const common = { performs: true, capability: "env" } as const;

export const secrets = defineBuiltins("secrets", {
  secret_read: {
    ...common,
    effect: "observe",
    doc:
      "A secret `namespace/name`: what the program has set, else the variable `HARN_SECRET_NAMESPACE_NAME`, else " +
      "`NAMESPACE_NAME`; nil when there is none. Journals keep a placeholder. Also `harness.secrets.read`.",
    sig: "(name: string) -> string?",
    example: 'secret_read("nobody/knows")  // nil',
    run: (task, name: Argument) => read(task, needSecretName("harness.secrets.read", name)),
  },
  secret_write: {
    ...common,
    effect: "state",
    doc: "Sets a secret for this run. Journals keep a placeholder wherever it occurs. Also `harness.secrets.write`.",
    sig: "(name: string, value: string) -> nil",
    example: 'secret_write("demo/key", "s3cret-value")  // nil',
    run: (task, name: Argument, value: Argument) => {
      const key = needSecretName("harness.secrets.write", name);
      if (typeof value !== "string" || value === "") {
        throw refusal(at("harness.secrets.write", "value"), "a text that is not empty", value, {
          secret: true,
        });
      }
      keep(task, key, value);
      return null;
    },
  },
  secret_rotate: {
    ...common,
    effect: "observe",
    doc: "Gives a secret a new value for this run, a random one unless it is given: `{name, version}`. Also `harness.secrets.rotate`.",
    sig: "(name: string, value?: string) -> {name: string, version: int}",
    example: 'secret_rotate("demo/key")  // {name: demo/key, version: 1}',
    run: (task, name: Argument, value: Argument) => {
      const key = needSecretName("harness.secrets.rotate", name);
      const next = value === undefined || value === null ? freshValue(task, key) : value;
      if (typeof next !== "string" || next === "")
        throw refusal(at("harness.secrets.rotate", "value"), "a text that is not empty", next, {
          secret: true,
        });
      return Dict.of({ name: key, version: keep(task, key, next).version });
    },
  },
  secret_lease: {
    ...common,
    effect: "observe",
    doc: "A secret with the time at which whoever got it should forget it: `{lease_id, name, value, expires_at}`. Also `harness.secrets.lease`.",
    sig: "(name: string, time: duration | int = 1m) -> dict",
    run: (task, name: Argument, time: Argument) =>
      lease(task, needSecretName("harness.secrets.lease", name), time),
  },
  read_password: {
    effect: "human",
    performs: true,
    suspends: "may",
    capability: "people",
    doc:
      "Asks on standard error and reads a line that is not shown while it is typed; nil at the end of input. Journals keep a " +
      "placeholder. Also `harness.term.read_password`.",
    sig: "(prompt?: string) -> string?",
    run: (task, prompt: Argument) => readPassword(task, prompt),
  },
});
