/** The streams of a trial's roles: the epoch, unless the trial is crossed or its user was given another one. */
import type { EvalTrialRow } from "../../durable/index.ts";
import type { Fault, Role } from "../plan/index.ts";
import { redoneIn, userStream } from "../users/index.ts";

export function streamsOf(row: Pick<EvalTrialRow, "streams" | "epoch" | "faults">): (role: Role) => number {
  const crossed = JSON.parse(row.streams) as Partial<Record<Role, number>>;
  const redone = redoneIn(storedFaults(row)).length;
  return (role) => {
    const stream = crossed[role] ?? row.epoch;
    return role === "user" ? userStream(stream, redone) : stream;
  };
}

export const storedFaults = ({ faults }: Pick<EvalTrialRow, "faults">): Fault[] =>
  faults === null ? [] : (JSON.parse(faults) as Fault[]);
