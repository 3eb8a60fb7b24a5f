/**
 * What the calls of a loop came to, noted turn by turn: claims cite them, and a refusal is the same one again only while
 * nothing new came of them.
 */
import type { ToolOutcome } from "../../../model/index.ts";
import { toJson } from "../../../values/index.ts";
import type { Loop } from "../../state/loop-state.ts";
import type { Turn } from "../../state/requests.ts";
import type { Subsystem } from "../../state/subsystem.ts";
import { isModelWords } from "../../tools/call-changes.ts";
import { pathsOf } from "../../tools/durability.ts";
import { canonical, effectOf } from "../repetition/signatures.ts";

/** Older calls are forgotten: nobody cites what is so far back. */
const keptCalls = 2000;

export const callNotes: Subsystem = {
  name: "call_notes",
  *settled(loop: Loop): Turn<void> {
    // A hook that blocks the end is asked again only as often as something new comes of it.
    if (loop.options.completion === null && !loop.hooked("PreFinish")) return;
    const { completion } = loop.state.slots;
    for (const outcome of loop.work.outcomes) if (outcome !== null) noteCheckedCall(loop, outcome);
    completion.calls.splice(0, completion.calls.length - keptCalls);
    const succeeded = loop.work.outcomes.some((outcome) => outcome?.ok === true);
    if (succeeded) completion.streak = 0;
  },
};

function noteCheckedCall(loop: Loop, outcome: ToolOutcome): void {
  // What the runtime answers itself finds nothing out: its effects stand in the ledgers.
  if (loop.structural.has(outcome.name)) return;
  const { completion } = loop.state.slots;
  const entry = loop.tools.byName.get(outcome.name);
  const { name: tool, ok, rendered: text } = outcome;
  const isWords = isModelWords(entry);
  const effect = effectOf({ tool, arguments: canonical(toJson(outcome.arguments)), ok, text });
  completion.effects.add(loop.digest(effect).slice(0, 16));
  completion.called++;
  completion.calls.push({
    tool: outcome.name,
    ok: outcome.ok,
    turn: loop.work.iteration + 1,
    callId: outcome.callId,
    // A hook answered: the program's word.
    changes: outcome.changes ?? { writes: false, runs: false, found: outcome.ok && !isWords },
    isWords,
    paths: pathsOf(entry, outcome.arguments),
    arguments: outcome.arguments,
    text,
  });
}
