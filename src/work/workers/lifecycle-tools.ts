/**
 * Tools with which a model controls the workers that its loop's other tools have started (agents.md §17.6):
 * `subagent_pause`, `subagent_resume`, `subagent_stop`. What they give is what the builtins give, without the long fields.
 */
import { awaitResumption } from "../../agent/index.ts";
import type { Task } from "../../interp/index.ts";
import { NativeCallable } from "../../interp/index.ts";
import { runtimeTool, type ToolEntry } from "../../model/index.ts";
import { Dict, type Value } from "../../values/index.ts";
import { parseRequest } from "./suspension/resume-conditions.ts";
import { resumeAgent } from "./suspension/resumption.ts";
import { stoppedDict } from "./suspension/stopped-dict.ts";
import { stopAgent, suspendAgent } from "./suspension/suspension.ts";
import { closeAgent } from "./worker-calls.ts";
import { portsOf } from "./worker-ports.ts";

interface LifecycleTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: { readonly [name: string]: { readonly [key: string]: string | boolean } };
  readonly run: (task: Task, args: Dict) => Promise<Dict>;
}

const handle = { type: "any", required: true, description: "The worker: its handle, or its id." } as const;
const usualStop = "stopped by its parent";
const text = (args: Dict, name: string, usual: string): string => {
  const value = args.get(name) ?? null;
  return typeof value === "string" ? value : usual;
};

const tools: readonly LifecycleTool[] = [
  {
    name: "subagent_pause",
    description: "Park a running worker behind its turn. It keeps everything and can be resumed.",
    parameters: {
      handle,
      reason: { type: "string", required: true, description: "Why; the worker is told." },
    },
    run: async (task, args) =>
      short(await suspendAgent(task, args.get("handle") ?? null, text(args, "reason", ""), null)),
  },
  {
    name: "subagent_resume",
    description: "Go on with a parked worker.",
    parameters: {
      handle,
      input: { type: "string", required: false, description: "What the worker is told." },
      continue_transcript: {
        type: "boolean",
        required: false,
        default: true,
        description: "false: it is told only its task, what it said last, and the input.",
      },
    },
    run: async (task, args) =>
      short(
        await resumeAgent(
          task,
          args.get("handle") ?? null,
          args.get("input") ?? null,
          args.get("continue_transcript") ?? null,
        ),
      ),
  },
  {
    name: "subagent_stop",
    description:
      "End a worker and take over what it leaves: a hand-off of its own and of all that work for it.",
    parameters: {
      handle,
      graceful: {
        type: "boolean",
        required: false,
        default: true,
        description: "Behind its turn; false: at once, without a hand-off.",
      },
      reason: { type: "string", required: false, description: "Why." },
    },
    run: async (task, args) => {
      const worker = args.get("handle") ?? null;
      if (args.get("graceful") === false) return short(await closeAgent(task, worker, "subagent_stop"));
      const reason = text(args, "reason", usualStop);
      const stopped = stoppedDict(task, await stopAgent(task, worker, reason), reason);
      return stopped.with("worker", short(stopped.get("worker") as Dict));
    },
  },
];

/** A handle without what fills a context: a model needs no transcript of what it controls. */
const short = (options: Dict): Dict => options.without("result").without("request").without("history");

const annotations = (): Dict =>
  Dict.of({ agent_lifecycle: true, kind: "session_control", side_effect_level: "none" });

/** For a loop with `subagents: true`. */
export const lifecycleTools = (): ToolEntry[] =>
  tools.map(({ run, ...tool }) => runtimeTool({ ...tool, annotations: annotations(), run }));

/** The same as entries of a registry, for `agent_lifecycle_tools`. */
export const lifecycleEntries = (): Dict[] =>
  tools.map(({ run, ...tool }) => registryEntry({ ...tool, annotations: annotations(), run }));

/** `agent_await_resumption` as an entry: loops answer it themselves, whoever runs it by hand gets the wish, checked. */
export const awaitResumptionEntry = (): Dict =>
  registryEntry({
    ...awaitResumption,
    run: async (task, args) => {
      const asked = parseRequest(task, args.get("reason") ?? null, args.get("conditions") ?? null, (spec) =>
        portsOf(task).checkTrigger(task, spec),
      );
      return Dict.of({ reason: asked.reason, conditions: asked.conditions, resume_by: asked.resumeBy });
    },
  });

function registryEntry(tool: LifecycleTool & { readonly annotations: Dict }): Dict {
  const { name, description, parameters, run } = tool;
  const shorthand = Object.entries(parameters).map(([key, value]): [string, Value] => [
    key,
    Dict.of({ ...value }),
  ]);
  return Dict.of({
    name,
    description,
    parameters: Dict.from(shorthand),
    annotations: tool.annotations,
    handler: new NativeCallable(name, ["args"], (task, [args]) =>
      run(task as Task, args instanceof Dict ? args : new Dict()),
    ),
  });
}
