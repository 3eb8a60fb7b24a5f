/** The golden programs of builtins and plain standard modules, on a machine in memory. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NodeModuleLoader } from "../../../src/program/node-module-loader.ts";
import { liveEffects } from "../../support/concurrent.ts";
import { goldenCases, goldenRoot } from "../../support/goldens.ts";
import { createMemoryHost } from "../../support/memory-host.ts";
import { errorFits } from "../../support/run-golden.ts";
import { runScript } from "../../support/run-script.ts";

describe("golden programs", () => {
  it.each(goldenCases(join(goldenRoot, "builtins")).map((golden) => [golden.name, golden] as const))(
    "%s",
    async (_name, golden) => {
      const run = await runScript(readFileSync(golden.program, "utf8"), {
        compile: { loader: new NodeModuleLoader() },
        // As for goldens that run on the real machine.
        runtime: {
          host: createMemoryHost({ env: { HOME: "/home/golden" } }),
          effects: liveEffects("golden"),
        },
      });
      if (golden.kind === "error") expect(errorFits(golden.expectation, run.error), run.error).toBe(true);
      else expect(run).toMatchObject({ error: "", stdout: golden.expectation });
    },
  );
});
