/**
 * The parts of a turn for scripts that drive their own loop (agents.md §12): reading the calls in a text, running calls.
 * Calls pass the same decisions as in a loop: inside one they stay under its ceilings, permissions, approvals, hooks and
 * callers and those around it; outside there are only the registered tool hooks.
 */
import type { Task } from "../../interp/index.ts";
import type { DispatchOptions, ToolCall, ToolGate } from "../../model/index.ts";
import {
  conversations,
  parseFencedJson,
  parseTaggedText,
  type TaggedResponse,
  toolSetOfValue,
} from "../../model/index.ts";
import { at, oneOf, refusal, row, rows } from "../../table/index.ts";
import { Dict, fromJson, List, toJson, type Value } from "../../values/index.ts";
import { loopToolHooks, toolHookAfter, toolHookGate } from "../hooks/tool-hooks.ts";
import { policyScopes } from "../policy/index.ts";
import { modeAround, modeGate } from "../policy/modes.ts";
import { laidOnAround } from "../state/below/laid-on.ts";
import { runningLoops } from "../state/running.ts";
import { dispatchBatch } from "../tools/dispatch.ts";
import { outcomeDict } from "../tools/outcome.ts";
import { policyGates, recordDenial } from "./policy-gates.ts";
import { toolWrapper } from "./tool-caller.ts";

/** `{calls, errors, prose, violations, done_marker, canonical}` of an answer in a text format. */
export function parseCalls(text: string, tools: Value, format: Value): Dict {
  const names = { toolNames: toolSetOfValue(tools, "agent_parse_tool_calls: ").byName.keys() };
  const parsed = format === "json" ? parseFencedJson(text, names) : parseTaggedText(text, names);
  if (format !== null && format !== "text" && format !== "json")
    throw refusal(at("agent_parse_tool_calls", "format"), oneOf(["text", "json"]), format);
  return parsedDict(parsed);
}

function parsedDict(parsed: TaggedResponse): Dict {
  return Dict.of({
    calls: new List(
      parsed.calls.map(({ id, name, arguments: args }) => Dict.of({ id, name, arguments: fromJson(args) })),
    ),
    errors: new List([...parsed.errors]),
    prose: parsed.prose,
    violations: new List([...parsed.violations]),
    done_marker: parsed.doneMarker,
    canonical: parsed.canonical,
  });
}

const batchCaller = "agent_dispatch_tool_batch";

const callRow = row.dict(
  rows(() => ({ id: row.text(), name: row.filled().required(), arguments: row.dict(null) })),
);

/** Runs calls `{id?, name, arguments?}` on a registry; the results as a loop has them, in order. */
export async function dispatchCalls(task: Task, calls: Value, tools: Value, options: Dict): Promise<List> {
  if (!(calls instanceof List)) throw refusal(at(batchCaller, "calls"), "list", calls);
  const set = toolSetOfValue(tools, `${batchCaller}: `);
  const outcomes = await dispatchBatch(
    task,
    calls.toArray().map(primitiveCall),
    set,
    dispatchOptions(task, options),
  );
  return new List(outcomes.map(outcomeDict));
}

function primitiveCall(value: Value, index: number): ToolCall {
  const { id, name, arguments: args } = callRow.read(value, at(batchCaller, `calls[${index}]`));
  return {
    id: id || `call_${index + 1}`,
    name,
    arguments: toJson(args ?? new Dict()) as ToolCall["arguments"],
    rawArguments: "",
    parseError: null,
    channel: "native",
  };
}

function dispatchOptions(task: Task, options: Dict): DispatchOptions {
  const count = (name: string): number | undefined => {
    const value = options.get(name) ?? null;
    if (value === null) return undefined;
    if (typeof value === "number" && value >= 0) return value;
    throw refusal(at(batchCaller, name), "int >= 0", value);
  };
  const loop = task.runtime.state(runningLoops).current(task);
  const gates: ToolGate[] =
    loop === null ? [] : policyGates(loop, task.runtime.state(policyScopes).around(task));
  const laid = laidOnAround(task);
  const hooks = loopToolHooks(laid);
  const wrap = loop === null ? undefined : toolWrapper(loop, laid);
  const found: DispatchOptions = {
    sessionId: task.runtime.state(conversations).current(task) ?? "",
    iteration: loop?.work.iteration ?? 0,
    maxConcurrent: count("max_concurrent_tools") ?? 1,
    retries: count("tool_retries") ?? 0,
    backoffMs: count("tool_backoff_ms") ?? 1000,
    gates: [modeGate(() => modeAround(task)), ...gates, toolHookGate(hooks)],
    after: [toolHookAfter(hooks)],
  };
  const timeoutMs = count("tool_timeout_ms");
  const maxOutputChars = count("tool_output_max_chars");
  return {
    ...found,
    ...(wrap === undefined ? {} : { wrap }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(maxOutputChars === undefined ? {} : { maxOutputChars }),
    ...(loop === null ? {} : { onDenied: (pending, denial) => recordDenial(loop, pending, denial) }),
  };
}
