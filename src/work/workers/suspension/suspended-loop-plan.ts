/**
 * A loop of the program's own, or a sub-agent that somebody waits for, as the plan of a worker: what goes on when its handle
 * is given to `resume_agent` after the call that suspended has returned.
 */
import type { LoopCall, SuspendedLoop } from "../../../agent/index.ts";
import type { Task } from "../../../interp/index.ts";
import { loadAgentLoop } from "../../../skills/index.ts";
import { Dict, List } from "../../../values/index.ts";
import type { CycleEnd, Worker, WorkerPlan } from "../worker.ts";
import { subAgentPlan } from "../worker-plan.ts";

export function suspendedLoopPlan({ call, conversation }: SuspendedLoop): WorkerPlan {
  if (call.subAgent !== undefined) return suspendedSubAgent(subAgentPlan(call.subAgent), conversation.id);
  return topLevelPlan(call, conversation.id);
}

/** It goes on where it worked: on the branch that was named after its session. */
function suspendedSubAgent(plan: WorkerPlan, session: string): WorkerPlan {
  const { execution } = plan;
  if (execution === null || execution.worktree === null) return { ...plan, session };
  const branch = execution.worktree.branch ?? `harn-${session}`;
  return { ...plan, session, execution: { ...execution, worktree: { ...execution.worktree, branch } } };
}

/** Everything that an `agent_loop` was called with. */
export function topLevelPlan(call: LoopCall, session: string): WorkerPlan {
  const { prompt, system, options, caller } = call;
  return {
    name: "top-level-agent",
    task: prompt,
    mode: "top_level_agent",
    session,
    request: Dict.of({
      task: prompt,
      system,
      payload: null,
      research_questions: new List([]),
      action_items: new List([]),
      workflow_stages: new List([]),
      verification_steps: new List([]),
    }),
    carry: {
      transcriptMode: "inherit",
      artifactMode: "inherit",
      persistState: true,
      retriggerable: false,
      resumeWorkflow: false,
    },
    approvalPolicy: options.get("approval_policy") ?? null,
    resumeWhen: null,
    execution: null,
    spec: Dict.of({ task: prompt, system, options, caller }),
    cycle: (own, worker, about) => resumeLoop(own, worker, about, call),
  };
}

/** The loop once more, in the same conversation. */
async function resumeLoop(task: Task, worker: Worker, about: string, call: LoopCall): Promise<CycleEnd> {
  const { runChildLoop } = await task.runtime.effects.turns.hold(loadAgentLoop());
  const { result, lastVisible, failure } = await runChildLoop(task, {
    prompt: about,
    system: call.system,
    options: call.options.without("transcript").with("session_id", worker.session),
    caller: call.caller,
  });
  const status = String(result.get("status"));
  const failed = status === "failed" || status === "provider_error";
  return {
    status: status === "suspended" ? "suspended" : failed ? "failed" : "completed",
    payload: result,
    artifacts: [],
    error: failed ? (failure?.error.message ?? String(result.get("stop_reason"))) : null,
    text: lastVisible,
  };
}
