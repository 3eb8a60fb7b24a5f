/** The streams of a trial's roles: the epoch, unless the trial is crossed or its user was given another one. */
import type { EvalTrialRow } from "../../durable/index.ts";
import type { Fault, TrialRole } from "../plan/index.ts";
import { redoneIn, userStream } from "../users/index.ts";

export function streamsOf(
  row: Pick<EvalTrialRow, "streams" | "epoch" | "faults">,
): (role: TrialRole) => number {
  const crossed = JSON.parse(row.streams) as Partial<Record<TrialRole, number>>;
  const redone = redoneIn(storedFaults(row)).length;
  return (role) => {
    const stream = crossed[role] ?? row.epoch;
    return role === "user" ? userStream(stream, redone) : stream;
  };
}

/** Streams of a crossed trial, as its row keeps them. */
export interface CellStreams {
  readonly agent: number;
  readonly user: number;
  /** Number of the re-run. */
  readonly environment: number;
  /** Of its first judgement. */
  readonly judge: number;
}

export const cellOf = ({ streams }: Pick<EvalTrialRow, "streams">): CellStreams =>
  JSON.parse(streams) as CellStreams;

/** Streams that no trial of a set has: judgements of one cell never have those of another, so that they are independent. */
export const freeStream = (
  { agent, user, environment }: Omit<CellStreams, "judge">,
  judgement: number,
): number => ((environment * 64 + agent) * 64 + user) * 64 + judgement;

/** The first judgement has the stream that the row names: of a trial of the set the one that was judged on. */
export const judgeStreamOf =
  (row: Pick<EvalTrialRow, "streams">) =>
  (judgement: number): number => {
    const cell = cellOf(row);
    return judgement === 1 ? cell.judge : freeStream(cell, judgement);
  };

export const storedFaults = ({ faults }: Pick<EvalTrialRow, "faults">): Fault[] =>
  faults === null ? [] : (JSON.parse(faults) as Fault[]);
