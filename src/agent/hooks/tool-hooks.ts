/**
 * Tool hooks (agents.md §8.5): registered once, they hold for every loop of the run.
 *
 *     gates ─▶ pre hooks (deny, change arguments) ─▶ gates again where they changed ─▶ tool ─▶ post hooks (text) ─▶ max_output
 *
 * A hook sees a call once: what it changed passes the other gates again, not the hook. A pre hook that throws denies
 * the call, because nobody can say that it would have let it through; a post hook that throws changes nothing.
 */

import { type HookedCall, postToolUse, preToolUse } from "../../events/index.ts";
import { callableOnChild, stateKey, type Task } from "../../interp/index.ts";
import type {
  GateDecision,
  PendingCall,
  ToolAfter,
  ToolCall,
  ToolGate,
  ToolOutcome,
} from "../../model/index.ts";
import { warn } from "../../model/index.ts";
import { type Callable, Dict, ScriptError, uncaughtText, type Value } from "../../values/index.ts";
import { kindOfTool } from "../policy/annotations.ts";
import { microcompact, smallestLimit } from "../tools/microcompact.ts";
import type { HookPattern } from "./patterns.ts";

interface ToolHook {
  readonly pattern: HookPattern;
  readonly deny: string | null;
  readonly maxOutput: number | null;
  readonly pre: Callable | null;
  readonly post: Callable | null;
}

/** The hooks of a run, in the order of registration. */
export const toolHooks = stateKey<ToolHook[]>("agent.tool hooks", () => []);

/** Hooks that a loop and the loops around it bring: they come before those of the run. */
export interface LoopToolHooks {
  readonly hooks: readonly ToolHook[];
  /** Called for every call that one of them refused. */
  readonly onDenied: (task: Task, pending: PendingCall, reason: string) => Promise<void>;
}

/** Closures of loops, the outermost first, as hooks around all tools: asked from without, told from within. */
export function loopToolHooks(
  loops: readonly { readonly preTool: readonly Callable[]; readonly postTool: readonly Callable[] }[],
  onDenied: LoopToolHooks["onDenied"] = async () => undefined,
): LoopToolHooks {
  const hook = { pattern: () => true, deny: null, maxOutput: null, pre: null, post: null };
  return {
    hooks: [
      ...loops.flatMap(({ preTool }) => preTool.map((pre): ToolHook => ({ ...hook, pre }))),
      ...loops.toReversed().flatMap(({ postTool }) => postTool.map((post): ToolHook => ({ ...hook, post }))),
    ],
    onDenied,
  };
}

const noneOwn: LoopToolHooks = loopToolHooks([]);

function toolHooksFor(task: Task, pending: PendingCall, own: LoopToolHooks): readonly ToolHook[] {
  const { runtime } = task;
  const kind = kindOfTool(pending.entry?.annotations);
  const ofTheRun = runtime.state(toolHooks).filter((hook) => hook.pattern(runtime, pending.call.name, kind));
  return own.hooks.length === 0 ? ofTheRun : [...own.hooks, ...ofTheRun];
}

/** The gate that asks pre hooks. */
export function toolHookGate(own: LoopToolHooks = noneOwn): ToolGate {
  const seen = new WeakSet<ToolCall>();
  return {
    name: "hooks",
    async decide(task, pending) {
      const none = own.hooks.length === 0 && task.runtime.state(toolHooks).length === 0;
      if (none || seen.has(pending.call)) return { kind: "allow" };
      seen.add(pending.call);
      return await runPre(task, pending, own);
    },
  };
}

async function runPre(task: Task, pending: PendingCall, own: LoopToolHooks): Promise<GateDecision> {
  let args = pending.arguments;
  for (const hook of toolHooksFor(task, pending, own)) {
    const decision = await askPre(task, pending, hook, args);
    if (decision.kind === "deny") {
      if (own.hooks.includes(hook)) await own.onDenied(task, pending, decision.denial.reason);
      return decision;
    }
    if (decision.kind === "change") args = decision.arguments;
  }
  return args === pending.arguments ? { kind: "allow" } : { kind: "change", arguments: args };
}

async function askPre(task: Task, pending: PendingCall, hook: ToolHook, args: Dict): Promise<GateDecision> {
  if (hook.deny !== null) return deniedByHook(hook.deny);
  if (hook.pre === null) return { kind: "allow" };
  let answer: Value;
  try {
    answer = await callableOnChild(task, hook.pre, [preToolUse(hookedCall(pending), args)]);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return deniedByHook(`a hook failed: ${uncaughtText(error)}`);
  }
  if (!(answer instanceof Dict)) return { kind: "allow" };
  const reason = answer.get("deny");
  if (typeof reason === "string") return deniedByHook(reason);
  const decision = answer.get("decision");
  if (answer.get("block") === true || decision === "deny" || decision === "block")
    return deniedByHook(hookTextOr(answer.get("reason"), "blocked by a hook"));
  const changed = answer.get("args") ?? answer.get("modify");
  return changed instanceof Dict ? { kind: "change", arguments: changed } : { kind: "allow" };
}

const deniedByHook = (reason: string): GateDecision => ({
  kind: "deny",
  denial: { gate: "hook", reason, retryable: false },
});

const hookedCall = ({ call, sessionId }: PendingCall): HookedCall => ({
  id: call.id,
  name: call.name,
  session: sessionId,
});

/** Step 12: what post hooks and `max_output` make of the text. */
export const toolHookAfter =
  (own: LoopToolHooks = noneOwn): ToolAfter =>
  async (task, pending, outcome) => {
    let text = outcome.rendered;
    for (const hook of toolHooksFor(task, pending, own)) {
      if (hook.post !== null) text = await runPost(task, hook.post, pending, { ...outcome, rendered: text });
      if (hook.maxOutput !== null && hook.maxOutput >= smallestLimit)
        text = microcompact(text, hook.maxOutput);
    }
    return text === outcome.rendered ? undefined : text;
  };

async function runPost(
  task: Task,
  post: Callable,
  pending: PendingCall,
  outcome: Pick<ToolOutcome, "rendered" | "ok" | "status" | "arguments">,
): Promise<string> {
  const { rendered } = outcome;
  const event = postToolUse(hookedCall(pending), outcome);
  try {
    const answer = await callableOnChild(task, post, [event]);
    if (typeof answer === "string") return answer;
    return answer instanceof Dict ? hookTextOr(answer.get("result"), rendered) : rendered;
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    warn(task, `a hook failed after ${pending.call.name}: ${uncaughtText(error)}`);
    return rendered;
  }
}

const hookTextOr = (value: Value | undefined, fallback: string): string =>
  typeof value === "string" ? value : fallback;
