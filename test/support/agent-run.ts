/** `agent_loop` from TypeScript: the mock provider, tools and callbacks as functions, results as plain JSON. */

import { builtinTable } from "../../src/builtins/index.ts";
import type { Task } from "../../src/interp/index.ts";
import { modelsOf } from "../../src/model/index.ts";
import { pushMock } from "../../src/model/llm/index.ts";
import { loadAgentLoop } from "../../src/skills/index.ts";
import { Dict, fromJson, List, type MaybePromise, toJson, type Value } from "../../src/values/index.ts";
import { testRun } from "./concurrent.ts";
import { ScriptFunction } from "./script-function.ts";

// biome-ignore lint/suspicious/noExplicitAny: results are looked into freely.
export type Plain = any;

/** A closure: plain JSON in and out, unless it gives script values. */
export function fn(body: (...args: Plain[]) => Plain): ScriptFunction {
  return new ScriptFunction(["x"], (_task, args) => {
    const result = body(...args.map((arg) => toJson(arg)));
    return result instanceof Promise ? result.then(asValue) : asValue(result);
  });
}

/** A closure that sees values and the task. */
export const raw = (body: (task: Task, ...args: Value[]) => MaybePromise<Value>): ScriptFunction =>
  new ScriptFunction(["x"], (task, args) => body(task, ...args));

function asValue(value: Plain): Value {
  if (value === undefined || value === null) return null;
  if (value instanceof Dict || value instanceof List || value instanceof ScriptFunction) return value;
  return fromJson(value);
}

/** A dict whose entries may be callables. */
export const options = (entries: Record<string, Plain>): Dict => {
  const dict: Record<string, Value> = {};
  for (const [key, value] of Object.entries(entries)) dict[key] = deep(value);
  return Dict.of(dict);
};

function deep(value: Plain): Value {
  if (value === undefined || value === null) return null;
  if (value instanceof Dict || value instanceof List || value instanceof ScriptFunction) return value;
  if (Array.isArray(value)) return new List(value.map(deep));
  if (typeof value === "object") return options(value);
  return fromJson(value);
}

/** A tool with any number of optional parameters. */
export const tool = (name: string, body: (args: Plain) => Plain, more: Record<string, Plain> = {}): Dict =>
  options({
    name,
    description: `The ${name} tool.`,
    parameters: { x: { type: "string", required: false } },
    handler: fn(body),
    ...more,
  });

export interface AgentRun {
  readonly task: Task;
  /** Queues answers of the mock. */
  mock(...entries: Plain[]): void;
  /** The requests that the mock answered. */
  calls(): Plain[];
  /** Runs a loop and gives its result as plain JSON. */
  loop(prompt: string, entries?: Record<string, Plain>, system?: string | null): Promise<Plain>;
  turn(prompt: string, entries?: Record<string, Plain> | null): Promise<Plain>;
  /** Calls a builtin. */
  builtin(name: string, ...args: Plain[]): Plain;
  /** Lets time pass. */
  advance(ms: number): void;
  /** Standard error. */
  errors(): string;
}

/** A fresh run. */
export function agentRun(run = testRun()): AgentRun {
  const { task } = run;
  const written: string[] = [];
  run.runtime.console.writeError = (text) => void written.push(text);
  const withMock = (entries: Record<string, Plain>): Dict => options({ provider: "mock", ...entries });
  return {
    task,
    mock: (...entries) => {
      for (const entry of entries)
        pushMock(modelsOf(task).mock, typeof entry === "string" ? { text: entry } : entry);
    },
    calls: () => JSON.parse(JSON.stringify(modelsOf(task).mock.calls)),
    loop: async (prompt, entries = {}, system = null) => {
      const { runAgentLoop } = await loadAgentLoop();
      return toJson(
        await runAgentLoop(task, { prompt, system, options: withMock(entries), caller: "agent_loop" }),
      );
    },
    turn: async (prompt, entries = {}) => {
      const { runAgentTurn } = await loadAgentLoop();
      return toJson(await runAgentTurn(task, prompt, entries === null ? null : withMock(entries)));
    },
    builtin: (name, ...args) => {
      const result = builtinTable()
        .get(name)
        ?.run(task, ...args.map(deep)) as Value;
      return toJson(result);
    },
    advance: (ms) => run.host.clock.advance(ms),
    errors: () => written.join(""),
  };
}
