/**
 * Golden programs with one thing taken away from them: an option that no longer arrives, an event that nobody is told,
 * a function that does nothing. A golden that still prints what it printed before does not observe that thing.
 */
import { sessionEventName } from "../../src/agent/index.ts";
import { builtinTable } from "../../src/builtins/index.ts";
import type { Task } from "../../src/interp/index.ts";
import { SourceFile } from "../../src/source/index.ts";
import { parse } from "../../src/syntax/index.ts";
import type { BuiltinSpec, BuiltinTable } from "../../src/table/index.ts";
import { Callable, Dict, List, type MaybePromise, type Value } from "../../src/values/index.ts";
import { ScriptFunction } from "./script-function.ts";

/** What is taken away. */
export interface Mutant {
  readonly builtins: BuiltinTable;
  /** The text of a module as the program gets it. */
  readonly moduleText?: (path: string, text: string) => string;
}

type Run = BuiltinSpec["run"];

/** The table with other implementations. */
function tableWith(changes: Readonly<Record<string, (run: Run) => Run>>): BuiltinTable {
  const table = new Map(builtinTable());
  for (const [name, change] of Object.entries(changes)) {
    const spec = table.get(name);
    if (spec === undefined) throw new Error(`no builtin ${name}`);
    table.set(name, { ...spec, run: change(spec.run) });
  }
  return table;
}

const loops = ["agent_loop", "agent_turn", "sub_agent_run"];
const calls = [
  "llm_call",
  "llm_call_safe",
  "llm_call_structured",
  "llm_call_structured_safe",
  "llm_call_structured_result",
  "llm_completion",
  "llm_stream",
  "llm_stream_call",
];

/** A dict without what stands under a path of keys. */
function without(dict: Dict, path: readonly string[]): Dict {
  const [key, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) return dict.without(key);
  const inner = dict.get(key);
  return inner instanceof Dict ? dict.with(key, without(inner, rest)) : dict;
}

/** Calls whose options are changed on their way in. */
const withOptions = (change: (options: Dict) => Dict, of: readonly string[] = loops): Mutant => ({
  builtins: tableWith(
    Object.fromEntries(
      of.map((name) => [
        name,
        (run: Run): Run =>
          (task, ...args) =>
            run(task, ...args.map((arg, at) => (at > 0 && arg instanceof Dict ? change(arg) : arg))),
      ]),
    ),
  ),
});

/** Loops whose results are changed on their way out. */
const withLoopResult = (change: (result: Dict) => Dict, of = ["agent_loop", "agent_turn"]): Mutant => ({
  builtins: tableWith(
    Object.fromEntries(
      of.map((name) => [
        name,
        (run: Run): Run =>
          async (task, ...args) => {
            const result = await run(task, ...args);
            return result instanceof Dict ? change(result) : result;
          },
      ]),
    ),
  ),
});

/** `iteration_budget.max` never arrives. */
export const withoutOption = (path: string): Mutant =>
  withOptions((input) => without(input, path.split(".")));

/** An option that every model call knows never arrives, neither at a call nor at a loop. */
export const withoutCallOption = (name: string): Mutant =>
  withOptions((input) => input.without(name), [...calls, ...loops]);

/** `llm.iterations` is not in the result. */
export const withoutResult = (path: string): Mutant =>
  withLoopResult((input) => without(input, path.split(".")));

/** Where a result says this word under `key`, it says another. */
export const withoutWord = (key: string, word: string): Mutant =>
  withLoopResult((input) => (input.get(key) === word ? input.with(key, "another word") : input), loops);

/** Hooks of one topic are not registered. */
export const withoutHookTopic = (topic: string): Mutant => withoutOption(`hooks.${topic}`);

/** `on_event` is not told events of a type. */
export const withoutContractEvent = (type: string): Mutant =>
  withOptions((input) => {
    const listener = input.get("on_event");
    return listener instanceof Callable ? input.with("on_event", deafTo(type, listener)) : input;
  });

/** No subscriber of a session is told live events of a type. */
export const withoutLiveEvent = (type: string): Mutant => ({
  builtins: tableWith({
    agent_subscribe:
      (run) =>
      (task, id, listener, ...rest) =>
        run(task, id, listener instanceof Callable ? deafTo(type, listener) : listener, ...rest),
  }),
});

/** No transcript that a call gives holds an event of a kind. */
export const withoutTranscriptEvent = (kind: string): Mutant => {
  const stripped = (input: Dict): Dict => {
    const events = input.get("events");
    const inner = input.get("transcript");
    const other = (event: Value): boolean => !(event instanceof Dict && event.get("kind") === kind);
    if (events instanceof List) return input.with("events", new List([...events].filter(other)));
    return inner instanceof Dict ? input.with("transcript", stripped(inner)) : input;
  };
  const transcripts = [...builtinTable().keys()].filter((name) =>
    /^transcript_|^agent_session_snapshot$/.test(name),
  );
  return withLoopResult(stripped, [...loops, ...calls, ...transcripts]);
};

/** Hooks of a session event are not registered. */
export const withoutSessionHook = (event: string): Mutant => ({
  builtins: tableWith({
    register_session_hook:
      (run) =>
      (task, name, ...rest) =>
        sessionEventName(String(name)) === event ? null : run(task, name, ...rest),
  }),
});

/** A builtin that does nothing and gives nil. */
export const withoutBuiltin = (name: string): Mutant => ({
  builtins: tableWith({ [name]: () => () => null }),
});

/** An exported function of a module (`std/agent/judge`) that does nothing and gives nil. */
export function withoutFunction(module: string, name: string): Mutant {
  const ending = `/stdlib/${module.slice("std/".length)}.harn`;
  return {
    builtins: builtinTable(),
    moduleText: (path, text) => (path.endsWith(ending) ? emptied(path, text, name) : text),
  };
}

function emptied(path: string, text: string, name: string): string {
  const { program } = parse(new SourceFile(path, text));
  const found = program.items.find((item) => item.kind === "FnDecl" && item.name.text === name);
  if (found?.kind !== "FnDecl") throw new Error(`${path} has no function ${name}`);
  const start = found.body.start + 1;
  return `${text.slice(0, start)} return nil; ${text.slice(start)}`;
}

/** The listener, told everything but one type. */
const deafTo = (type: string, listener: Callable): ScriptFunction =>
  new ScriptFunction(["event"], (task: Task, args: readonly Value[]): MaybePromise<Value> => {
    const [event] = args;
    return event instanceof Dict && event.get("type") === type ? null : listener.call(task, args);
  });
