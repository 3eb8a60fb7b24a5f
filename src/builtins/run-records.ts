/** Judging and comparing run records (agents.md §19.2). */
import { defineBuiltins } from "../table/index.ts";
import type { Given } from "./arguments.ts";
import { diffRuns } from "./run-record-diff.ts";
import { evaluate, evaluateSuite, fixtureOf } from "./run-record-eval.ts";

export const runRecords = defineBuiltins("workflows", {
  run_record_fixture: {
    doc: "What a run did, as a fixture: `{_type, source_run_id, workflow_id, expected_status, stage_assertions: [{node_id, expected_status, expected_outcome, expected_branch, required_artifact_kinds, visible_text_contains}]}`.",
    sig: "(run: dict) -> dict",
    effect: "pure",
    example: 'run_record_fixture({_type: "run_record", status: "completed"}).expected_status  // completed',
    run: (_task, run: Given) => fixtureOf(run),
  },
  run_record_eval: {
    doc: 'Whether a run does what a fixture expects: `{pass, failures, stage_count}`. Without a fixture, the run\'s `replay_fixture`. With `eval_kind: "clarifying_question"` the prompts of `hitl_questions` are judged by `required_terms`, `forbidden_terms`, `min_questions` (1) and `max_questions`.',
    sig: "(run: dict, fixture: dict? = nil) -> dict",
    effect: "pure",
    example:
      'run_record_eval({_type: "run_record", status: "failed"}, {expected_status: "completed"}).pass  // false',
    run: (_task, run: Given, fixture: Given) => evaluate("run_record_eval", run, fixture),
  },
  run_record_eval_suite: {
    doc: "Judges several runs `{run, fixture?, path?, label?}`: `{pass, total, passed, failed, cases}`.",
    sig: "(cases: list<dict>) -> dict",
    effect: "pure",
    example: "run_record_eval_suite([]).pass  // true",
    run: (_task, cases: Given) => evaluateSuite(cases),
  },
  run_record_diff: {
    doc: "How two runs differ: `{left_run_id, right_run_id, identical, status_changed, left_status, right_status, stage_diffs: [{node_id, change, details}], tool_diffs, observability_diffs, transition_count_delta, artifact_count_delta, checkpoint_count_delta}`. A node that ran again is `node#2`.",
    sig: "(left: dict, right: dict) -> dict",
    effect: "pure",
    example: 'run_record_diff({_type: "run_record"}, {_type: "run_record"}).identical  // true',
    run: (_task, left: Given, right: Given) => diffRuns(left, right),
  },
});
