/**
 * Runs a golden program: `x.harn` with `x.expected` (standard output) or `x.error` (a text that the error contains), as
 * language.md §25 says. The program runs in this process with
 * the case's own folder as working directory (a copy of it: golden-copy.ts), an environment without keys, and the mock model.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { builtinGlobals } from "../../src/builtins/index.ts";
import { LiveEffects } from "../../src/effects/index.ts";
import { createNodeHost, type Host, nodeAtRest } from "../../src/host/index.ts";
import { Runtime } from "../../src/interp/index.ts";
import { compileProgram, runProgram } from "../../src/lower/index.ts";
import { configureModels } from "../../src/model/index.ts";
import { loadFixtures } from "../../src/model/llm/index.ts";
import { NodeModuleLoader } from "../../src/program/node-module-loader.ts";
import type { ModuleLoader } from "../../src/resolve/index.ts";
import { SourceFile } from "../../src/source/index.ts";
import { parse } from "../../src/syntax/index.ts";
import type { BuiltinTable } from "../../src/table/index.ts";
import { staticErrorText, withWarnings } from "../../src/tools/test/expectation.ts";
import { typeChecker } from "../../src/types/index.ts";
import { checkedBuiltins } from "./checked-builtins.ts";
import type { GoldenCase } from "./goldens.ts";

export interface GoldenOutcome {
  readonly stdout: string;
  readonly stderr: string;
  /** The first static error's message, else the uncaught text of the run-time error; "" when all went well. */
  readonly error: string;
  readonly exitCode: number;
}

/** Variables that a golden program may see: nothing of the machine's own keys. */
const environment: ReadonlyMap<string, string> = new Map([
  ["HOME", "/home/golden"],
  ["PATH", process.env.PATH ?? ""],
  ["LANG", "C.UTF-8"],
  ["HARN_LLM_PROVIDER", "mock"],
]);

/** What a test puts in the place of the runtime's own. */
export interface GoldenChanges {
  readonly builtins?: BuiltinTable;
  /** The text of a module as the program gets it. */
  readonly moduleText?: (path: string, text: string) => string;
  /** Working directory instead of the program's own folder. */
  readonly cwd?: string;
  /** Temporary folder instead of the machine's. */
  readonly temp?: string;
}

/** Runs a program with its own folder as working directory and the mock model. */
export async function runGolden(program: string, changes: GoldenChanges = {}): Promise<GoldenOutcome> {
  const folder = dirname(resolve(program));
  const source = new SourceFile(relative(folder, resolve(program)), readFileSync(program, "utf8"));
  const builtins = changes.builtins ?? checkedBuiltins();
  const compiled = compileProgram(source, {
    builtins,
    globals: builtinGlobals,
    parse,
    loader: loaderFor(folder, changes),
    path: resolve(program),
    check: typeChecker({ builtins }),
  });
  let stdout = withWarnings(compiled.diagnostics, "");
  let stderr = "";
  if (compiled.program === undefined)
    return { stdout, stderr, error: staticErrorText(compiled.diagnostics) ?? "", exitCode: 1 };
  const runtime = new Runtime({
    effects: new LiveEffects({ atRest: nodeAtRest(), seed: "golden" }),
    host: hostIn(changes.cwd ?? folder, changes.temp),
    console: {
      write: (text) => {
        stdout += text;
      },
      writeError: (text) => {
        stderr += text;
      },
    },
    builtins,
  });
  const fixtures = `${program.slice(0, -".harn".length)}.llm-mock.jsonl`;
  if (existsSync(fixtures)) configureModels(runtime, { fixtures: loadFixtures(fixtures) });
  const outcome = await runProgram(runtime, compiled.program);
  await runtime.effects.close();
  await runtime.close();
  if (outcome.internal !== undefined) throw outcome.internal;
  return { stdout, stderr, error: outcome.error?.text ?? "", exitCode: outcome.exitCode };
}

function hostIn(cwd: string, temp: string | undefined): Host {
  const host = createNodeHost({ cwd, env: environment });
  return temp === undefined ? host : Object.defineProperty(host, "tempDir", { value: temp });
}

function loaderFor(folder: string, { moduleText }: GoldenChanges): ModuleLoader {
  const loader = new NodeModuleLoader(folder);
  if (moduleText === undefined) return loader;
  return {
    resolve: (specifier, from) => loader.resolve(specifier, from),
    read: (path) => {
      const { name, text } = loader.read(path);
      return new SourceFile(name, moduleText(path, text), path);
    },
  };
}

/** Numbers of `[timer] x: 12ms` lines differ from run to run. */
export const withoutTimes = (text: string): string => text.replace(/^(\[timer\] .*: )\d+ms$/gm, "$1Nms");

/** True when an error text fits an `.error` file: any one line of it, `re:…` as a regular expression. */
export function errorFits(expectation: string, actual: string): boolean {
  const lines = expectation.split("\n").filter((line) => line.trim() !== "");
  return lines.some((line) =>
    line.startsWith("re:") ? new RegExp(line.slice(3).trim()).test(actual) : actual.includes(line.trim()),
  );
}

/** With HARN_ACCEPT=1 expectations are rewritten instead of compared; the difference is reviewed like code. */
export const accepting = process.env.HARN_ACCEPT === "1" && process.env.CI === undefined;

export function acceptOutcome(golden: GoldenCase, outcome: GoldenOutcome): void {
  const base = golden.program.slice(0, -".harn".length);
  if (golden.kind === "error" || (golden.kind === "none" && outcome.error !== "")) {
    if (!errorFits(golden.expectation, outcome.error)) writeFileSync(`${base}.error`, `${outcome.error}\n`);
  } else if (
    golden.kind === "none" ||
    golden.expectation.trimEnd() !== withoutTimes(outcome.stdout).trimEnd()
  ) {
    writeFileSync(`${base}.expected`, withoutTimes(outcome.stdout));
  }
}
