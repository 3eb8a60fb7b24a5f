/** `harn eval minimise`: the smallest model request with which a failure of a trial still comes, for a file of regressions. */

import { existsSync, readFileSync } from "node:fs";
import { showOneLine } from "../../../diagnostics/index.ts";
import {
  type EvalStore,
  type Failure,
  type MinimalRequest,
  type MinimiseEnd,
  minimise,
  type PlannedTrial,
  plannedTrials,
  regressionOf,
  type SetSpec,
} from "../../../eval/engine/index.ts";
import {
  type AnsweredCall,
  answeredCalls,
  asOwner,
  atOf,
  evalStoreOf,
  NodeTrialRuns,
  planAtHand,
  SetStop,
  trialNamed,
} from "../../../eval/local/index.ts";
import { countedText, dollarText, forkArm, type StoredTask } from "../../../eval/report/index.ts";
import type { FlagsOf } from "../../../host/command/flags.ts";
import {
  exitCode,
  ownStateFolder,
  print,
  reportAsJson,
  reportError,
  UsageError,
  writing,
} from "../../../host/command/index.ts";
import type { ModelRequest } from "../../../model/index.ts";
import { ownPath } from "../../../process/index.ts";
import { appendLine } from "../../../store/files/whole-files.ts";
import { openStore, type Store } from "../../../store/index.ts";
import { jsonOrText } from "../../../values/index.ts";
import type { minimiseFlags } from "../../flags/eval.ts";
import { setOptions } from "../run-options.ts";

export type MinimiseFlags = FlagsOf<typeof minimiseFlags>;

/** Where the shortest requests are collected, in the folder of the command. */
const file = "regressions.jsonl";

export async function minimiseCommand(address: string, flags: MinimiseFlags): Promise<number> {
  const repeat = flags.repeat ?? 3;
  const need = flags.need ?? Math.min(2, repeat);
  if (need > repeat) throw new UsageError(`--need ${need} can't come of --repeat ${repeat}`);
  const calls = flags.calls ?? 200;
  const { costUsd = null } = setOptions({ ...(flags.cost === undefined ? {} : { cost: flags.cost }) });
  const files = openStore(ownStateFolder());
  const store = evalStoreOf(files);
  const { set, trial, step, request, failure, name } = failingStep(files, store, address, flags);
  const spec = JSON.parse(set.spec) as SetSpec;
  const stop = new SetStop();
  try {
    return await asOwner(files, set.name, async () => {
      const at = await planAtHand(files, spec.plan, { ...atOf(spec), flags: {} });
      await stop.watch();
      const end = await minimise({
        runs: new NodeTrialRuns(files, store, at, stop),
        set,
        trial,
        request,
        failure,
        repeat,
        need,
        calls,
        costUsd,
        random: Math.random,
        signal: stop.signal,
        onShorter: (found) => {
          if (flags.quiet !== true) reportError(`${shorterText(found)}; ${spentText(found)}\n`);
        },
      });
      return printEnd(end, store, { trial, failure, name, step, need, repeat, isJson: flags.json === true });
    });
  } finally {
    stop.close();
  }
}

// ── what fails ────────────────────────────────────────────────────────────────────────────────────────────────────────

interface FailingStep {
  readonly set: NonNullable<ReturnType<EvalStore["set"]>>;
  readonly trial: PlannedTrial;
  /** `SET:TASK/VARIANT/SAMPLE.EPOCH` */
  readonly name: string;
  readonly step: number;
  readonly request: ModelRequest;
  readonly failure: Failure;
}

function failingStep(files: Store, store: EvalStore, address: string, flags: MinimiseFlags): FailingStep {
  const { set, task, trial: stored } = trialNamed(store, address);
  const { at, scorer } = flags;
  const trial = plannedTrials(store, set.row).find(({ row }) => row.id === stored.row.id) as PlannedTrial;
  const name = `${set.name}:${trial.path}`;
  if ((JSON.parse(set.row.spec) as SetSpec).plan === "")
    throw new UsageError(`${set.name} was imported without journals: there is no request to shorten`);
  const run = stored.row.run === null ? undefined : files.runs.nameOf(stored.row.run);
  const calls = run === undefined ? [] : answeredCalls(files, run);
  if (calls.length === 0)
    throw new UsageError(
      `${name} has no model call that was answered: answers of llm_mock are the program's own and not recorded`,
    );
  if (scorer !== undefined) checkScorer(task, scorer, name);
  else if (at === undefined && forkArm(task, [stored]).rate === 1)
    throw new UsageError(
      `${name} succeeded; name the call with --at, or what is wrong with --scorer NAME`,
      "HARN-CLI-002",
    );
  const chosen = chosenCall(calls, name, flags);
  if (scorer === undefined && chosen.calls.length === 0)
    throw new UsageError(
      `step ${chosen.step} calls no tool: name what fails with --scorer NAME`,
      "HARN-CLI-002",
    );
  const failure: Failure =
    scorer === undefined
      ? { kind: "calls", calls: chosen.calls }
      : { kind: "scorer", scorer, calls: chosen.calls.length > 0 };
  return { set: set.row, trial, name, step: chosen.step, request: chosen.request, failure };
}

function checkScorer({ spec }: StoredTask, scorer: string, name: string): void {
  if (!spec.scorers.some((one) => one.name === scorer))
    throw new UsageError(
      `--scorer: ${spec.name} has no scorer ${showOneLine(scorer)}; it has ${spec.scorers.map((one) => one.name).join(", ") || "none"}`,
      "HARN-CLI-003",
    );
  if (spec.sandbox !== null)
    throw new UsageError(
      `--scorer: ${name} works in a sandbox, and its files are not kept step by step; without it the calls are compared`,
    );
}

function chosenCall(
  calls: readonly AnsweredCall[],
  name: string,
  { at, scorer }: MinimiseFlags,
): AnsweredCall {
  const found =
    at === undefined
      ? calls.findLast((call) => scorer !== undefined || call.calls.length > 0)
      : calls.find(({ step }) => String(step) === at);
  if (found !== undefined) return found;
  if (at === undefined)
    throw new UsageError(
      `no model call of ${name} calls a tool: name what fails with --scorer NAME`,
      "HARN-CLI-002",
    );
  const there = calls.map(({ step }) => step).join(", ");
  throw new UsageError(
    `--at: step ${showOneLine(at)} is no model call that was answered; those of ${name} are ${there}`,
    "HARN-CLI-003",
  );
}

// ── what is said ──────────────────────────────────────────────────────────────────────────────────────────────────────

interface About {
  readonly trial: PlannedTrial;
  readonly failure: Failure;
  readonly name: string;
  readonly step: number;
  readonly need: number;
  readonly repeat: number;
  readonly isJson: boolean;
}

function printEnd(end: MinimiseEnd, store: EvalStore, about: About): number {
  const { trial, failure, name, step, isJson } = about;
  const isFound = end.kind === "smallest" || end.kind === "calls";
  const row = regressionOf(store.digest, { trial, failure, request: end.request }, { trial: name, step });
  const isNew = writing(file, () => {
    if (!isFound || idsIn(file).has(row.id)) return false;
    appendLine(ownPath(file), JSON.stringify(row));
    return true;
  });
  if (isJson) {
    const { request: _, kind, before, after, calls, costUsd, ...more } = end;
    const written = isFound ? { id: row.id, file } : { id: null, file: null };
    reportAsJson({
      trial: name,
      step,
      end: kind,
      ...more,
      before,
      after,
      calls,
      cost_usd: costUsd,
      ...written,
    });
  } else {
    print(`${showOneLine(`${name} step ${step}: ${failureText(failure)}`)}\n`);
    print(`  ${shorterText(end)}; ${spentText(end)}\n`);
    const said = minimiseEndText(end, about);
    if (said !== "") print(`  ${showOneLine(said)}\n`);
    if (isFound) print(`  ${row.id} ${isNew ? "appended to" : "is there already in"} ${file}\n`);
  }
  if (isFound) return exitCode.ok;
  if (end.kind === "stopped") return end.exitCode;
  return end.kind === "gone" ? exitCode.failed : exitCode.incomplete;
}

const failureText = (failure: Failure): string =>
  failure.kind === "scorer"
    ? `${failure.scorer} does not pass`
    : `calls ${failure.calls.map((call) => JSON.stringify(call)).join(", ")}`;

const shorterText = ({ before, after }: MinimalRequest): string =>
  [
    `${after.messages} of ${countedText(before.messages, "message")}`,
    `${after.tools} of ${countedText(before.tools, "tool")}`,
    `${after.paragraphs} of ${countedText(before.paragraphs, "paragraph")} of the system text`,
  ].join(", ");

const spentText = ({ calls, costUsd }: MinimalRequest): string =>
  `${countedText(calls, "call")}, ${dollarText(costUsd)}`;

function minimiseEndText(end: MinimiseEnd, { need, repeat }: About): string {
  switch (end.kind) {
    case "smallest":
      return "";
    case "calls":
      return "perhaps not the smallest: all --calls are made; the same command with more goes on";
    case "cost":
      return "not finished: the next call might pass --cost; the same command with more goes on";
    case "gone":
      return `the whole request failed in ${end.failed} of ${end.tries} tries; ${need} of ${repeat} are needed`;
    case "stopped":
      return "stopped; the same command goes on";
    case "broken":
      return `not finished: ${end.why}; the same command goes on`;
  }
}

function idsIn(path: string): Set<unknown> {
  if (!existsSync(ownPath(path))) return new Set();
  const rows = readFileSync(ownPath(path), "utf8").split("\n").map(jsonOrText);
  return new Set(rows.map((row) => (typeof row === "object" && row !== null && "id" in row ? row.id : null)));
}
