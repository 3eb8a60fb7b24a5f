/**
 * Hooks before the end: `hooks.agent_stop` of the loop, then `PreFinish` of the run. Each sees what was done and
 * claimed, and how often it has blocked already with which words.
 */
import { Dict, List, type Value } from "../../values/index.ts";
import { coverageSummary } from "../session/contract-record.ts";
import { itemValue } from "../session/ledger.ts";
import type { Loop } from "../state/loop-state.ts";
import { requestHooks, type Turn } from "../state/requests.ts";
import { currentLimit } from "./iteration-control.ts";

/** What a claim said, of loops with `completion`. */
interface Claimed {
  readonly summary: string;
  readonly evidence: readonly string[];
}

/** Why a hook keeps the loop going; `null`: none does. */
export function* finishHeld(loop: Loop, reason: string, claim: Claimed | null): Turn<string | null> {
  if (!loop.hooked("PreFinish")) return null;
  const said = yield* requestHooks("PreFinish", finishPayload(loop, reason, claim), reason);
  if (said === null || said.blocked === null) return null;
  const blocks = loop.state.slots.hookBlocks;
  blocks.set(said.by, { attempt: (blocks.get(said.by)?.attempt ?? 0) + 1, reason: said.blocked });
  return said.blocked;
}

function finishPayload(loop: Loop, reason: string, claim: Claimed | null): Dict {
  const { state } = loop;
  const { contract, workItems } = loop.conversation;
  const { usage, last } = state.slots.calls;
  return Dict.of({
    reason,
    text: state.lastVisible,
    turn_count: state.iterations,
    max_turns: currentLimit(loop),
    tool_usage: Dict.of(Object.fromEntries(usage)),
    called_work_complete: claim !== null,
    summary: claim?.summary ?? null,
    evidence: new List([...(claim?.evidence ?? [])]),
    coverage: contract === null ? null : coverageSummary(contract),
    work_items: workItems === null ? null : new List(workItems.items.map(itemValue)),
    calls: new List(last.map(({ tool, ok, turn }) => Dict.of({ tool, ok, turn }))),
    blocks: new List(blocksByHook(loop)),
  });
}

/** Of every hook that has blocked, by its place; runSessionHooks gives each its own. */
function blocksByHook({ state }: Loop): Value[] {
  const { hookBlocks } = state.slots;
  const last = Math.max(-1, ...hookBlocks.keys());
  return Array.from({ length: last + 1 }, (_, at) => {
    const { attempt, reason } = hookBlocks.get(at) ?? { attempt: 0, reason: null };
    return Dict.of({ attempt, previous_reason: reason });
  });
}
