/** What holds around everything that the stages of a run do: its rules, its budget, its place, and that they work for it. */

import {
  approvalPolicyOf,
  installGuard,
  policyScopes,
  readPolicy,
  resumableWork,
} from "../../agent/index.ts";
import { type Task, workspaces } from "../../interp/index.ts";
import { conversations, modelBudgets } from "../../model/index.ts";
import { at } from "../../table/index.ts";
import { Dict } from "../../values/index.ts";
import type { WorkPlace } from "../execution/place.ts";
import { workers } from "../workers/worker-table.ts";
import type { AtWork } from "./at-work.ts";
import { field } from "./record/record-fields.ts";
import { spansNow } from "./record/spans.ts";
import type { WorkflowRun } from "./run.ts";
import { runningRuns } from "./running-runs.ts";

/** Enters it; gives what leaves it. */
export function enterRun({ task, run, options, budget }: AtWork, place: WorkPlace | null): () => void {
  const scopes = task.runtime.state(policyScopes);
  const { graph } = run.start;
  const rules = [
    {
      policy: readPolicy(field(graph, "capability_policy"), at("workflow", "capability_policy")),
      approval: approvalPolicyOf(field(graph, "approval_policy"), at("workflow", "approval_policy")),
    },
    { policy: options.policy, approval: options.approvalPolicy },
  ].filter(({ policy, approval }) => policy !== null || approval !== null);
  const conversation = task.runtime.state(conversations).open(`workflow_session_${run.id}`);
  conversation.disposable = true;
  for (const { policy, approval } of rules) {
    if (policy !== null) installGuard(task.runtime);
    scopes.enter(task, {
      conversation,
      policy,
      approval,
      permissions: null,
      command: null,
      repeats: new Map(),
    });
  }
  const above = runningRuns.current(task);
  const leaveRun = runningRuns.enter(task, run);
  const leaveWork = resumableWork.enter(task, true);
  run.spansBefore = spansNow(task).length;
  const leavePlace = place === null ? undefined : workspaces.enter(task, place.workspace);
  const closeBudget = modelBudgets.enter(task, budget.modelBudget);
  return () => {
    closeBudget();
    leavePlace?.();
    leaveWork();
    leaveRun();
    for (const _ of rules) scopes.leave(task);
    above?.childRuns.push(childEntry(task, run));
  };
}

const childEntry = (task: Task, run: WorkflowRun): Dict =>
  Dict.of({
    run_id: run.id,
    run_path: run.start.path,
    workflow_id: field(run.start.graph, "id"),
    status: run.status,
    worker_id: task.runtime.state(workers).around(task)?.id ?? null,
  });
