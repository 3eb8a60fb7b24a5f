/** Agents as data (agents.md §16): a name and the options that a program starts loops with. */

import { loopFields } from "../../agent/index.ts";
import { at, defineBuiltins, refusal } from "../../table/index.ts";
import { Dict, display, thrown } from "../../values/index.ts";
import type { Argument } from "../arguments.ts";
import { agentFields } from "../rows/agents.ts";

function needAgent(caller: string, value: Argument): Dict {
  if (value instanceof Dict && value.get("_type") === "agent") return value;
  throw refusal(at(caller, "agent"), "an agent, as agent() gives it", value);
}

function makeAgent(name: Argument, config = new Dict()): Dict {
  if (name === undefined || name === null) throw refusal(at("agent", "name"), "string", name);
  return config.with("_type", "agent").with("name", display(name));
}

function loopArguments(value: Argument, prompt: Argument): Dict {
  if (prompt === undefined) throw thrown("agent_config: requires agent and prompt");
  const agent = needAgent("agent_config", value);
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
      sig: "(name: any, config!: dict = {}) -> dict",
      effect: "pure",
      example: 'agent("scout", {model: "gpt-4o-mini"}).name  // scout',
      fields: { config: () => agentFields },
      run: (_task, name: Argument, config?: Dict) => makeAgent(name, config),
    },
    agent_name: {
      doc: "The name of an agent.",
      sig: "(agent: dict) -> string",
      effect: "pure",
      example: 'agent_name(agent("scout", {}))  // scout',
      run: (_task, value: Argument) => needAgent("agent_name", value).get("name") ?? null,
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
