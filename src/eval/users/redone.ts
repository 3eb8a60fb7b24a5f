/**
 * Trials that were made again because their simulated user failed (`on_user_fault: "redo"`). Each attempt that was given up is
 * kept among the faults of the trial: reports count it, because choosing what to repeat shifts results, and what goes on with
 * the trial knows from it which stream its user has.
 */
import type { Fault, OnUserFault } from "../plan/index.ts";

const kind = "redone";

/** Streams of users lie so far apart for each attempt that no epoch has them: there are at most 1,000. */
const streamsApart = 1000;

/** Attempts that were given up, by their notes among the faults. */
export const redoneIn = (faults: readonly Fault[]): Fault[] => faults.filter((fault) => fault.kind === kind);

/** The note of an attempt that is given up for a fault; undefined where the trial stays as it is. */
export function redoneFor(
  rule: OnUserFault,
  before: readonly Fault[],
  found: readonly Fault[],
): Fault | undefined {
  const fault = found.find(({ severity }) => severity !== "minor");
  if (rule.kind !== "redo" || fault === undefined || redoneIn(before).length >= rule.times) return undefined;
  return { kind, severity: "minor", turn: fault.turn, evidence: `${fault.kind}: ${fault.evidence}` };
}

/** The stream of the user in an epoch, after so many attempts that were given up. */
export const userStream = (epoch: number, redone: number): number => epoch + redone * streamsApart;
