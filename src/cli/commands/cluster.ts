/** Commands of projects whose work is done on many machines. */
import { clusterCheckFlags, workerFlags } from "../flags/cluster.ts";
import { type Command, command } from "./command.ts";

export const clusters: readonly Command[] = [
  command({
    name: "worker",
    summary:
      "Does runs and trials that others hand over with `--workers`, until it is stopped: the first signal lets those at work end.",
    flags: workerFlags,
    readme: [
      [
        "`harn worker`",
        "does runs and trials that others hand over with `--workers`, each in a process of its own; `docs/cluster.md`",
      ],
    ],
    examples: ["harn worker --jobs 8 --deny process"],
    run: async (_args, flags) => (await import("../cluster/worker-command.ts")).workerCommand(flags),
  }),
  command({
    name: "cluster",
    summary: "The engine and the database that `[cluster]` in harn.toml names.",
    readme: [
      [
        "`harn cluster check`",
        "whether engine and database of workers can be used from here; `docs/cluster.md`",
      ],
    ],
  }),
  command({
    name: "cluster check",
    summary: "Whether this machine can use them: versions, rights, who takes jobs, which jobs were lost.",
    flags: clusterCheckFlags,
    examples: ["harn cluster check", "harn cluster check --requeue"],
    run: async (_args, flags) => (await import("../cluster/check-command.ts")).checkClusterCommand(flags),
  }),
];
