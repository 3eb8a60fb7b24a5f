/** `harn eval status`: how far a set is, from the store alone, so also of one that another process runs. */

import { setTimeout as wait } from "node:timers/promises";
import {
  type ChunkNote,
  chunksElsewhere,
  evalStoreOf,
  inEvalStore,
  setRow,
  trialsAway,
} from "../../eval/local/index.ts";
import { countedText, dollarText, type SetProgressRead, setProgress } from "../../eval/report/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import { exitCode, inStore, print, reportAsJson } from "../../host/command/index.ts";
import { describeOwner } from "../../store/index.ts";
import type { statusFlags } from "../flags/eval.ts";

export type StatusFlags = FlagsOf<typeof statusFlags>;

const watchMs = 1000;

export async function statusCommand(name: string, flags: StatusFlags): Promise<number> {
  let before = "";
  for (;;) {
    const { name: found } = inEvalStore((store) => setRow(store, name));
    const owner = ownerOf(found);
    const said = inStore((files) => {
      const store = evalStoreOf(files);
      const row = setRow(store, found);
      const set = setProgress(store, row);
      const chunks = chunksElsewhere(files, row.id);
      return flags.json === true
        ? JSON.stringify(statusJson(set, owner, chunks))
        : `${statusText(set, owner)}${onWorkersText(chunks)}`;
    });
    if (said !== before) {
      if (flags.json === true) reportAsJson(JSON.parse(said));
      else print(said);
      before = said;
    }
    if (flags.watch !== true || owner === null) return exitCode.ok;
    await wait(watchMs);
  }
}

/** Who runs it; null: nobody. */
export const ownerOf = (set: string): string | null =>
  inStore((store) => {
    const owner = store.leases.leaseOwner(`eval:${set}`);
    return owner === undefined ? null : describeOwner(owner.owner);
  });

function statusText(set: SetProgressRead, owner: string | null): string {
  const why = set.why === null ? "" : `: ${set.why}`;
  const by =
    owner === null
      ? set.state === "running"
        ? ", but nobody runs it: harn eval resume"
        : ""
      : `, run by process ${owner}`;
  const limit = set.costLimit === null ? "" : ` of ${dollarText(set.costLimit)}`;
  const tasks = set.tasks.map((task) => {
    const parts = Object.entries(task.states)
      .filter(([, count]) => count > 0)
      .map(([state, count]) => `${count} ${state}`);
    return `  ${task.name}  ${countedText(task.trials, "trial")}: ${parts.join(", ")}\n`;
  });
  return `${set.name}  ${set.state}${why}${by}  ${dollarText(set.costUsd)}${limit}\n${tasks.join("")}`;
}

const onWorkersText = (chunks: readonly ChunkNote[]): string =>
  chunks.length === 0
    ? ""
    : `  ${countedText(trialsAway(chunks), "trial")} on workers, in ${countedText(chunks.length, "chunk")}\n`;

const statusJson = (set: SetProgressRead, owner: string | null, chunks: readonly ChunkNote[]): object => ({
  set: set.name,
  state: set.state,
  why: set.why,
  owner,
  on_workers: trialsAway(chunks),
  cost_usd: set.costUsd,
  cost_limit: set.costLimit,
  tasks: Object.fromEntries(set.tasks.map(({ name, states }) => [name, states])),
});
