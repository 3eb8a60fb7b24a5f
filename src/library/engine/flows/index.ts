/** Flows: functions of a program whose steps are recorded. */
import { nearest } from "../../../diagnostics/nearest.ts";
import { UsageError } from "../../../host/command/index.ts";
import { NativeCallable } from "../../../interp/index.ts";
import type { ProgramText } from "../../../program/index.ts";
import { type FlowFunctions, flowParameter } from "../../../run/setup/index.ts";
import { SourceFile } from "../../../source/index.ts";
import type { FlowFunction } from "../../orders.ts";
import { flowContext } from "./flow-context.ts";
import { type FlowOptions, FlowRun } from "./flow-run.ts";

/** The parameter that is the flow's input; all of what the journal holds for the program stands under it. */
export const flowInput = "given";

/** The script of a flow's runs: what they are recorded, resumed, replayed and forked as. Lists of runs show them by `name`, the flow's. */
export const flowProgram = (name: string): ProgramText => ({
  source: new SourceFile(
    `<flow ${name}>`,
    `pipeline flow(${flowInput}, ${flowParameter}) {\n  return ${flowParameter}(${flowInput})\n}\n`,
  ),
  path: undefined,
});

/** The flows of a program, for one of its runs. */
export const flowFunctions =
  (flows: ReadonlyMap<string, FlowFunction>, of: Pick<FlowOptions, "run" | "tools">): FlowFunctions =>
  (name, run) => {
    const fn = flows.get(name);
    if (fn === undefined) throw new UsageError(noSuchFlow(name, [...flows.keys()]), "HARN-LIB-020");
    return new NativeCallable(name, ["input"], (task, [input = null]) => {
      const flow = new FlowRun({ ...of, name, fn, named: run }, task);
      return flow.play(flowContext(flow, task), input);
    });
  };

function noSuchFlow(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  const others = known.length === 0 ? "it has none" : `it has ${known.join(", ")}`;
  return `this is a run of the flow \`${name}\`, and this harn has no flow of that name (${others})${near === undefined ? "" : `: did you mean \`${near}\`?`}\n  make it first: h.flow("${name}", async (ctx, input) => { … })`;
}
