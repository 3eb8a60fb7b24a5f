/** `agent_loop` and `agent_turn` (agents.md §10, §12). */

import { loopFields, loopResultKeys, turnResultKeys, watchedResult } from "../../agent/index.ts";
import type { Task } from "../../interp/index.ts";
import { loadAgentLoop } from "../../skills/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { Dict, display, optionsDict, thrown, typeOf, type Value } from "../../values/index.ts";
import type { Argument } from "../arguments.ts";
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
    throw thrown(`agent_loop: system must be a string or nil; got ${typeOf(text)}`);
  }
  const { runAgentLoop } = await task.runtime.effects.turns.hold(loadAgentLoop());
  const result = await runAgentLoop(task, {
    prompt: display(prompt),
    system: text,
    options: optionDict.without("system"),
    caller: "agent_loop",
  });
  return watchedResult(task, result);
}

async function agentTurn(task: Task, prompt: Argument, options: Argument): Promise<Value> {
  if (prompt === undefined) throw thrown("agent_turn: requires a prompt");
  wireWorkers(task);
  const { runAgentTurn } = await task.runtime.effects.turns.hold(loadAgentLoop());
  return watchedResult(task, await runAgentTurn(task, display(prompt), options ?? null));
}

export const agentLoopBuiltins = defineBuiltins("agent_loop", {
  agent_loop: {
    doc:
      "Runs an agent until it is done: calls the model, runs the tools it asks for, and goes on. Gives the result dict " +
      "(`status`, `text`, `llm`, `tools`, `transcript` …); a failing provider is a status, not an error.",
    sig: "(prompt: any, system: string? = nil, options: dict? = nil) -> dict",
    effect: "state",
    traits: ["systemSecond", "wholeOptions"],
    suspends: "may",
    capability: "model",
    // `agent_loop(prompt, options)`: a dict in second place is the options.
    fields: { system: () => loopFields, options: () => loopFields },
    readsFields: true,
    resultKeys: () => loopResultKeys,
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
    run: agentTurn,
  },
});
