/** `spawn_agent(config)`: a graph makes a worker that runs a workflow, a node one that is a single stage. */
import type { Task } from "../../interp/index.ts";
import { at, row } from "../../table/index.ts";
import type { Value } from "../../values/index.ts";
import type { WorkerPlan } from "./worker.ts";
import { caller, fail, stagePlan } from "./worker-plan.ts";
import { workflowPlan } from "./workflow-plan.ts";

export function spawnPlan(task: Task, config: Value): WorkerPlan {
  const given = row.dict(null).read(config, at(caller, "config"));
  const about = given.get("task");
  if (typeof about !== "string" || about.trim() === "") return fail("config.task is required");
  const isGraph = (given.get("graph") ?? null) !== null;
  return isGraph ? workflowPlan(task, given, about) : stagePlan(task, given, about);
}
