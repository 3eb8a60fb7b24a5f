/**
 * `std/agent/compaction` as the engine calls it: the module that ships with the runtime, compiled when somebody compacts for the
 * first time. It runs in a runtime of its own, without effects: its functions are pure, so nothing of them is recorded, counts
 * as a step of the program, or could differ on replay.
 */
import { LiveEffects } from "../../../effects/index.ts";
import { hermeticHost, shippedModule } from "../../../host/index.ts";
import { Runtime, Task } from "../../../interp/index.ts";
import { compileProgram, runProgram } from "../../../lower/index.ts";
import { SourceFile } from "../../../source/index.ts";
import { parse } from "../../../syntax/index.ts";
import { Callable, Dict, type Value } from "../../../values/index.ts";
import { measureTable } from "./measures.ts";

const moduleName = "agent/compaction";

interface StrategyLibrary {
  readonly task: Task;
  readonly functions: Dict;
}

/** What was compiled: the same for every run of the process. */
let library: StrategyLibrary | undefined;

function load(): StrategyLibrary {
  const text = shippedModule(moduleName);
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

/** Calls a function of the library. */
export function callLibrary(name: string, ...args: readonly Value[]): Value {
  library ??= load();
  const called = library.functions.get(name);
  if (!(called instanceof Callable)) throw new Error(`std/${moduleName} has no function ${name}`);
  const value = called.call(library.task, args);
  if (value instanceof Promise) throw new Error(`std/${moduleName}: ${name} waits`);
  return value;
}

/** The same where it gives a text. */
export const libraryText = (name: string, ...args: readonly Value[]): string =>
  String(callLibrary(name, ...args));
