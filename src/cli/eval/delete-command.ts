/** `harn eval delete`: sets with their trials, scores and plans. */
import { EmbeddedOperations } from "../../durable/index.ts";
import { EvalStore, type SetSpec } from "../../eval/engine/index.ts";
import { evalMessage } from "../../eval/index.ts";
import { NodeSandboxes, removeLeftContainers, setRow } from "../../eval/local/index.ts";
import { exitCode, inStore, print, UsageError } from "../../host/command/index.ts";
import { createNodeHost, nodeDigest } from "../../host/index.ts";
import { describeOwner } from "../../store/index.ts";

export async function deleteSetsCommand(names: readonly string[]): Promise<number> {
  const deleted = inStore((files) => {
    const gone: string[] = [];
    const store = new EvalStore(new EmbeddedOperations(files), nodeDigest);
    for (const named of names) {
      const { id, name, spec } = setRow(store, named);
      const owner = files.leases.leaseOwner(`eval:${name}`);
      if (owner !== undefined)
        throw new UsageError(evalMessage("HARN-EVL-012", { name, owner: describeOwner(owner.owner) }));
      const runs = store.trials(id).flatMap((trial) => files.runs.ofTrial(trial.id));
      const { plan } = JSON.parse(spec) as SetSpec;
      const sandboxes = new NodeSandboxes(files, createNodeHost());
      files.transaction(() => {
        store.stored.remove({ table: "eval_set", where: { id } });
        for (const run of runs) sandboxes.removeFolder(run);
        for (const run of [...runs, plan]) if (files.runs.find(run) !== undefined) files.runs.delete(run);
      });
      print(`deleted ${name}\n`);
      gone.push(name);
    }
    return gone;
  });
  for (const name of deleted) await removeLeftContainers(name);
  return exitCode.ok;
}
