/**
 * One turn of a background daemon: a recorded run in a child of the pool. A run that was begun for the same message before
 * goes on; one that has ended is not done again.
 */

import type { DaemonRecord } from "../../durable/index.ts";
import { exitCode } from "../../host/command/index.ts";
import type { ChildEnd, PoolJob } from "../../host/index.ts";
import type { RunFlags } from "../../run/setup/index.ts";
import type { CommandTask } from "../../server/local/pool/index.ts";
import { type ChildOptions, type ChildOutput, jobEndText } from "../../server/service/index.ts";
import type { RunState, Store } from "../../store/index.ts";
import { dropReport, type TurnOrder } from "./turn-program.ts";

export type TurnEnd =
  | { readonly kind: "done" }
  /** Asked to; the run goes on later. */
  | { readonly kind: "stopped" }
  /** For a person. */
  | { readonly kind: "waiting"; readonly reason: string }
  /** Another process still works on the run. */
  | { readonly kind: "busy" }
  /** The child died or was killed: worth another try. */
  | { readonly kind: "died"; readonly reason: string }
  /** The program failed: it would fail again. */
  | { readonly kind: "failed"; readonly reason: string };

export interface DaemonTurn {
  readonly store: Store;
  readonly child: (job: PoolJob, options: ChildOptions) => Promise<readonly [ChildEnd, ChildOutput]>;
  readonly record: DaemonRecord;
  readonly program: string;
  readonly order: TurnOrder;
  readonly run: string;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

export async function runTurn(turn: DaemonTurn): Promise<TurnEnd> {
  const state = turn.store.runs.find(turn.run)?.state;
  if (state === "done") return { kind: "done" };
  if (state === "running") return { kind: "busy" };
  if (state === "waiting" && stillAsked(turn)) return waitingTurn(turn);
  if (state === undefined) dropReport(turn.order.folder);
  const { record, child, signal, log } = turn;
  const job = { cwd: record.cwd, task: taskFor(turn, state) };
  const onLine = (line: string): void => void (line !== "" && log(`| ${line}`));
  const [end, output] = await child(job, { signal, onLine });
  return endOf(turn, end, output.last(2000));
}

const stillAsked = ({ store, run }: DaemonTurn): boolean =>
  store.runs.openQuestions().some((question) => question.run === run);

const waitingTurn = ({ run }: DaemonTurn): TurnEnd => ({
  kind: "waiting",
  reason: `for a person: \`harn hitl list\`, \`harn hitl answer ${run} ANSWER\``,
});

function taskFor({ record, program, order, run }: DaemonTurn, state: RunState | undefined): CommandTask {
  const flags = { quiet: true };
  if (state !== undefined) return { kind: "resume", run, flags };
  const args = [JSON.stringify(order), ...record.args];
  return {
    kind: "run",
    file: program,
    args,
    flags: { ...(record.flags as RunFlags), quiet: true, runName: run },
  };
}

function endOf(turn: DaemonTurn, end: ChildEnd, words: string): TurnEnd {
  const lines = words === "" ? "" : `\n${words}`;
  switch (end.kind) {
    case "ended":
      if (end.exitCode === exitCode.ok) return { kind: "done" };
      if (end.exitCode === exitCode.parked) return waitingTurn(turn);
      return { kind: "failed", reason: `the run ${turn.run} failed (exit code ${end.exitCode})${lines}` };
    case "died":
      return {
        kind: "died",
        reason: `its process ended under it (${jobEndText(end)})${lines}`,
      };
    case "killed":
      if (end.because === "asked") return { kind: "stopped" };
      return { kind: "died", reason: `${jobEndText(end)} and was ended` };
  }
}
