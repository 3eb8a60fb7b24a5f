/** `spawn_agent(config)`: a graph makes a worker that runs a workflow, a node one that is a single stage. */
import type { Task } from "../../interp/index.ts";
import { Dict, type Value } from "../../values/index.ts";
import type { WorkerPlan } from "./worker.ts";
import { fail, stagePlan } from "./worker-plan.ts";
import { workflowPlan } from "./workflow-plan.ts";

export function spawnPlan(task: Task, config: Value): WorkerPlan {
  if (!(config instanceof Dict)) return fail("config must be a dict");
  const about = config.get("task");
  if (typeof about !== "string" || about.trim() === "") return fail("config.task is required");
  const isGraph = (config.get("graph") ?? null) !== null;
  return isGraph ? workflowPlan(task, config, about) : stagePlan(task, config, about);
}
