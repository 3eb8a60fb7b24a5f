/** Programs that nobody wrote, compiled and run on a machine in memory. */
import { renderDiagnostics } from "../../../src/diagnostics/index.ts";
import { realPrograms, TextMaker } from "../../support/fuzz-text.ts";
import { runScript } from "../../support/run-script.ts";
import type { Fuzzer } from "../fuzzer.ts";

let programs: readonly string[] | undefined;

export const source: Fuzzer = {
  name: "source",
  make: (dice) => {
    programs ??= realPrograms();
    return { "main.harn": new TextMaker(dice, programs).text() };
  },
  run: async (input) => {
    const ran = await runScript(input["main.harn"]!, { runtime: { limits: { steps: 3000, depth: 300 } } });
    return `${renderDiagnostics(ran.diagnostics)}\n${ran.error}\n${ran.stderr}`;
  },
};
