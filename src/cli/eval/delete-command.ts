/** `harn eval delete`: sets with their trials, scores and plans. */
import { EmbeddedOperations } from "../../durable/index.ts";
import { EvalStore, type SetSpec } from "../../eval/engine/index.ts";
import { evalMessage } from "../../eval/index.ts";
import { nodeDigest } from "../../host/index.ts";
import { describeOwner } from "../../store/index.ts";
import { exitCode } from "../exit-codes.ts";
import { tell } from "../report.ts";
import { inStore } from "../state.ts";
import { UsageError } from "../usage-error.ts";
import { NodeSandboxes } from "./sets/sandboxes.ts";
import { setRow } from "./stored-sets.ts";

export function deleteSetsCommand(names: readonly string[]): number {
  inStore((files) => {
    const store = new EvalStore(new EmbeddedOperations(files), nodeDigest);
    for (const named of names) {
      const { id, name, spec } = setRow(store, named);
      const holder = files.leases.holder(`eval:${name}`);
      if (holder !== undefined)
        throw new UsageError(evalMessage("HARN-EVL-012", { name, owner: describeOwner(holder.owner) }));
      const runs = store.trials(id).flatMap((trial) => files.runs.ofTrial(trial.id));
      const { plan } = JSON.parse(spec) as SetSpec;
      files.transaction(() => {
        store.removeSet(id);
        for (const run of runs) new NodeSandboxes(files).remove(run);
        for (const run of [...runs, plan]) if (files.runs.find(run) !== undefined) files.runs.delete(run);
      });
      tell(`deleted ${name}\n`);
    }
  });
  return exitCode.ok;
}
