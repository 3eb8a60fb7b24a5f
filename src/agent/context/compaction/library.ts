/**
 * `std/agent/compaction` and `std/agent/compaction_pass` as the engine calls them: the modules that ship with the runtime, compiled
 * as one program when somebody compacts for the first time. It runs in a runtime of its own, without effects: its functions are pure, so nothing of them is recorded, counts
 * as a step of the program, or could differ on replay.
 */
import { LiveEffects } from "../../../effects/index.ts";
import { hermeticHost, shippedModule } from "../../../host/index.ts";
import { NativeCallable, Runtime, Task } from "../../../interp/index.ts";
import { compileProgram, runProgram } from "../../../lower/index.ts";
import { SourceFile } from "../../../source/index.ts";
import { parse } from "../../../syntax/index.ts";
import { Callable, Dict, type Value } from "../../../values/index.ts";
import type {
  CallbackAsk,
  SettleAsk,
  SummaryAsk,
  TemplateAsk,
  TryCallbackAsk,
} from "../../state/requests.ts";
import { measureTable } from "./measures.ts";

const moduleName = "agent/compaction";
const modules = [moduleName, "agent/compaction_pass"];

interface StrategyLibrary {
  readonly task: Task;
  readonly functions: Dict;
}

/** What was compiled: the same for every run of the process. */
let library: StrategyLibrary | undefined;

function compiledLibrary(): StrategyLibrary {
  const imports = /^import \{[^}]*\} from "std\/agent\/compaction"$/m;
  const text = modules.map((name) => shippedModule(name).replace(imports, "")).join("\n");
  const names = [...text.matchAll(/^pub fn (\w+)/gm)].map(([, name]) => name);
  const source = `${text}\nreturn {${names.map((name) => `${name}: ${name}`).join(", ")}}\n`;
  const builtins = measureTable();
  const { program, diagnostics } = compileProgram(new SourceFile(`std/${moduleName}`, source), {
    builtins,
    parse,
  });
  if (program === undefined) throw new Error(`std/${moduleName}: ${diagnostics[0]?.message ?? "no program"}`);
  const runtime = new Runtime({
    effects: new LiveEffects({ atRest: () => {}, seed: "" }),
    host: hermeticHost(),
    console: { write: () => {}, writeError: () => {} },
    builtins,
  });
  const outcome = runProgram(runtime, program);
  if (outcome instanceof Promise || !(outcome.value instanceof Dict))
    throw new Error(`std/${moduleName} can't be loaded`);
  return { task: new Task(runtime, undefined, "compaction", runtime.effects.root), functions: outcome.value };
}

export type CompactionAsk = SummaryAsk | TemplateAsk | CallbackAsk | TryCallbackAsk | SettleAsk;
export type Asking<T> = Generator<CompactionAsk, T, unknown>;

function functionOf({ functions }: StrategyLibrary, name: string): Callable {
  const found = functions.get(name);
  if (!(found instanceof Callable)) throw new Error(`std/${moduleName} has no function ${name}`);
  return found;
}

/** Calls a function of the library. */
export function callLibrary(name: string, ...args: readonly Value[]): Value {
  library ??= compiledLibrary();
  const value = functionOf(library, name).call(library.task, args);
  if (value instanceof Promise) throw new Error(`std/${moduleName}: ${name} waits`);
  return value;
}

/**
 * The same for a function that asks: `args` is given the function of the language by which it does, `answer` answers it. The
 * runtime of the library has no effects, so what is waited for between two questions is its own computing alone.
 */
export function* runLibrary(
  name: string,
  args: (ask: NativeCallable) => readonly Value[],
  answer: (asked: Dict) => Asking<Value>,
): Asking<Value> {
  library ??= compiledLibrary();
  const waiting: { readonly asked: Dict; readonly go: (value: Value) => void }[] = [];
  let wake = (): void => {};
  const ask = new NativeCallable(
    "ask",
    ["request"],
    (_task, [asked]) =>
      new Promise<Value>((go) => {
        waiting.push({ asked: asked as Dict, go });
        wake();
      }),
  );
  const { runtime } = library.task;
  const task = new Task(runtime, undefined, "compaction", runtime.effects.root);
  const called = functionOf(library, name).call(task, args(ask));
  if (!(called instanceof Promise)) return called;
  let settled = false;
  const end = (): void => {
    settled = true;
    wake();
  };
  called.then(end, end);
  while (!settled || waiting.length > 0) {
    const next = waiting.shift();
    if (next !== undefined) next.go(yield* answer(next.asked));
    else
      yield {
        kind: "settle",
        promise: new Promise<void>((done) => {
          wake = done;
        }),
      };
  }
  return (yield { kind: "settle", promise: called }) as Value;
}

/** Functions of the runtime for those of the library. */
export const natives = (
  bodies: Readonly<Record<string, (...args: readonly (Value | undefined)[]) => Value>>,
): Record<string, NativeCallable> =>
  Object.fromEntries(
    Object.entries(bodies).map(([name, body]) => [
      name,
      new NativeCallable(name, [], (_task, args) => body(...args)),
    ]),
  );

/** The same where it gives a text. */
export const libraryText = (name: string, ...args: readonly Value[]): string =>
  String(callLibrary(name, ...args));
