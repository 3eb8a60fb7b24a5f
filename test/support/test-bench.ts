/** A machine in memory for the test runner: files, clock, environment, all of them a test's own. */
import { nodeAtRest, nodeDigest, nodeOutputHash } from "../../src/host/index.ts";
import { parse } from "../../src/syntax/index.ts";
import type { TestBench, TestOptions } from "../../src/tools/index.ts";
import { runTestFile } from "../../src/tools/test/index.ts";
import { uncaughtText } from "../../src/values/index.ts";
import { createMemoryHost, type MemoryHost } from "./memory-host.ts";
import { memoryModules } from "./run-script.ts";

export const plainOptions: TestOptions = {
  timeoutMs: 30_000,
  seed: "s",
  hasSeed: false,
  determinism: false,
  coverage: false,
  models: "mock",
  colour: false,
};

export interface MemoryBench extends TestBench {
  readonly host: MemoryHost;
  /** Environments that tests were given. */
  readonly machines: MemoryHost[];
}

/** A bench over files such as `{"/t/a.harn": "…"}`; imports are relative to `/t`. */
export function memoryBench(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): MemoryBench {
  const host = createMemoryHost({ files, env });
  const machines: MemoryHost[] = [];
  const modules = Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path.replace(/^\/t\//, ""), text]),
  );
  return {
    host,
    machines,
    machine: (folder, changes) => {
      const own = new Map(Object.entries(env));
      for (const [name, value] of changes) {
        if (value === undefined) own.delete(name);
        else own.set(name, value);
      }
      const machine = createMemoryHost({ files, env: Object.fromEntries(own), cwd: folder });
      machines.push(machine);
      return { host: machine, release: () => {} };
    },
    atRest: nodeAtRest,
    loader: () => memoryModules(modules),
    parse,
    digest: nodeDigest,
    outputHash: nodeOutputHash,
    shown: (path) => path.replace(/^\/t\//, ""),
    showError: (error) => uncaughtText(error),
  };
}

/** Runs the tests of one text as `/t/a.harn`. */
export function runTests(
  text: string,
  options: Partial<TestOptions> = {},
  more: Readonly<Record<string, string>> = {},
) {
  const bench = memoryBench({ "/t/a.harn": text, ...more });
  return runTestFile(bench, "/t/a.harn", { ...plainOptions, ...options });
}
