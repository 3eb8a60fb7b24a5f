/** `agent_loop` and `agent_turn` (agents.md §10, §12), and agents as data (§16): a name and the options that a program starts loops with. */

import {
  type LoopCall,
  loopFields,
  loopOtherKeys,
  loopResultKeys,
  turnResultKeys,
  watchedResult,
} from "../../agent/index.ts";
import type { Task } from "../../interp/index.ts";
import { messagesFrom, messageText } from "../../model/index.ts";
import { loadAgentLoop } from "../../skills/index.ts";
import { at, defineBuiltins, refusal } from "../../table/index.ts";
import { Dict, display, List, optionsDict, thrown, type Value } from "../../values/index.ts";
import type { Argument } from "../arguments.ts";
import { agentFields } from "../rows/agents.ts";
import { wireWorkers } from "../work/worker-ports.ts";

async function agentLoop(task: Task, prompt: Argument, system: Argument, options: Argument): Promise<Value> {
  if (prompt === undefined || prompt === null) throw thrown("agent_loop: requires a prompt");
  wireWorkers(task);
  // `agent_loop(prompt, options)`: a dict in second place is the options.
  const swapped = system instanceof Dict && options === undefined;
  const optionDict = optionsDict("agent_loop", swapped ? system : options);
  const own = optionDict.get("system") ?? null;
  const text = swapped || (system ?? null) === null ? own : (system ?? null);
  if (text !== null && typeof text !== "string") {
    throw refusal(at("agent_loop", "system"), "string", text);
  }
  const call = loopCall("agent_loop", prompt, text, optionDict.without("system"));
  const { runAgentLoop } = await task.runtime.effects.turns.hold(loadAgentLoop());
  return watchedResult(task, await runAgentLoop(task, call));
}

async function agentTurn(task: Task, prompt: Argument, value: Argument): Promise<Value> {
  if (prompt === undefined) throw thrown("agent_turn: requires a prompt");
  wireWorkers(task);
  const { runAgentTurn } = await task.runtime.effects.turns.hold(loadAgentLoop());
  if (!(prompt instanceof List))
    return watchedResult(task, await runAgentTurn(task, display(prompt), value ?? null));
  const given = optionsDict("agent_turn", value, "opts");
  const own = given.get("system") ?? null;
  const call = loopCall("agent_turn", prompt, typeof own === "string" ? own : null, given);
  const options = call.system === null ? call.options : call.options.with("system", call.system);
  return watchedResult(task, await runAgentTurn(task, call.prompt, options, call.said));
}

/**
 * A prompt that is a list of messages is a conversation: the last one, a user's, is what is asked, those before it begin the
 * conversation, and system messages in front are system text.
 */
function loopCall(caller: string, prompt: Value, system: string | null, options: Dict): LoopCall {
  if (!(prompt instanceof List)) return { prompt: display(prompt), system, options, caller };
  const messages = messagesFrom(prompt, `${caller}: `);
  const begins = messages.findIndex(({ role }) => role !== "system");
  const said = messages.at(-1);
  if (said?.role !== "user")
    throw thrown(
      `${caller}: prompt: expected a last message of the user, which is what is asked, got ${said === undefined ? "an empty list" : `role "${said.role}"`}`,
    );
  const before = prompt.toArray().slice(begins, -1);
  const given = ["messages", "transcript"].find((name) => (options.get(name) ?? false) !== false);
  if (before.length > 0 && given !== undefined)
    throw thrown(
      `${caller}: the messages of the prompt and \`${given}\` both begin the conversation; give one of them`,
    );
  const texts = [system ?? "", ...messages.slice(0, begins).map(messageText)].filter((text) => text !== "");
  return {
    prompt: messageText(said),
    ...(typeof said.content === "string" ? {} : { said }),
    system: texts.length === 0 ? system : texts.join("\n\n"),
    options: before.length === 0 ? options : options.with("messages", new List(before)),
    caller,
  };
}

/** What says how a loop ends may say it in words of its own. */
const ownStatesBy = ["loop_control", "llm_caller"];

export const agentLoopBuiltins = defineBuiltins("agent_loop", {
  agent_loop: {
    doc:
      "Runs an agent until it is done: calls the model, runs the tools it asks for, and goes on. Gives the result dict " +
      "(`status`, `text`, `llm`, `tools`, `transcript` …); a failing provider is a status, not an error. A prompt that is a list of " +
      "messages is a conversation, and its last message, the user's, is what is asked.",
    sig: "(prompt: any, system: string? = nil, options: dict? = nil) -> dict",
    effect: "state",
    traits: ["systemSecond", "wholeOptions"],
    suspends: "may",
    capability: "model",
    // `agent_loop(prompt, options)`: a dict in second place is the options.
    fields: { system: () => loopFields, options: () => loopFields },
    readsFields: true,
    resultKeys: () => loopResultKeys,
    otherKeys: () => loopOtherKeys,
    ownStatesBy,
    run: agentLoop,
  },
  agent_turn: {
    doc: "One agent completes one request: `agent_loop` until done, with a completion judge. Adds `iterations` and `judge_decisions`.",
    sig: "(prompt: any, opts: dict? = nil) -> dict",
    effect: "state",
    traits: ["wholeOptions"],
    suspends: "may",
    capability: "model",
    fields: { opts: () => loopFields },
    readsFields: true,
    resultKeys: () => turnResultKeys,
    otherKeys: () => loopOtherKeys,
    ownStatesBy,
    run: agentTurn,
  },
});

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
