/**
 * The machine as tests see it. Lives in a process that does nothing but run tests, one at a time, so the process's own
 * environment and working directory are the test's, also for the programs that it starts; both are put back after it.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { setVariables } from "../../host/command/index.ts";
import { createNodeHost, hermeticHost, nodeAtRest, nodeDigest, nodeOutputHash } from "../../host/index.ts";
import { NodeModuleLoader } from "../../program/index.ts";
import { showError } from "../../run/setup/index.ts";
import type { TestBench, TestMachine } from "../index.ts";

export interface BenchOptions {
  /** What messages are relative to: the folder in which `harn test` was started. */
  readonly cwd: string;
  /** Holds a folder per test; the parent process removes it. */
  readonly temp: string;
}

/** Ours, not the tests'. */
export const workerMark = "HARN_TEST_WORKER";

export async function testBench(options: BenchOptions): Promise<TestBench> {
  const { parse } = await import("../../syntax/index.ts");
  const shown = (path: string): string => shortPath(path, options.cwd);
  return {
    machine: (folder, env, wanted) =>
      wanted?.hermetic === true
        ? hermeticMachine(folder, env, options.cwd)
        : machine(folder, env, options.temp, wanted?.stateInFolder === true),
    host: createNodeHost(),
    atRest: nodeAtRest,
    loader: () => new NodeModuleLoader(options.cwd),
    parse: remembering(parse),
    digest: nodeDigest,
    outputHash: nodeOutputHash,
    shown,
    showError,
  };
}

/** Relative to `cwd` when it lies below it. */
export function shortPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === "" || short === ".." || short.startsWith(`..${sep}`) ? path : short;
}

function machine(
  folder: string,
  env: ReadonlyMap<string, string | undefined>,
  temp: string,
  stateInFolder: boolean,
): TestMachine {
  const cwd = process.cwd();
  const own = mkdtempSync(join(temp, "t-"));
  const wanted = new Map<string, string | undefined>([
    ...env,
    ["TMPDIR", own],
    ["HARN_STATE_DIR", stateInFolder ? undefined : join(own, "state")],
  ]);
  const putBack = setVariables(wanted);
  process.chdir(folder);
  const state = join(folder, ".harn");
  const kept = fileNames(state);
  const host = createNodeHost({ cwd: folder, env: visibleEnv() });
  return {
    host,
    release() {
      host.processes.killAll();
      putBack();
      process.chdir(cwd);
      if (stateInFolder) removeNew(state, kept);
      rmSync(own, { recursive: true, force: true });
    },
  };
}

/** `undefined`: there is no such folder. */
function fileNames(folder: string): ReadonlySet<string> | undefined {
  try {
    return new Set(readdirSync(folder));
  } catch {
    return undefined;
  }
}

/** What the next test must not find; what was there before (packages) stays. */
function removeNew(folder: string, kept: ReadonlySet<string> | undefined): void {
  if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  for (const name of fileNames(folder) ?? [])
    if (kept?.has(name) !== true) rmSync(join(folder, name), { recursive: true, force: true });
}

/** In memory; the project shows through for reading, from the folder in which `harn test` was started. */
function hermeticMachine(
  folder: string,
  env: ReadonlyMap<string, string | undefined>,
  cwd: string,
): TestMachine {
  const root = folder === cwd || folder.startsWith(cwd === sep ? sep : cwd + sep) ? cwd : folder;
  const set = [...env].filter((entry): entry is [string, string] => entry[1] !== undefined);
  const host = hermeticHost({
    cwd: folder,
    base: { files: createNodeHost().files, root },
    env: new Map(set),
  });
  return { host, release() {} };
}

function visibleEnv(): Map<string, string> {
  const env = new Map(Object.entries(process.env) as [string, string][]);
  env.delete(workerMark);
  env.delete("NODE_CHANNEL_FD");
  env.delete("NODE_CHANNEL_SERIALIZATION_MODE");
  return env;
}

/** Every test of a file is compiled for itself; its text and its imports are parsed once. */
function remembering(parse: TestBench["parse"]): TestBench["parse"] {
  const known = new Map<string, ReturnType<TestBench["parse"]>>();
  return (source) => {
    const key = `${source.name}\0${source.text}`;
    let result = known.get(key);
    if (result === undefined) {
      result = parse(source);
      known.set(key, result);
    }
    return result;
  };
}
