/** The golden programs of builtins and plain standard modules, on a machine in memory. */
import { describe, expect, it } from "vitest";
import { NodeModuleLoader } from "../../../src/cli/node-module-loader.ts";
import { goldens } from "../../support/goldens.ts";
import { createMemoryHost } from "../../support/memory-host.ts";
import { runScript } from "../../support/run-script.ts";

describe("golden programs", () => {
  it.each(goldens("builtins").map((golden) => [golden.name, golden] as const))(
    "%s",
    async (_name, golden) => {
      const run = await runScript(golden.text, {
        compile: { loader: new NodeModuleLoader() },
        // As for goldens that run on the real machine.
        runtime: { host: createMemoryHost({ env: { HOME: "/home/golden" } }) },
      });
      if (golden.error !== undefined) expect(run.error).toContain(golden.error.trim());
      else expect(run.error).toBe("");
      expect(golden.expected ?? golden.error).toBeDefined();
      if (golden.expected !== undefined) expect(run.stdout).toBe(golden.expected);
    },
  );
});
