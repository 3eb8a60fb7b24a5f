/**
 * The world that reference actions lead to is the one that is expected, so any way to the same end passes. The actions run on a
 * fresh copy of the beginning world; one that errors, or that does something beyond the world, means that the task is broken.
 */
import type { Task } from "../../../interp/index.ts";
import { compareValues, handlerArguments, type ToolSet, toolSetOfValue } from "../../../model/index.ts";
import { row } from "../../../table/index.ts";
import {
  Callable,
  Dict,
  display,
  invoke,
  invoke1,
  isErr,
  List,
  payload,
  runtimeError,
  ScriptError,
  textOf,
  typeOf,
  type Value,
} from "../../../values/index.ts";
import { evalError } from "../../eval-error.ts";
import { evalRegistry, scoringContext } from "../../plan/index.ts";
import { worldOf } from "../../world/index.ts";
import { type ScorerArguments, type ScorerInput, scorerKind, verdict } from "../scorer-kind.ts";
import { differencesText, ignoreRow } from "./structures.ts";

const worldAfterRows = () => ({
  actions: row.value(
    "Calls `{tool, arguments}`, or `fn(sample)`; the sample's `solution` unless given.",
    "a list, or a function of the sample that gives it",
  ),
  ignore: ignoreRow(),
  tools: row.handle<Dict | List>("dict | list", "What the actions call; the task's `tools` unless given."),
  world: row.handle<Dict | Callable>(
    "dict | closure",
    "The world at the beginning; the task's `world` unless given.",
  ),
});
type WorldAfterInput = ScorerInput<ScorerArguments<typeof worldAfterRows>>;

const worldAfter = scorerKind(worldAfterRows, {
  needs: ["world"],
  async score(input) {
    const expected = await worldAfterActions(input);
    const { ignore } = input.args;
    const { differences } = compareValues(expected, input.outcome.get("world") ?? null, { ignore });
    return verdict(differences.length === 0, { why: differencesText([...differences]) });
  },
});

async function worldAfterActions(input: WorldAfterInput): Promise<Value> {
  const { task, sample } = input;
  const { tools, world } = ownParts(input);
  const actions = await actionsOf(input);
  const state = worldOf(task.runtime);
  const before = state.value;
  state.value = world instanceof Callable ? await invoke1(task, world, sample) : (world ?? new Dict());
  try {
    await carryOutActions(task, tools, actions, sample);
    return state.value;
  } finally {
    state.value = before;
  }
}

/** Reference actions on the world as it stands; HARN-EVL-033 for the first one that fails, or reaches beyond the world. */
export async function carryOutActions(
  task: Task,
  tools: ToolSet,
  actions: readonly Value[],
  sample: Dict,
): Promise<void> {
  const unguard = withoutEffects(task);
  try {
    for (const [index, action] of actions.entries()) {
      const failure = await failureOf(task, tools, action);
      if (failure !== undefined)
        throw evalError("HARN-EVL-033", {
          action: index + 1,
          sample: display(sample.get("id") ?? null),
          error: `${actionName(action)}: ${failure}`,
        });
    }
  } finally {
    unguard();
  }
}

function ownParts({ task, args }: WorldAfterInput): { tools: ToolSet; world: Value } {
  const name = task.runtime.state(scoringContext).task;
  const code = name === null ? undefined : task.runtime.state(evalRegistry).tasks.get(name)?.code;
  return {
    tools: toolSetOfValue(args.tools ?? code?.tools ?? null, "world_after: "),
    world: args.world ?? code?.world ?? null,
  };
}

async function actionsOf({ task, args, sample }: WorldAfterInput): Promise<readonly Value[]> {
  const value = args.actions;
  const made =
    value instanceof Callable
      ? await invoke1(task, value, sample)
      : (value ?? sample.get("solution") ?? null);
  if (made instanceof List) return made.toArray();
  throw runtimeError(
    `world_after needs a list of actions {tool, arguments}, or the sample's \`solution\`; got ${typeOf(made)}`,
  );
}

const actionName = (action: Value): string =>
  action instanceof Dict ? textOf(action.get("tool") ?? action.get("name") ?? "?") : typeOf(action);

/** Why an action can't be carried out; undefined when it could. */
async function failureOf(task: Task, tools: ToolSet, action: Value): Promise<string | undefined> {
  const name = actionName(action);
  const handler = tools.byName.get(name)?.handler;
  if (!(action instanceof Dict)) return "an action is a dict {tool, arguments}";
  if (handler === undefined)
    return `there is no tool of this name; there are ${[...tools.byName.keys()].join(", ")}`;
  const callArguments = action.get("arguments") ?? new Dict();
  if (!(callArguments instanceof Dict)) return "its `arguments` are no dict";
  try {
    const result = await invoke(task, handler, handlerArguments(handler, callArguments));
    if (isErr(result)) return display(payload(result));
    const error = result instanceof Dict ? (result.get("error") ?? null) : null;
    return error === null ? undefined : display(error);
  } catch (error) {
    if (error instanceof ScriptError) return textOf(error.value);
    throw error;
  }
}

/** Until the function that it gives is called, whatever reaches beyond the Runtime is refused; looking at a clock is not. */
function withoutEffects(task: Task): () => void {
  const { runtime } = task;
  const outer = runtime.guard;
  runtime.guard = (asking, call) => {
    if (call.effect !== "observe") throw runtimeError(`it does something beyond the world (${call.kind})`);
    return outer === undefined ? call : outer(asking, call);
  };
  return () => {
    runtime.guard = outer;
  };
}

export const worldAfterScorers = { world_after: worldAfter } as const;
