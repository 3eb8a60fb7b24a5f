/** Scripts that call tools of a program in TypeScript, in a runtime of this process. */
import { offerProgramTools } from "../../src/library/host-tools.ts";
import type { AnyTool } from "../../src/library/types.ts";
import { runScript, type ScriptOptions, type ScriptRun } from "./run-script.ts";

/** Runs a script that may call the tools: `host_call("tool.NAME", {…})`. */
export const scriptWithTools = (
  tools: readonly AnyTool[],
  text: string,
  options: ScriptOptions = {},
): Promise<ScriptRun> =>
  runScript(text, {
    ...options,
    prepare: (runtime) => {
      offerProgramTools(runtime, tools, { run: "r1" });
      options.prepare?.(runtime);
    },
  });
