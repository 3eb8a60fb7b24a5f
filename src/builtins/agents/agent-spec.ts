/** Agents as data (agents.md §16): a name and the options that a program starts loops with. */

import { loopFields } from "../../agent/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { Dict, display, thrown } from "../../values/index.ts";
import type { Argument } from "../arguments.ts";
import { agentFields } from "../rows/agents.ts";

function needAgent(value: Argument, text: string): Dict {
  if (value instanceof Dict && value.get("_type") === "agent") return value;
  throw thrown(value instanceof Dict ? `${text} (created with agent())` : text);
}

function makeAgent(name: Argument, config: Argument): Dict {
  if (name === undefined || name === null) throw thrown("agent: name must be a string");
  if (config !== undefined && !(config instanceof Dict))
    throw thrown("agent: second argument must be a config dict");
  return (config ?? new Dict()).with("_type", "agent").with("name", display(name));
}

function loopArguments(value: Argument, prompt: Argument): Dict {
  if (prompt === undefined) throw thrown("agent_config: requires agent and prompt");
  const agent = needAgent(value, "agent_config: first argument must be an agent");
  const options = Dict.from(
    [...loopFields.set("agent")].flatMap((key) => {
      const option = agent.get(key) ?? null;
      return option === null ? [] : [[key, option] as const];
    }),
  );
  return Dict.of({ prompt: prompt ?? null, system: agent.get("system") ?? null, options });
}

export const agentSpecs = defineBuiltins(
  "agent_specs",
  {
    agent: {
      doc: 'An agent as data: the config with its name and `_type: "agent"`. `agent_config` makes the arguments of `agent_loop` from it.',
      sig: "(name: any, config: dict = {}) -> dict",
      effect: "pure",
      example: 'agent("scout", {model: "gpt-4o-mini"}).name  // scout',
      fields: { config: () => agentFields },
      run: (_task, name: Argument, config: Argument) => makeAgent(name, config),
    },
    agent_name: {
      doc: "The name of an agent.",
      sig: "(agent: dict) -> string",
      effect: "pure",
      example: 'agent_name(agent("scout", {}))  // scout',
      run: (_task, value: Argument) => {
        if (value === undefined) throw thrown("agent_name: requires agent");
        return needAgent(value, "agent_name: first argument must be an agent").get("name") ?? null;
      },
    },
    agent_config: {
      doc: "`{prompt, system, options}` for `agent_loop`: of the agent's config what a loop reads and what is not nil.",
      sig: "(agent: dict, prompt: any) -> dict",
      effect: "pure",
      example: 'agent_config(agent("scout", {model: "m", colour: "red"}), "Go.").options  // {model: m}',
      run: (_task, value: Argument, prompt: Argument) => loopArguments(value, prompt),
    },
  },
  { agent: "an agent, as `agent` gives it" },
);
