/** Telling that messages went out of view: for scripts as ever, for logs with the summary and with what was carried over. */
import { typedEvent } from "../../../events/index.ts";
import { Dict, type Value } from "../../../values/index.ts";
import type { Loop } from "../../state/loop-state.ts";
import { emit, type Turn } from "../../state/requests.ts";

export function* emitCompacted(
  loop: Loop,
  fields: Readonly<Record<string, Value | undefined>>,
  summary: string,
): Turn<void> {
  const name = "transcript_compacted";
  const [type, data] = typedEvent({
    name,
    fields: Dict.of(fields),
    live: true,
    listed: "context_compaction",
  });
  if (type !== "context.compacted") return yield* emit(type, data);
  yield* emit(type, {
    ...data,
    kept: loop.conversation.shown.length,
    summary,
    pinned: pinnedLanes(loop),
    cut: cutAmongLast(loop),
  });
}

/** Of the messages that should have stayed byte for byte (`keep_messages`): those that were too large for the window alone. */
function cutAmongLast({ options, conversation }: Loop): string[] {
  const last = options.compaction?.ladder?.settings.keepMessages ?? 0;
  if (last === 0) return [];
  const { actions } = conversation.plan;
  return conversation.shown
    .slice(-last)
    .filter(({ id }) => actions[id] === "clear" || actions[id] === "externalize")
    .map(({ id }) => id);
}

/** Context providers of the program: what they give stands in every request. */
const pinnedLanes = ({ options, state }: Loop): string[] =>
  options.providers
    .filter(({ kind, id }) => kind === "own" && (state.slots.provided.get(id)?.text ?? "") !== "")
    .map(({ id }) => id);
