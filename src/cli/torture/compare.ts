/** Where a run with a fault differs from the run without one. */
import type { Course } from "./experiment.ts";
import type { Fault } from "./faults.ts";

/** Nothing, when all is as it should be. */
export function differences(reference: Course, course: Course, fault: Fault): string[] {
  const found: string[] = [];
  if (course.internal !== undefined) found.push(`it broke: ${course.internal}`);
  found.push(...course.transcriptFaults.map((one) => `transcript: ${one}`));
  for (const [place, times] of course.changes) {
    const usual = reference.changes.get(place) ?? 1;
    if (times > usual) found.push(`side effects: ${place} happened ${times} times, not ${usual}`);
  }
  // A model that answers otherwise takes the program elsewhere: only what holds on every course is asked then.
  return fault.kind === "model" ? found : [...found, ...otherCourse(reference, course)];
}

function otherCourse(reference: Course, course: Course): string[] {
  const found: string[] = [];
  if (course.stdout !== reference.stdout) {
    found.push(`output: ${firstStateDifference(reference.stdout, course.stdout)}`);
  }
  if (course.exitCode !== reference.exitCode) {
    found.push(`exit code: ${course.exitCode}, not ${reference.exitCode}`);
  }
  if (Math.abs(course.costUsd - reference.costUsd) > 1e-9) {
    found.push(`budget: $${course.costUsd} spent, not $${reference.costUsd}`);
  }
  for (const effect of reference.effects) {
    if (!course.effects.includes(effect)) found.push(`effects: ${effect} is missing`);
  }
  for (const [path, hash] of reference.files) {
    if (course.files.get(path) !== hash) found.push(`files: ${path} has another content`);
  }
  for (const path of course.files.keys()) {
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
