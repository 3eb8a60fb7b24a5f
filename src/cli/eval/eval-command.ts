/** `harn eval`: run records, suites, packs and scripts are judged; exit code 1 says that something does not pass. */

import { builtinTable } from "../../builtins/index.ts";
import { codedText, evaluateSuite, runPack, runSuite } from "../../eval/index.ts";
import {
  evaluateScript,
  newSeed,
  readJson,
  readJsonFile,
  type ScriptEval,
  type Target,
  targetOf,
} from "../../eval/local/index.ts";
import { exitCode, print, reportAsJson, reportError, UsageError } from "../../host/command/index.ts";
import { checkedFile } from "../../program/index.ts";
import type { RunFlags } from "../../run/setup/index.ts";
import { documentIssues, tableOf } from "../../table/index.ts";
import { Dict, List, ScriptError, toJson, typeOf } from "../../values/index.ts";
import { field } from "../../work/index.ts";
import { metricsText, resultText } from "./report.ts";

export interface EvalFlags extends Pick<RunFlags, "tape" | "llmMock" | "model" | "provider" | "seed"> {
  readonly json?: boolean;
  readonly structuralExperiment?: string;
}

export async function evalCommand(path: string, args: readonly string[], flags: EvalFlags): Promise<number> {
  const target = targetOf(path);
  if (target.kind === "script") return await scriptEval(target.path, args, flags);
  if (flags.structuralExperiment !== undefined)
    throw new UsageError("--structural-experiment is for scripts: a run that is over can't be changed");
  const result = await resultOf(path, target);
  if (flags.json === true) reportAsJson(toJson(result));
  else print(resultText(result));
  return field(result, "pass") === true ? exitCode.ok : exitCode.failed;
}

async function resultOf(path: string, target: Exclude<Target, { kind: "script" }>): Promise<Dict> {
  try {
    if (target.kind === "runs") return evaluateSuite(new List(target.paths.map(fileCase)));
    const run = target.kind === "suite" ? runSuite : runPack;
    sayWrong(path, target.kind, target.manifest);
    return await run(target.manifest, readJson);
  } catch (error) {
    // What is wrong with a manifest or a fixture is a matter of the file.
    if (error instanceof ScriptError) throw new UsageError(codedText(error), "HARN-CLI-008");
    throw error;
  }
}

/** Keys of a suite or pack that mean nothing, and values of a wrong type, each with its path; an error where it lifts a bound. */
function sayWrong(file: string, kind: "suite" | "pack", manifest: Dict): void {
  const { fields } = builtinTable().get(`eval_${kind}_run`) ?? {};
  const rows = tableOf(Object.values(fields ?? {})[0]);
  for (const issue of rows === undefined ? [] : documentIssues(manifest, rows)) {
    const said =
      issue.kind === "type"
        ? `\`${issue.path}\`: expected ${issue.expected}, got ${typeOf(issue.value)}`
        : `unknown key \`${issue.path}\`; ${issue.hint}`;
    if (issue.error) throw new UsageError(`${file}: ${said}`, "HARN-CLI-008");
    reportError(`warning: ${file}: ${said}\n`);
  }
}

const fileCase = (path: string): Dict => Dict.of({ run: readJsonFile(path), path, label: path });

// ── scripts ───────────────────────────────────────────────────────────────────────────────────────────────────────

async function scriptEval(path: string, args: readonly string[], flags: EvalFlags): Promise<number> {
  const program = await checkedFile(path);
  if (program === undefined) return exitCode.failed;
  const seed = flags.seed ?? newSeed();
  const experiment = flags.structuralExperiment ?? null;
  const run = (of: string | null): Promise<ScriptEval> =>
    evaluateScript({ program, args, flags, seed, experiment: of });
  const baseline = await run(null);
  // The same seed, so that what differs comes from the experiment.
  const changed = experiment === null ? null : await run(experiment);
  if (flags.json === true) reportAsJson(toJson(asValue(path, baseline, changed, experiment)));
  else print(text(baseline, changed, experiment));
  return [baseline, changed].every((one) => one === null || hasPassed(one)) ? exitCode.ok : exitCode.failed;
}

/** What a program without tasks judged and measured, which a run for its tasks has noted. */
export function scriptNotes(path: string, ran: ScriptEval, flags: EvalFlags): number {
  if (flags.json === true) reportAsJson(toJson(asValue(path, ran, null, null)));
  else print(text(ran, null, null));
  return hasPassed(ran) ? exitCode.ok : exitCode.failed;
}

const hasPassed = ({ exitCode: code, results }: ScriptEval): boolean =>
  code === 0 && results.every((result) => field(result, "pass") === true);

function text(baseline: ScriptEval, changed: ScriptEval | null, experiment: string | null): string {
  const shown = changed ?? baseline;
  const failed = [baseline, changed].find((one) => one !== null && one.exitCode !== 0);
  return [
    ...(changed === null ? [] : [`experiment ${experiment ?? ""}\n`]),
    ...shown.results.map(resultText),
    metricsText(shown.metrics, changed === null ? null : baseline.metrics),
    ...(failed ? [`FAIL: the script ended with ${failed.exitCode}\n`] : []),
    ...(shown.results.length === 0 && shown.metrics.length === 0 && !failed
      ? [
          "nothing was measured: the script calls no eval_metric, eval_pack_run, eval_suite_run or run_record_eval_suite\n",
        ]
      : []),
  ].join("");
}

function asValue(
  path: string,
  baseline: ScriptEval,
  changed: ScriptEval | null,
  experiment: string | null,
): Dict {
  return Dict.of({
    script: path,
    pass: hasPassed(baseline) && (changed === null || hasPassed(changed)),
    ...evalFields(baseline),
    experiment:
      changed === null ? null : Dict.of({ structural_experiment: experiment, ...evalFields(changed) }),
  });
}

const evalFields = ({ exitCode: code, metrics, results }: ScriptEval) => ({
  exit_code: code,
  metrics: new List([...metrics]),
  results: new List([...results]),
});
