/**
 * Eval suites and packs (agents.md §19.2): many runs judged at once. And figures that a program reports about itself (builtins.md
 * §2.18): kept with the run, in order.
 */

import {
  evalNotes,
  evalPackManifest,
  type ReadJson,
  runPack,
  runSuite,
  suiteManifest,
} from "../../eval/index.ts";
import type { Task } from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { Dict, List, thrown } from "../../values/index.ts";
import { loadWorkflows } from "../../work/index.ts";
import { type Argument, textOf, underDirectory } from "../arguments.ts";
import { packFields, suiteFields } from "../rows/eval-packs.ts";

/** Files are read as effects; relative ones lie under the manifest's `base_dir`, that one under the working directory. */
export async function packReader(task: Task, name: string): Promise<ReadJson> {
  const { loadJson, recordPath } = await task.runtime.effects.turns.hold(loadWorkflows());
  return async (path, base) =>
    loadJson(task, name, await recordPath(task, base === null ? path : underDirectory(base, path)));
}

/** Kept with the run: `harn eval` of a script reports them. */
function recorded(task: Task, result: Dict): Dict {
  task.runtime.state(evalNotes).results.push(result);
  return result;
}

const running = { effect: "state", performs: true, suspends: "may", capability: "fs.read" } as const;

export const evalPacks = defineBuiltins("evals", {
  eval_suite_manifest: {
    doc: "A checked suite: `{_type, id, name, base_dir, cases: [{label, run_path, fixture_path, compare_to}], metadata}`. Paths are relative to `base_dir`.",
    sig: "(manifest: dict) -> dict",
    effect: "pure",
    example: 'eval_suite_manifest({cases: [{run_path: "a.json"}]}).cases[0].label  // a.json',
    fields: { manifest: () => suiteFields },
    run: (_task, manifest: Argument) => suiteManifest(manifest),
  },
  eval_suite_run: {
    ...running,
    doc: "Judges the runs of a suite: `{pass, total, passed, failed, cases: [{run_id, workflow_id, label, pass, failures, stage_count, source_path, comparison}]}`. A case fails when its fixture does (without one, the run's own), or when it is not identical with `compare_to`.",
    sig: "(manifest: dict) -> dict",
    example: "eval_suite_run({cases: []}).pass  // true",
    fields: { manifest: () => suiteFields },
    run: async (task, manifest: Argument) =>
      recorded(task, await runSuite(manifest, await packReader(task, "eval_suite_run"))),
  },
  eval_pack_manifest: {
    doc: "A checked eval pack: `{_type, version: 1, id, fixtures, rubrics, cases, defaults}` and the other fields given, among them `name`, `base_dir` and `baseline`. What is absent of the lists is empty.",
    sig: "(pack: dict) -> dict",
    effect: "pure",
    example: 'eval_pack_manifest({id: "nightly"}).version  // 1',
    fields: { pack: () => packFields },
    run: (_task, pack: Argument) => evalPackManifest(pack),
  },
  eval_pack_run: {
    ...running,
    doc: "Judges the runs of a pack: `{pack_id, pass, total, passed, failed, blocking_failed, warning_failed, informational_failed, cases: [{id, label, run_id, severity, pass, failures, comparison}]}`. `pass` says that no case with severity `blocking` (the usual one) failed. A case `{id, run, fixture?, rubrics?, thresholds?, compare_to?, severity?}` names its run by a fixture's id or a path and takes the rest from `defaults`; without `compare_to` it is compared with the pack's `baseline`.",
    sig: "(pack: dict) -> dict",
    example: 'eval_pack_run({id: "nightly"}).pass  // true',
    fields: { pack: () => packFields },
    run: async (task, pack: Argument) =>
      recorded(task, await runPack(pack, await packReader(task, "eval_pack_run"))),
  },
});

export const evalMetrics = defineBuiltins("reports", {
  eval_metric: {
    doc: "Notes a figure of this run, with metadata.",
    sig: "(name: string, value: any, metadata: any = nil) -> nil",
    effect: "state",
    example: 'eval_metric("accuracy", 0.9)  // nil',
    run: (task, name: Argument, value: Argument, metadata: Argument) => {
      if (name === undefined || name === null || textOf(name) === "") {
        throw thrown("eval_metric: name is required");
      }
      const metric = Dict.of({ name: textOf(name), value: value ?? null, metadata: metadata ?? null });
      task.runtime.state(evalNotes).metrics.push(metric);
      return null;
    },
  },
  eval_metrics: {
    doc: "The figures noted so far: `{name, value, metadata}`.",
    sig: "() -> list<dict>",
    effect: "state",
    example: "eval_metrics()  // []",
    run: (task) => new List([...task.runtime.state(evalNotes).metrics]),
  },
});
