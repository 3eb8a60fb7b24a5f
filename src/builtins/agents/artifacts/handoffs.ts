/** Hand-offs of work from one persona to another, or to a person (builtins.md §2.21). */
import { defineBuiltins } from "../../../table/index.ts";
import { handoffArtifact, handoffOf, handoffText } from "../../../work/index.ts";
import type { Argument } from "../../arguments.ts";

export const handoffs = defineBuiltins(
  "artifacts",
  {
    handoff: {
      doc: "A complete hand-off of the fields given, of a hand-off or of its artifact. Needed: `source_persona`, `target_persona_or_human: {kind, id?, label}`, `task`, `reason`.",
      sig: "(payload: dict) -> dict",
      effect: "state",
      run: handoffOf,
    },
    handoff_artifact: {
      doc: "A hand-off as an artifact: the text is what `handoff_context` gives, `data` the hand-off, the lineage its evidence.",
      sig: "(payload: dict) -> dict",
      effect: "state",
      run: handoffArtifact,
    },
    handoff_context: {
      doc: "What the receiver of a hand-off reads: task, reason, evidence, questions, capabilities and side effects, budget.",
      sig: "(payload: dict) -> string",
      effect: "state",
      run: (task, payload: Argument) => handoffText(handoffOf(task, payload)),
    },
  },
  { payload: "a hand-off; further fields are kept" },
);
