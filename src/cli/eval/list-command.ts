/** `harn eval list`: the sets of this project, newest first. */
import type { EvalSetRow } from "../../durable/index.ts";
import { inEvalStore } from "../../eval/local/index.ts";
import { columnLines, countedText } from "../../eval/report/index.ts";
import { exitCode, ownStateFolder, print, reportAsJson } from "../../host/command/index.ts";

export interface EvalListFlags {
  readonly json?: boolean;
}

interface SetListRow {
  readonly row: EvalSetRow;
  readonly tasks: readonly string[];
  readonly trials: number;
  readonly done: number;
}

export function listSetsCommand(flags: EvalListFlags): number {
  const sets = inEvalStore((store) =>
    store.sets().map(
      (row): SetListRow => ({
        row,
        tasks: store.tasks(row.id).map(({ name }) => name),
        trials: store.trialCount(row.id),
        done: store.trialCount(row.id, "done"),
      }),
    ),
  );
  if (flags.json === true) for (const one of sets) reportAsJson(listedJson(one));
  else if (sets.length === 0) print(`no sets in ${ownStateFolder()}\n`);
  else
    print(
      columnLines(sets.map(listedCells), [2])
        .map((line) => `${line}\n`)
        .join(""),
    );
  return exitCode.ok;
}

const listedCells = ({ row, tasks, trials, done }: SetListRow): string[] => [
  row.name,
  new Date(row.began).toISOString().slice(0, 19).replace("T", " "),
  row.why === null ? row.state : `${row.state}: ${row.why}`,
  done === trials ? countedText(trials, "trial") : `${done} of ${countedText(trials, "trial")}`,
  tasks.join(", "),
];

const listedJson = ({ row, tasks, trials, done }: SetListRow): object => ({
  set: row.name,
  state: row.state,
  why: row.why,
  tasks,
  trials,
  done,
  began: new Date(row.began).toISOString(),
  ended: row.ended === null ? null : new Date(row.ended).toISOString(),
  receipt: row.receipt,
});
