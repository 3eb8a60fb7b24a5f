/**
 * The places of a turn at which a host may look in (agents.md §4.2 `loop_checkpoint`, §8.5 `LoopCheckpoint`, `FileEdited`).
 * Nobody is told when nobody asked.
 *
 *     (pre_compact ─▶ post_compact) ─▶ iteration_start ─▶ pre_tool_dispatch ─▶ post_tool_dispatch ─▶ … ─▶ loop_exit
 */
import { Dict } from "../../values/index.ts";
import { writtenPaths } from "../policy/paths.ts";
import type { Loop } from "../state/loop-state.ts";
import { emit, emitNamed, requestHooks, type Turn } from "../state/requests.ts";

export type CheckpointName =
  | "iteration_start"
  | "pre_compact"
  | "post_compact"
  | "pre_tool_dispatch"
  | "post_tool_dispatch";

/** Tells of a place; `drained` messages of others came into the conversation there. */
export function* checkpoint(loop: Loop, name: CheckpointName, drained = 0): Turn<void> {
  const fields = { checkpoint: name, iteration: loop.work.iteration + 1, drained_messages: drained };
  if (loop.listens()) yield* emitNamed("loop_checkpoint", fields);
  if (loop.hooked("LoopCheckpoint")) yield* requestHooks("LoopCheckpoint", Dict.of(fields), name);
}

export function* beforeTools(loop: Loop): Turn<void> {
  yield* checkpoint(loop, "pre_tool_dispatch");
}

export function* afterTools(loop: Loop): Turn<void> {
  yield* checkpoint(loop, "post_tool_dispatch");
  const hooked = loop.hooked("FileEdited");
  if (!hooked && !loop.listens()) return;
  for (const [index, outcome] of loop.work.outcomes.entries()) {
    if (outcome?.ok !== true) continue;
    const entry = loop.tools.byName.get(outcome.name);
    for (const path of writtenPaths(outcome, entry?.annotations)) {
      if (loop.listens())
        yield* emit(
          "file.changed",
          { path, change: "written", before: null, after: null, bytes: null },
          index,
        );
      if (!hooked) continue;
      const fields = Dict.of({ path, tool_name: outcome.name, tool_call_id: outcome.callId });
      yield* requestHooks("FileEdited", fields, path);
    }
  }
}
