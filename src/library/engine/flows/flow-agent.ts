/** `ctx.agent`: an agent on a path of its own, with the tools of its own. */
import type { Task } from "../../../interp/index.ts";
import { callBuiltinInFlow, noteAgent } from "../../../run/setup/index.ts";
import { encodeValue, ScriptError, toJs, uncaughtText, type Value } from "../../../values/index.ts";
import { harnError } from "../../errors.ts";
import { offerToolsTo } from "../../host-tools.ts";
import { loopRefusal } from "../../loop-options.ts";
import { agentOptions } from "../../option-checks.ts";
import { flowAgentKinds } from "../../option-tables.ts";
import type { AnyTool, FlowAgentOptions } from "../../types.ts";
import { agentAnswer } from "../agent-answer.ts";
import { agentProgramCall, lastByName } from "../agent-call.ts";
import { fitted } from "../failures.ts";
import { valueForRun } from "./flow-errors.ts";

const caller = "ctx.agent";

interface AgentPlace {
  /** Name of the run. */
  readonly run: string;
  /** Those of all agents of the run. */
  readonly tools: readonly AnyTool[];
}

/** Its result, or its data where they have a schema. Rejects where it did not do its work. */
export async function runFlowAgent(
  task: Task,
  { run, tools }: AgentPlace,
  options: FlowAgentOptions,
): Promise<unknown> {
  const { own, loop } = agentOptions(caller, options, flowAgentKinds);
  const { prompt, output } = own;
  const all = lastByName([...tools, ...(own.tools ?? [])]);
  const call = agentProgramCall({ caller, prompt, output, loop, tools: all });
  const given = valueForRun(call.options, `the options of ${caller}`, run);
  offerToolsTo(task, own.tools ?? [], { run });
  await noteAgent(task, [prompt, encodeValue(given)]);
  const result = toJs(await loopOf(task, [prompt, null, given], run));
  const answer = agentAnswer(result, output !== undefined, run);
  return await fitted(output, answer, "the result of the agent", run);
}

async function loopOf(task: Task, args: readonly Value[], run: string): Promise<Value> {
  try {
    return await callBuiltinInFlow(task, "agent_loop", args);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    const refused = loopRefusal(uncaughtText(error), caller);
    throw refused === undefined ? error : harnError("HARN-LIB-001", refused, { run });
  }
}
