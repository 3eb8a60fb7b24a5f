/** Friction and context packs (builtins.md §2.21): the table; `friction-events.ts`, `context-packs.ts` and `context-pack-manifests.ts` do the work. */

import { at, defineBuiltins } from "../../table/index.ts";
import { type Dict, List } from "../../values/index.ts";
import { packManifest, parseManifest } from "../agents/artifacts/context-pack-manifests.ts";
import { evalFixture, suggestions } from "../agents/artifacts/context-packs.ts";
import { type Argument, optionsOf, textOf } from "../arguments.ts";
import {
  evalFixtureFields,
  frictionEventFields,
  frictionSinkFields,
  suggestionFields,
} from "../rows/friction.ts";
import { frictionEvent, frictionState, madeNow, recordFriction } from "./friction-events.ts";

export const friction = defineBuiltins(
  "friction",
  {
    friction_event: {
      doc:
        "An event of friction, checked, complete and without secrets, that is recorded nowhere: `{_type, schema_version, id, kind, " +
        "source, actor, tool, provider, tenant_id, task_id, run_id, workflow_id, trace_id, span_id, redacted_summary, " +
        "estimated_time_ms, estimated_cost_usd, recurrence_hints, links, human_hypothesis, metadata, timestamp}`.",
      sig: "(payload: dict) -> dict",
      effect: "state",
      example:
        'friction_event({kind: "tool_gap", summary: "no linter, token=abc"}).redacted_summary  // no linter, [redacted]',
      fields: { payload: () => frictionEventFields },
      run: (task, payload: Argument) => frictionEvent(at("friction_event"), payload, madeNow(task)),
    },
    friction_record: {
      doc:
        "Notes what kept somebody from getting on, as `friction_event` builds it; secrets in it are hidden. Gives `{event, " +
        "recorded, sink}` with the sink `memory`, `jsonl` or `disabled`. Options: `enabled` (true), `log_path` or `path` (a file " +
        "that gets a line of JSON; else the one that `HARN_FRICTION_LOG` names).",
      sig: "(event: dict, options: dict = {}) -> dict",
      effect: "write",
      performs: true,
      suspends: "may",
      fields: { event: () => frictionEventFields, options: () => frictionSinkFields },
      run: (task, event: Argument, options: Argument) => recordFriction(task, event, options),
    },
    friction_events: {
      doc: "The friction noted in this run, in order.",
      sig: "() -> list<dict>",
      effect: "state",
      example: "friction_events()  // []",
      run: (task) => new List([...task.runtime.state(frictionState).events]),
    },
    friction_clear: {
      doc: "Forgets the friction noted in this run and gives its count.",
      sig: "() -> int",
      effect: "state",
      example: "friction_clear()  // 0",
      run: (task) => {
        const state = task.runtime.state(frictionState);
        const count = state.events.length;
        state.events = [];
        return count;
      },
    },
    context_pack_suggestions: {
      doc:
        "What repeated friction suggests to write down: `{_type, id, title, recommended_artifact, confidence, candidate_manifest, " +
        "evidence, examples, estimated_savings, risk_privacy_notes, source_event_ids, created_at, metadata}`, the most frequent " +
        "first. The events are a list, a dict `{events}`, or those of this run. Options: `min_occurrences` (2, the least), `owner`.",
      sig: "(events: list<dict> | dict = nil, options: dict = {}) -> list<dict>",
      effect: "state",
      example: "context_pack_suggestions([])  // []",
      fields: { options: () => suggestionFields },
      run: (task, events: Argument, options: Argument) =>
        suggestions(
          task,
          at("context_pack_suggestions", "events"),
          events,
          optionsOf("context_pack_suggestions", options, suggestionFields),
        ),
    },
    context_pack_manifest: {
      doc:
        "The manifest of a context pack, checked, with its id and `refresh_policy`; `name` and `owner` are needed. Included " +
        "queries have an `id` and a `query`; secrets are named, never told.",
      sig: "(manifest: dict) -> dict",
      effect: "pure",
      example: 'context_pack_manifest({name: "Release notes", owner: "docs"}).id  // release_notes',
      run: (_task, manifest: Argument) => packManifest(manifest),
    },
    context_pack_manifest_parse: {
      doc: "The manifest of a context pack from TOML or JSON, checked as `context_pack_manifest` does.",
      sig: "(text: string) -> dict",
      effect: "pure",
      example:
        "context_pack_manifest_parse(\"name = 'Release notes'\\nowner = 'docs'\").id  // release_notes",
      run: (task, text: Argument) => parseManifest(task, textOf(text)),
    },
    friction_eval_fixture: {
      doc:
        "Whether events lead to the suggestions that are expected: `{pass, failures, event_count, suggestion_count, suggestions}`. " +
        "A fixture is `{events, options, expected_suggestions}`; an expectation holds `min_suggestions`, `recommended_artifact`, " +
        "`title_contains`, `manifest_name_contains`, `required_capability`, `required_output_slot`, of which one suggestion has " +
        "to have all.",
      sig: "(fixture!: dict) -> dict",
      effect: "state",
      example: "friction_eval_fixture({events: []}).pass  // true",
      fields: { fixture: () => evalFixtureFields },
      run: (task, fixture: Dict) => evalFixture(task, fixture),
    },
  },
  {
    events: "events, as `friction_event` gives them",
    manifest: "a manifest; further fields are kept",
  },
);
