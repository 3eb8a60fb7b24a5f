/** Where a run with a fault differs from the run without one. */
import type { ExperimentRun } from "./experiment.ts";
import type { TortureFault } from "./faults.ts";

/** Nothing, when all is as it should be. */
export function differences(
  reference: ExperimentRun,
  execution: ExperimentRun,
  fault: TortureFault,
): string[] {
  const found: string[] = [];
  if (execution.internal !== undefined) found.push(`it broke: ${execution.internal}`);
  found.push(...execution.transcriptFaults.map((one) => `transcript: ${one}`));
  for (const [place, times] of execution.changes) {
    const usual = reference.changes.get(place) ?? 1;
    if (times > usual) found.push(`side effects: ${place} happened ${times} times, not ${usual}`);
  }
  // A model that answers otherwise takes the program elsewhere: only what holds on every course is asked then.
  return fault.kind === "model" ? found : [...found, ...otherExecution(reference, execution)];
}

function otherExecution(reference: ExperimentRun, execution: ExperimentRun): string[] {
  const found: string[] = [];
  if (execution.stdout !== reference.stdout) {
    found.push(`output: ${firstStateDifference(reference.stdout, execution.stdout)}`);
  }
  if (execution.exitCode !== reference.exitCode) {
    found.push(`exit code: ${execution.exitCode}, not ${reference.exitCode}`);
  }
  if (Math.abs(execution.costUsd - reference.costUsd) > 1e-9) {
    found.push(`budget: $${execution.costUsd} spent, not $${reference.costUsd}`);
  }
  for (const effect of reference.effects) {
    if (!execution.effects.includes(effect)) found.push(`effects: ${effect} is missing`);
  }
  for (const [path, hash] of reference.files) {
    if (execution.files.get(path) !== hash) found.push(`files: ${path} has another content`);
  }
  for (const path of execution.files.keys()) {
    if (!reference.files.has(path)) found.push(`files: ${path} was written`);
  }
  return found;
}

const around = 30;

function firstStateDifference(expected: string, found: string): string {
  let at = 0;
  while (at < expected.length && expected[at] === found[at]) at++;
  const part = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - around), at + around));
  return `${part(expected)} became ${part(found)}`;
}
