/**
 * `spawn_agent` with a graph (agents.md §17.1): the plan of a worker that runs a workflow. What the config says beside the
 * graph holds for all of its stages.
 */

import type { Task } from "../../interp/index.ts";
import { newId } from "../../interp/index.ts";
import { Dict, type List, option, textOf, type Value } from "../../values/index.ts";
import { artifactsOf } from "../artifacts/record.ts";
import { carryOf, executionOption, namesOf } from "../fields/shared-fields.ts";
import { spawnFields } from "../fields/worker-fields.ts";
import { childPolicy } from "../tool-scope.ts";
import { graphOf } from "../workflow/record/graph.ts";
import { dictIn } from "../workflow/record/record-fields.ts";
import { graphErrors } from "../workflow/record/validation.ts";
import { parseConditions } from "./suspension/resume-conditions.ts";
import type { WorkerPlan } from "./worker.ts";
import { caller, fail, refuseUnknownKeys, requestOf } from "./worker-plan.ts";
import { portsOf } from "./worker-ports.ts";
import { runWorkflowCycle } from "./workflow-cycle.ts";

export function workflowPlan(task: Task, config: Dict, about: string): WorkerPlan {
  if ((config.get("node") ?? null) !== null) return fail("config takes either graph or node, not both");
  refuseUnknownKeys(config, namesOf(spawnFields.rows, "node"), "");
  const graph = graphOf(task, caller, config.get("graph"));
  const errors = graphErrors(graph, []);
  if (errors.length > 0) return fail(`invalid workflow: ${errors.join("; ")}`);
  const value = dictIn(config, "options") ?? new Dict();
  const metadata = graph.get("metadata") ?? null;
  const work = {
    graph,
    options: optionsOf(config, value.without("resume_when")),
    artifacts: artifactsOf(task, caller, config.get("artifacts") ?? null),
    transcript: dictIn(config, "transcript"),
  };
  const name = graph.get("name");
  return {
    name: textOf(option(config, "name"), typeof name === "string" && name !== "" ? name : "worker"),
    task: about,
    mode: "workflow",
    session: `session_${newId(task)}`,
    request: requestOf(about, config, metadata),
    carry: carryOf(config.get("carry") ?? null, caller),
    approvalPolicy: config.get("approval_policy") ?? graph.get("approval_policy") ?? null,
    resumeWhen: parseConditions(value.get("resume_when") ?? null, (spec) =>
      portsOf(task).checkTrigger(task, spec),
    ),
    execution: executionOption(config.get("execution") ?? null, caller),
    spec: config,
    cycle: (own, worker, now) => runWorkflowCycle(own, worker, now, work),
  };
}

/** The workflow's options under what the config says for the whole worker. */
function optionsOf(config: Dict, input: Dict): Dict {
  let options = input;
  const policy = childPolicy(
    dictIn(config, "policy"),
    (config.get("tools") as List | null | undefined) ?? null,
  );
  const said: readonly (readonly [string, Value])[] = [
    ["policy", policy],
    ["permissions", config.get("permissions") ?? null],
    ["approval_policy", config.get("approval_policy") ?? null],
  ];
  for (const [name, value] of said) if (value !== null) options = options.with(name, value);
  return options;
}
