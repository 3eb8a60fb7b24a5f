/** Run records (agents.md §19.2): made, kept, judged and compared. */

import { diffRuns, evalNotes, evaluateRun, evaluateSuite } from "../../eval/index.ts";
import type { Task } from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { Dict, thrown, typeOf } from "../../values/index.ts";
import { fixtureOf, loadWorkflows, needRun, resultRunFields } from "../../work/index.ts";
import { type Argument, option, textOf } from "../arguments.ts";

const load = (task: Task) => task.runtime.effects.turns.hold(loadWorkflows());

function pathOf(name: string, value: Argument): string {
  if (typeof value === "string" && value !== "") return value;
  throw thrown(`${name}: a path is needed, got ${typeOf(value ?? null)}`);
}

const records = { effect: "state", performs: true, suspends: "may" } as const;

export const runRecords = defineBuiltins(
  "workflows",
  {
    run_record: {
      ...records,
      doc: "A complete run record of the fields given: what is absent is filled in, usage is summed up, hand-offs are collected, `observability` is made from the stages and their transcripts. Functions are nil in it.",
      sig: "(fields: dict) -> dict",
      example: 'run_record({status: "failed"}).stages  // []',
      run: async (task, fields: Argument) => (await load(task)).makeRecord(task, "run_record", fields),
    },
    run_record_save: {
      ...records,
      capability: "fs.write",
      doc: "Writes a run record and gives `{path, run}`: to the path given, else to where it was, else to `.harn-runs/ID.json`.",
      sig: "(run: dict, path: string? = nil) -> dict",
      run: async (task, run: Argument, path: Argument) => {
        const { saveRecord } = await load(task);
        const to = path === undefined || path === null ? null : pathOf("run_record_save", path);
        const saved = await saveRecord(task, "run_record_save", needRun("run_record_save", run), to);
        return Dict.of({ path: saved.get("persisted_path") ?? null, run: saved });
      },
    },
    run_record_load: {
      ...records,
      capability: "fs.read",
      doc: "The run record in a file. A folder `NAME-llm` beside `NAME.json` is noted in `metadata.llm_transcript_dir`.",
      sig: "(path: string) -> dict",
      run: async (task, path: Argument) =>
        (await load(task)).loadRecord(task, "run_record_load", pathOf("run_record_load", path)),
    },
    load_run_tree: {
      ...records,
      capability: "fs.read",
      doc: "A run record and those of the runs that it started, as `{run, path, children, error}`; a child that can't be read has no run and an error.",
      sig: "(path: string) -> dict",
      run: async (task, path: Argument) =>
        (await load(task)).loadTree(task, "load_run_tree", pathOf("load_run_tree", path)),
    },
    workflow_result_run: {
      ...records,
      doc: "What was done without a graph, as a run record with one stage: `result` is a loop's result or a text. Hand-offs among the artifacts are collected in `handoffs`. A visible text that no artifact holds is added as artifact `summary`, titled `Visible result`. Options: `workflow_id`, `parent_run_id`, `metadata`, `persist_path` (then it is written).",
      sig: "(task: string, name: string, result: any = nil, artifacts: list<dict> | nil = nil, options: dict? = nil) -> dict",
      example: 'workflow_result_run("t", "review", "fine").stages[0].visible_text  // fine',
      fields: { options: () => resultRunFields },
      run: async (
        task,
        about: Argument,
        name: Argument,
        result: Argument,
        artifacts: Argument,
        options: Argument,
      ) => {
        const { resultRun, saveRecord } = await load(task);
        const run = resultRun(task, { about, name, result, artifacts, options });
        const path = option(options, "persist_path");
        return path === undefined ? run : saveRecord(task, "workflow_result_run", run, textOf(path));
      },
    },
    run_record_fixture: {
      doc: "What a run did, as a fixture: `{_type, source_run_id, workflow_id, expected_status, stage_assertions: [{node_id, expected_status, expected_outcome, expected_branch, required_artifact_kinds, visible_text_contains}]}`.",
      sig: "(run: dict) -> dict",
      effect: "pure",
      example: 'run_record_fixture({_type: "run_record", status: "completed"}).expected_status  // completed',
      run: (_task, run: Argument) => fixtureOf(needRun("run_record_fixture", run)),
    },
    run_record_eval: {
      doc: 'Whether a run does what a fixture expects: `{pass, failures, stage_count}`. Without a fixture, the run\'s `replay_fixture`. With `eval_kind: "clarifying_question"` the prompts of `hitl_questions` are judged by `required_terms`, `forbidden_terms`, `min_questions` (1) and `max_questions`.',
      sig: "(run: dict, fixture: dict? = nil) -> dict",
      effect: "pure",
      example:
        'run_record_eval({_type: "run_record", status: "failed"}, {expected_status: "completed"}).pass  // false',
      run: (_task, run: Argument, fixture: Argument) => evaluateRun("run_record_eval", run, fixture),
    },
    run_record_eval_suite: {
      doc: "Judges several runs `{run, fixture?, path?, label?}`: `{pass, total, passed, failed, cases}`.",
      sig: "(cases: list<dict>) -> dict",
      effect: "state",
      example: "run_record_eval_suite([]).pass  // true",
      run: (task, cases: Argument) => {
        const result = evaluateSuite(cases);
        task.runtime.state(evalNotes).results.push(result);
        return result;
      },
    },
    run_record_diff: {
      doc: "How two runs differ: `{left_run_id, right_run_id, identical, status_changed, left_status, right_status, stage_diffs: [{node_id, change, details}], tool_diffs, observability_diffs, transition_count_delta, artifact_count_delta, checkpoint_count_delta}`. A node that ran again is `node#2`.",
      sig: "(left: dict, right: dict) -> dict",
      effect: "pure",
      example: 'run_record_diff({_type: "run_record"}, {_type: "run_record"}).identical  // true',
      run: (_task, left: Argument, right: Argument) => diffRuns(left, right),
    },
  },
  {
    artifacts: "artifacts",
    left: "a graph or record",
    right: "a graph or record",
    fields: "a record; further fields are kept",
    run: "a run record",
    fixture: "a fixture, as `run_record_fixture` gives it",
    cases: "runs and fixtures",
  },
);
