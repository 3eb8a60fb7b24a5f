/** `harn torture`: a script is run again and again with a fault at each of its effects, and must come through all of them. */

import { resolve } from "node:path";
import { builtinTable } from "../../builtins/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import { exitCode, print, reportAsJson, UsageError } from "../../host/command/index.ts";
import { createNodeHost, hermeticHost } from "../../host/index.ts";
import { ownPath } from "../../process/index.ts";
import { canonicalPath, checked, NodeModuleLoader, readProgram } from "../../program/index.ts";
import {
  describeFault,
  differences,
  type ExperimentRun,
  experiment,
  faultsFor,
  type KilledRun,
  killNine,
  phaseKills,
  type Subject,
  spreadKills,
  type TortureFault,
} from "../../tools/torture/index.ts";
import type { tortureFlags } from "../flags/running.ts";

export type TortureFlags = FlagsOf<typeof tortureFlags>;

interface TortureFinding {
  readonly step: number;
  readonly effect: string;
  readonly fault: string;
  readonly differences: readonly string[];
}

export async function tortureCommand(
  file: string,
  args: readonly string[],
  flags: TortureFlags,
): Promise<number> {
  const max = flags.effects ?? 100;
  const times = flags.kills ?? 0;
  const subject = await subjectOf(file, args, flags);
  if (subject === undefined) return exitCode.failed;
  const reference = await experiment(subject, undefined);
  if (reference.internal !== undefined)
    throw new UsageError(`${file} does not run: ${reference.internal}`, "HARN-CLI-008");
  const { findings, experiments } = await allFaults(subject, reference, max);
  const kills = [...(flags.phases === true ? phaseKills(reference.phases) : []), ...spreadKills(times)];
  if (flags.phases === true && reference.phases.size === 0)
    print("--phases: no agent works in this script, so there is no phase to be killed in\n");
  const killed =
    kills.length === 0
      ? []
      : await killNine({
          path: subject.path,
          args,
          flags: recordingFlags(flags),
          kills,
          exitCode: reference.exitCode,
        });
  report(flags.json === true, { effects: reference.classes.length, experiments, findings, killed });
  const fine = findings.length === 0 && killed.every((one) => one.differences.length === 0);
  return fine ? exitCode.ok : exitCode.failed;
}

async function subjectOf(
  file: string,
  args: readonly string[],
  flags: TortureFlags,
): Promise<Subject | undefined> {
  const text = readProgram(file, undefined);
  const path = canonicalPath(text);
  const program = await checked(text.source, path, new NodeModuleLoader());
  if (program === undefined) return undefined;
  const { files, cwd, env } = createNodeHost();
  const machine = (): ReturnType<typeof hermeticHost> =>
    hermeticHost({ cwd, base: { files, root: cwd }, env });
  return { program, path, args, flags, builtins: builtinTable(), machine };
}

/** Every fault at every effect; each effect is first met where the run without a fault meets it. */
async function allFaults(
  subject: Subject,
  reference: ExperimentRun,
  max: number,
): Promise<{ findings: TortureFinding[]; experiments: number }> {
  const findings: TortureFinding[] = [];
  let experiments = 0;
  for (const [at, effect] of reference.classes.slice(0, max).entries()) {
    for (const fault of faultsFor(effect)) {
      experiments++;
      const found = await oneFault(subject, reference, at + 1, fault);
      if (found.length > 0) {
        findings.push({ step: at + 1, effect, fault: describeFault(fault), differences: found });
      }
    }
  }
  return { findings, experiments };
}

async function oneFault(
  subject: Subject,
  reference: ExperimentRun,
  step: number,
  fault: TortureFault,
): Promise<string[]> {
  return differences(reference, await experiment(subject, { step, fault }), fault);
}

interface Report {
  readonly effects: number;
  readonly experiments: number;
  readonly findings: readonly TortureFinding[];
  readonly killed: readonly KilledRun[];
}

function report(json: boolean, result: Report): void {
  if (json) {
    reportAsJson(result);
    return;
  }
  for (const { step, effect, fault, differences: found } of result.findings) {
    print(`effect ${step} (${effect}), ${fault}:\n${found.map((one) => `  ${one}\n`).join("")}`);
  }
  for (const { when, differences: found } of result.killed) {
    if (found.length > 0) print(`kill -9 ${when}:\n${found.map((one) => `  ${one}\n`).join("")}`);
  }
  const bad = result.findings.length + result.killed.filter((one) => one.differences.length > 0).length;
  const real = result.killed.length === 0 ? "" : ` and ${result.killed.length} real kills`;
  print(
    `${result.effects} effects, ${result.experiments} faults${real}: ${bad === 0 ? "no differences" : `${bad} with differences`}\n`,
  );
}

/** The flags as the command line of a real run wants them, which works in another folder. */
function recordingFlags(flags: TortureFlags): string[] {
  const file = (path: string | undefined): string | undefined =>
    path === undefined ? undefined : resolve(ownPath(path));
  const named = {
    tape: file(flags.tape),
    "llm-mock": file(flags.llmMock),
    model: flags.model,
    provider: flags.provider,
  };
  return Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
}
