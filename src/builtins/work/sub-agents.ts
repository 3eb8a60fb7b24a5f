/** Sub-agents (agents.md §17.4): a loop of its own for a part of the work. */
import { handedDown, watchedEnvelope } from "../../agent/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { Dict } from "../../values/index.ts";
import { loadSubAgents, makeRequest, subAgentFields, subAgentResultKeys } from "../../work/index.ts";
import type { Argument } from "../arguments.ts";
import { wireWorkers, workersOf } from "./worker-ports.ts";

/** Said in the options, or in a request that was made before. */
const runInBackground = (value: Argument): boolean =>
  value instanceof Dict && value.get("background") === true;

export const subAgents = defineBuiltins("sub_agents", {
  agent_inherited_options: {
    doc: 'In a tool of an agent: the agent\'s options that delegates for parts of its work have, unless they say otherwise: who is asked, and how (docs/control-plane.md, "What holds for who works for it"). `sub_agent_run(task, agent_inherited_options().merge({…}))` runs a child that is asked as its agent is. Empty outside of every agent.',
    sig: "() -> dict",
    effect: "state",
    example: "agent_inherited_options()  // {}",
    run: (task) => handedDown(task, "delegates"),
  },
  sub_agent_request: {
    doc: "What `sub_agent_run` would do with these arguments: `{_type, name, task, session_id, background, options, system?, allowed_tools?, policy?, returns_schema?, token_budget?, carry?, execution?}` and the fields `request`, `research_questions`, `action_items`, `workflow_stages`, `verification_steps` as given. Nothing runs; `sub_agent_run` takes the request in place of a task.",
    sig: "(task: any, options: dict? = nil) -> dict",
    effect: "state",
    example: 'sub_agent_request("Find it.", {allowed_tools: "search"}).allowed_tools  // [search]',
    traits: ["wholeOptions"],
    fields: { options: () => subAgentFields },
    run: (task, about: Argument, options: Argument) => makeRequest(task, "sub_agent_request", about, options),
  },
  sub_agent_run: {
    doc: "Runs a child agent on a task in a session of its own and gives one envelope: `{ok, finished, stop_reason, summary, artifacts, evidence_added, tokens_used, budget_exceeded, session_id, transcript, usage, files_written, data, error}`. Options are those of `agent_loop` and `name`, `allowed_tools`, `token_budget`, `returns: {schema}`, `carry: {transcript_mode}`; `background: true` gives the handle of a worker at once. The child has no more tools, money and tokens than the loop around it; running out of them is `budget_exceeded`, not an error.",
    sig: "(task: any, options: dict? = nil) -> dict",
    effect: "state",
    suspends: "may",
    capability: "model",
    traits: ["wholeOptions"],
    fields: { options: () => subAgentFields },
    resultKeys: () => subAgentResultKeys,
    otherKeys: () => ({
      ...{
        answer: "summary",
        output: "summary",
        text: "summary",
        content: "summary",
        visible_text: "summary",
      },
      success: "ok",
    }),
    run: async (task, about: Argument, options: Argument) => {
      if (runInBackground(about) || runInBackground(options)) {
        return (await workersOf(task)).spawnSubAgent(task, about, options);
      }
      wireWorkers(task);
      const { runSubAgent } = await task.runtime.effects.turns.hold(loadSubAgents());
      return watchedEnvelope(task, await runSubAgent(task, about, options));
    },
  },
});
