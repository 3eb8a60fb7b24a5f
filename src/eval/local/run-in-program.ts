/** A set that a program asks for with `eval_run`: the program's own run is its plan. */

import { EmbeddedOperations, type EvalSetRow } from "../../durable/index.ts";
import type { StopRequest } from "../../effects/index.ts";
import { ownStateFolder, UsageError } from "../../host/command/index.ts";
import { nodeDigest } from "../../host/index.ts";
import type { ExecutableProgram } from "../../lower/index.ts";
import type { RunFlags } from "../../run/setup/index.ts";
import { openStore } from "../../store/index.ts";
import { type Dict, fromJson, runtimeError } from "../../values/index.ts";
import {
  EvalStore,
  reportOf,
  runSetAndBlame,
  type SetOptions,
  setAsJson,
  storedSetOf,
} from "../engine/index.ts";
import type { EvalRunOptions, ProgramSet } from "../index.ts";
import { planAtHand, programDigest, sourcesOf } from "./plan-at-hand.ts";
import { asOwner, plannedSet } from "./planned-set.ts";
import { checkSandboxSources } from "./sandboxes.ts";
import { hasBaselineGate, planWarnings } from "./set-reports.ts";
import { NodeTrialRuns } from "./trial-runs.ts";

/** The run that asks. */
export interface AskingRun {
  readonly program: ExecutableProgram;
  readonly flags: RunFlags;
  /** Its name in the store; undefined when it is not recorded there. */
  readonly name: () => string | undefined;
}

const cancelled: StopRequest = { reason: "cancel", exitCode: 130 };

export async function runInProgram(asking: AskingRun, asked: ProgramSet): Promise<Dict> {
  const run = asking.name();
  if (run === undefined)
    throw runtimeError(
      "eval_run: trials go through the journal of this run, and it is not recorded in the store",
    );
  checkSandboxSources(asked.tasks);
  const { baseline, redo, stale } = asked.options;
  const flags = baseline === null ? {} : { baseline };
  if (baseline !== null && !hasBaselineGate(asked.tasks, flags))
    asked.onWarning(
      `\`baseline\` decides nothing: no gate compares with ${baseline}; a task's \`gates\` do: "success not_below baseline by 0.05"`,
    );
  for (const text of planWarnings(asked.tasks, flags, sourcesOf(asking.program))) asked.onWarning(text);
  const files = openStore(ownStateFolder());
  const store = new EvalStore(new EmbeddedOperations(files), nodeDigest);
  const stop = new AbortController();
  asked.signal.addEventListener("abort", () => stop.abort(cancelled), { once: true });
  try {
    return await asOwner(files, asked.name, async () => {
      const plan = {
        run,
        program: asking.program,
        tasks: asked.tasks,
        ...programDigest(asking.program),
        exitCode: 0,
        at: asked.at,
      };
      const set = plannedSet(files, store, asked.name, plan, {
        params: {},
        flags: asking.flags,
        options: optionsOf(asked.options),
        stale,
        redo,
        judged: flags,
      });
      const at = await planAtHand(files, run, {
        at: asked.at,
        params: {},
        onDoubt: set.spec.options.onDoubt,
        processes: set.spec.options.processes,
        flags: asking.flags,
        program: asking.program,
      });
      const end = await runSetAndBlame({
        runs: new NodeTrialRuns(files, store, at),
        set: set.row,
        follow: set.follow,
        random: Math.random,
        signal: stop.signal,
        onWarning: asked.onWarning,
      });
      return reportDict(store, end.set, baseline);
    });
  } catch (error) {
    // Wrong use is the program's to catch.
    if (error instanceof UsageError) throw runtimeError(`eval_run: ${error.message}`);
    throw error;
  } finally {
    files.close();
  }
}

function reportDict(store: EvalStore, set: EvalSetRow, baseline: string | null): Dict {
  const report = reportOf(storedSetOf(store, set), {
    baseline: (name) => {
      const row = store.set(name);
      return row === undefined ? undefined : storedSetOf(store, row);
    },
    ...(baseline === null ? {} : { baselineName: baseline }),
  });
  return fromJson(setAsJson(report)) as Dict;
}

/** What is not said is as it was, or as usual. */
function optionsOf(read: EvalRunOptions): Partial<SetOptions> {
  const { trials, processes, tokens, retries, maxErrors, connections } = read;
  const plain = { trials, processes, tokens, retries, maxErrors, connections };
  const renamed = { costUsd: read.cost, timeMs: read.time, giveUpMs: read.giveUp };
  const withScores = read.score ? null : false;
  return Object.fromEntries(
    Object.entries({ ...plain, ...renamed, withScores }).filter(([, option]) => option !== null),
  );
}
