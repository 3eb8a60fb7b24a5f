/** Artifacts: what agents and workflow stages hand to each other, and how it becomes context; hand-offs to personas and people (builtins.md §2.21). */

import { defineBuiltins } from "../../../table/index.ts";
import { List } from "../../../values/index.ts";
import {
  adaptiveFields,
  artifactContext,
  assembleFields,
  contextPolicyFields,
  deriveArtifact,
  extraFields,
  handoffArtifact,
  handoffOf,
  handoffText,
  makeArtifact,
  selectAdaptive,
  selectArtifacts,
} from "../../../work/index.ts";
import type { Argument } from "../../arguments.ts";
import { artifactConstructors } from "./artifact-constructors.ts";
import { packArtifactContext } from "./artifact-packing.ts";

export const artifacts = defineBuiltins(
  "artifacts",
  {
    artifact: {
      doc: "A complete artifact of the fields given: `{_type, id, kind, title, text, data, source, created_at, freshness, priority, lineage, relevance, estimated_tokens, stage, metadata}`. The kind decides the priority; four bytes count as a token.",
      sig: "(fields: dict) -> dict",
      effect: "state",
      example: 'artifact({kind: "file", text: "hello"}).kind  // workspace_file',
      run: (task, fields: Argument) => makeArtifact(task, "artifact", fields),
    },
    artifact_derive: {
      doc: "A successor of an artifact: it inherits what `extra` doesn't give, its lineage ends with the parent's id, its id is `PARENT_derived`.",
      sig: '(parent: dict, kind: string = "artifact", extra: dict? = nil) -> dict',
      effect: "state",
      example: 'artifact_derive({id: "a"}, "summary", {text: "short"}).lineage  // [a]',
      run: (task, parent: Argument, kind: Argument, extra: Argument) => {
        const fields = extraFields("artifact_derive", extra);
        return deriveArtifact(task, "artifact_derive", parent, kind, fields);
      },
    },
    ...artifactConstructors,
    artifact_select: {
      doc: "The artifacts that a context policy lets through, best first: `{max_artifacts, max_tokens, reserve_tokens, include_kinds, exclude_kinds, prioritize_kinds, pinned_ids, include_stages, prefer_recent, prefer_fresh}`. Order: pinned, prioritized kinds, priority, relevance, age.",
      sig: "(artifacts: list<dict>, policy: dict? = nil) -> list<dict>",
      effect: "state",
      example: 'len(artifact_select([{text: "a"}, {text: "b"}], {max_artifacts: 1}))  // 1',
      fields: { policy: () => contextPolicyFields },
      run: (task, value: Argument, policy: Argument) =>
        new List(selectArtifacts(task, "artifact_select", value, policy)),
    },
    artifact_context: {
      doc: 'The artifacts that a context policy lets through, as text for a prompt: `[kind] title`, then the text or the data as JSON. `render: "json"` gives a line of JSON for each.',
      sig: "(artifacts: list<dict>, policy: dict? = nil) -> string",
      effect: "state",
      example: "artifact_context([], {max_artifacts: 1})  // ",
      fields: { policy: () => contextPolicyFields },
      run: (task, value: Argument, policy: Argument) => artifactContext(task, value, policy),
    },
    select_artifacts_adaptive: {
      doc: "Like `artifact_select`, but repeated texts are dropped (the first stays) and texts of more than `microcompact_threshold` tokens (2000) shortened first.",
      sig: "(artifacts: list<dict>, policy: dict? = nil) -> list<dict>",
      effect: "state",
      example: 'len(select_artifacts_adaptive([{text: "a"}, {text: "a"}]))  // 1',
      fields: { policy: () => adaptiveFields },
      run: (task, value: Argument, policy: Argument) => new List(selectAdaptive(task, value, policy)),
    },
    assemble_context: {
      doc: "Packs artifacts into a budget, in chunks: `{artifacts, budget_tokens = 8000, dedup = chunked|none|semantic, semantic_overlap = 0.85, strategy = relevance|recency|round_robin, query, microcompact_threshold = 2000, ranker_callback(query, chunks)}` gives `{chunks, included, dropped, reasons, total_tokens, budget_tokens, strategy, dedup}`. The budget is never exceeded.",
      sig: "(options: dict) -> dict",
      effect: "state",
      suspends: "may",
      example: 'assemble_context({artifacts: [{text: "12345678"}]}).total_tokens  // 2',
      fields: { options: () => assembleFields },
      run: (task, options: Argument) => packArtifactContext(task, options),
    },
  },
  {
    fields: "an artifact; further fields are kept",
    parent: "an artifact",
    extra: "fields of the artifact; further ones are kept",
    target: "an artifact",
    artifacts: "artifacts",
  },
);

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
