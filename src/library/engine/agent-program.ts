/** The program of `agent`: everything that holds for scripts holds for it. */
import { basename } from "node:path";
import type { Runtime } from "../../interp/index.ts";
import type { ProgramText } from "../../program/index.ts";
import { SourceFile } from "../../source/index.ts";

export const agentProgram: ProgramText = {
  source: new SourceFile(
    "<h.agent>",
    `pipeline agent(prompt, options) {
  return agent_loop(prompt, nil, options)
}
`,
  ),
  path: undefined,
};

/** Whether a run, begun now or recorded, is one of `agent`. */
export const isAgentRun = ({ entry }: Runtime): boolean => basename(entry) === agentProgram.source.name;
