/** Friction and context packs (builtins.md §2.21): the table; `friction-events.ts` and `context-packs.ts` do the work. */

import { defineBuiltins } from "../table/index.ts";
import { List } from "../values/index.ts";
import type { Given } from "./arguments.ts";
import { evalFixture, packManifest, suggestions } from "./context-packs.ts";
import { frictionState, recordFriction } from "./friction-events.ts";
import { frictionEventFields, frictionSinkFields, packFields } from "./rows/people.ts";

export const friction = defineBuiltins(
  "friction",
  {
    friction_record: {
      doc:
        "Notes what kept somebody from getting on: `{kind, redacted_summary, source, actor, tool, provider, estimated_time_ms, " +
        "estimated_cost_usd, recurrence_hints, metadata}`. Secrets in it are hidden. Gives `{event, recorded, sink}`. Options: " +
        "`enabled` (true), `log_path` (a file of JSON lines).",
      sig: "(event: dict, options: dict = {}) -> dict",
      effect: "write",
      performs: true,
      suspends: "may",
      fields: { event: () => frictionEventFields, options: () => frictionSinkFields },
      run: (task, event: Given, options: Given) => recordFriction(task, event, options),
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
        "What repeated friction suggests to write down: `{id, title, kind, recommended_artifact, confidence, candidate_manifest, " +
        "evidence, examples, estimated_savings}`, the most frequent first. Options: `min_occurrences` (2), `owner`.",
      sig: "(events: list<dict>, options: dict = {}) -> list<dict>",
      effect: "pure",
      example: "context_pack_suggestions([])  // []",
      fields: { options: () => packFields },
      run: (_task, events: Given, options: Given) => suggestions(events, options),
    },
    context_pack_manifest: {
      doc: "The manifest of a context pack, with its id and `refresh_policy`; `name` and `owner` are needed.",
      sig: "(manifest: dict) -> dict",
      effect: "pure",
      example: 'context_pack_manifest({name: "Release notes", owner: "docs"}).id  // release_notes',
      run: (_task, manifest: Given) => packManifest(manifest),
    },
    friction_eval_fixture: {
      doc:
        "Whether events lead to the suggestions that are expected: `{pass, suggestion_count, expected_count, missing, suggestions}`. " +
        "A fixture is `{events, options, expected_suggestions}`; an expectation names the fields that count.",
      sig: "(fixture: dict) -> dict",
      effect: "pure",
      example: "friction_eval_fixture({events: []}).pass  // true",
      run: (_task, fixture: Given) => evalFixture(fixture),
    },
  },
  {
    events: "events, as `friction_event` gives them",
    manifest: "a manifest; further fields are kept",
    fixture: "events, options and what is expected",
  },
);
