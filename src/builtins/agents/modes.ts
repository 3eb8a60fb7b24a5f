/** Modes, folders and configurations of agents, below std/agent/modes, std/agent/config and std/research (docs/research.md). */
import {
  agentConfigFields,
  agentConfigOf,
  enterFolder,
  isInMode,
  modeAround,
  modeScopes,
  setMode,
} from "../../agent/index.ts";
import type { Task } from "../../interp/index.ts";
import {
  type AgentMode,
  conversations,
  isAgentMode,
  isRegistry,
  registryOf,
  toolSetOfValue,
} from "../../model/index.ts";
import { at, defineBuiltins, refusal } from "../../table/index.ts";
import { always, type Callable, type MaybePromise, thrown, type Value } from "../../values/index.ts";
import type { Argument } from "../arguments.ts";

function modeOf(caller: string, value: Argument): AgentMode {
  if (isAgentMode(value)) return value;
  throw refusal(at(caller, "mode"), '"plan" or "execute"', value);
}

/** Of a session, else what holds for the caller. */
function currentMode(task: Task, session: Argument): Value {
  if (session === null || session === undefined) return modeAround(task);
  const name = String(session);
  const found = task.runtime.state(conversations).get(name);
  if (found === undefined) throw thrown(`agent_mode: unknown session id '${name}'`);
  return found.mode;
}

async function switchMode(task: Task, mode: Argument, session: Argument, by: Argument): Promise<Value> {
  const caller = "agent_set_mode";
  const to = modeOf(caller, mode);
  const store = task.runtime.state(conversations);
  const name = session === null || session === undefined ? store.current(task) : String(session);
  if (name === null) throw thrown(`${caller}: no agent is around the call, so it needs a session`);
  if (store.get(name) === undefined) throw thrown(`${caller}: unknown session id '${name}'`);
  return await setMode(task, name, to, by === undefined || by === null ? "program" : String(by));
}

function inMode(task: Task, mode: Argument, body: Callable): MaybePromise<Value> {
  const caller = "agent_in_mode";
  const to = modeOf(caller, mode);
  const leave = modeScopes.enter(task, { mode: () => to });
  return always(() => body.call(task, []), leave);
}

function inFolder(task: Task, folder: string, body: Callable): MaybePromise<Value> {
  const leave = enterFolder(task, folder);
  return always(() => body.call(task, []), leave);
}

/** The entries that a mode has. */
function toolsIn(registry: Argument, mode: Argument): Value {
  const caller = "agent_mode_tools";
  const to = modeOf(caller, mode);
  if (!isRegistry(registry ?? undefined)) throw refusal(at(caller, "registry"), "a tool registry", registry);
  return registryOf(
    toolSetOfValue(registry ?? null, `${caller}: `)
      .entries.filter((entry) => isInMode(entry, to))
      .map(({ raw }) => raw),
  );
}

export const agentModeBuiltins = defineBuiltins(
  "agent_modes",
  {
    agent_mode: {
      doc:
        "The mode that holds for the caller, `plan` or `execute`: of the loops and stretches (`agent_in_mode`) around it the " +
        "narrowest. nil where nobody has modes. With a session: the mode of that.",
      sig: "(session: string? = nil) -> string?",
      example: "agent_mode()  // nil",
      effect: "state",
      run: currentMode,
    },
    agent_set_mode: {
      doc:
        "Switches the mode of a session, of the innermost loop around the caller unless one is named, and gives the mode before. " +
        "A loop that runs is under the new one from its next call of a tool on. `by` says who wanted it. A model can't do this.",
      sig: '(mode: string, session: string? = nil, by: string = "program") -> string?',
      effect: "state",
      suspends: "may",
      run: switchMode,
    },
    agent_in_mode: {
      doc: "Runs a function under a mode and gives its result. Loops in it are under that mode, too: it narrows, and never widens.",
      sig: "(mode: string, body!: fn() -> any) -> any",
      effect: "state",
      suspends: "callback",
      run: inMode,
    },
    agent_in_folder: {
      doc:
        "Runs a function that may touch files of one folder only, and gives its result: reading, writing, listing anywhere else is an " +
        "error of the category `tool_rejected`, links followed. Programs that it starts and connections are not held. It narrows, and " +
        "never widens.",
      sig: '(folder: string != "", body!: fn() -> any) -> any',
      example: 'agent_in_folder(cwd(), { -> file_exists("no/such/file") })  // false',
      effect: "state",
      suspends: "callback",
      run: inFolder,
    },
    agent_settings: {
      doc:
        "The whole configuration of an agent: what is given, with the defaults under it. Unknown keys and wrong values are errors. " +
        "`loop_options` (std/agent/config) makes options of a loop from it.",
      sig: "(config: dict? = nil) -> dict",
      example: "agent_settings({max_iterations: 5}).max_iterations  // 5",
      effect: "pure",
      fields: { config: () => agentConfigFields },
      readsFields: true,
      run: (_task, config: Argument) => agentConfigOf(config ?? null, "agent_settings"),
    },
    agent_mode_tools: {
      doc:
        "The tools of a registry that a mode has, as a registry: what an entry's list `modes` says, else in `plan` what its " +
        "annotations call harmless.",
      sig: "(registry: dict, mode: string) -> dict",
      example: 'agent_mode_tools(tool_registry(), "plan")  // {_type: tool_registry, tools: []}',
      effect: "pure",
      run: (_task, registry: Argument, mode: Argument) => toolsIn(registry, mode),
    },
  },
  { registry: "a tool registry" },
);
