/** The flags of workers, and of what is said of the cluster. */
import { bool, int, names, path } from "../../host/command/flags.ts";
import { limitFlags, workFlags } from "../../run/setup/index.ts";

export const workerFlags = {
  jobs: int("n", "jobs at once, each in a process of its own (processors less one)", { max: 256 }),
  queue: names("name", "take jobs of this queue, not of the one in harn.toml; may be given again"),
  ...workFlags,
  memory: limitFlags("a job").memory,
  signedBy: path("file", "take only runs that are signed with a key of this file (public keys, PEM)"),
  quiet: bool("do not print a line for each job", { short: "-q" }),
};

export const clusterCheckFlags = {
  requeue: bool("hand out again what the database knows as not over, and the engine does not know"),
};
