/** Runs script text in memory: parser, resolver, lowering and the real builtins over a memory host. */
import { builtinGlobals, builtinTable } from "../../src/builtins/index.ts";
import type { Diagnostic } from "../../src/diagnostics/index.ts";
import { Runtime, type RuntimeOptions } from "../../src/interp/index.ts";
import {
  type Compiled,
  type CompileOptions,
  compileProgram,
  type RunOutcome,
  runProgram,
} from "../../src/lower/index.ts";
import type { ModuleLoader } from "../../src/resolve/index.ts";
import { SourceFile } from "../../src/source/index.ts";
import { parse } from "../../src/syntax/index.ts";
import type { Value } from "../../src/values/index.ts";
import { liveEffects } from "./concurrent.ts";
import { createMemoryHost } from "./memory-host.ts";

export interface ScriptRun {
  readonly compiled: Compiled;
  readonly diagnostics: readonly Diagnostic[];
  readonly outcome: RunOutcome | undefined;
  /** Did it end without waiting for anything? */
  readonly synchronous: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** The first static error, else the text of an uncaught error; "" when all went well. */
  readonly error: string;
}

export interface ScriptOptions {
  /** Other modules by path: `m.harn`. */
  readonly files?: Readonly<Record<string, string>>;
  readonly runtime?: Partial<RuntimeOptions>;
  readonly compile?: Partial<CompileOptions>;
  readonly params?: ReadonlyMap<string, Value>;
  /** Called with the runtime before the program starts. */
  readonly prepare?: (runtime: Runtime) => void;
}

/** Modules out of an object; relative specifiers only. */
export function memoryModules(files: Readonly<Record<string, string>>): ModuleLoader {
  return {
    resolve: (specifier) => {
      const path = specifier.replace(/^\.\//, "");
      for (const name of [path, `${path}.harn`]) if (Object.hasOwn(files, name)) return { path: name };
      return { missing: `${path}.harn` };
    },
    read: (path) => new SourceFile(path, files[path]!),
  };
}

export function compileScript(text: string, options: ScriptOptions = {}): Compiled {
  return compileProgram(new SourceFile("main.harn", text), {
    parse,
    builtins: builtinTable(),
    globals: builtinGlobals,
    loader: memoryModules({ ...options.files, "main.harn": text }),
    path: "main.harn",
    ...options.compile,
  });
}

export async function runScript(text: string, options: ScriptOptions = {}): Promise<ScriptRun> {
  const compiled = compileScript(text, options);
  let stdout = "";
  let stderr = "";
  const runtime = new Runtime({
    effects: liveEffects(),
    host: createMemoryHost(),
    console: {
      write: (text) => {
        stdout += text;
      },
      writeError: (text) => {
        stderr += text;
      },
    },
    builtins: builtinTable(),
    ...options.runtime,
  });
  options.prepare?.(runtime);
  let outcome: RunOutcome | undefined;
  let synchronous = false;
  if (compiled.program !== undefined) {
    const running = runProgram(runtime, compiled.program, options.params ? { params: options.params } : {});
    synchronous = !(running instanceof Promise);
    outcome = await running;
  }
  const failed = compiled.diagnostics.find((one) => one.severity === "error");
  if (outcome?.internal !== undefined) throw outcome.internal;
  const error = failed?.message ?? outcome?.error?.text ?? "";
  return { compiled, diagnostics: compiled.diagnostics, outcome, synchronous, stdout, stderr, error };
}
