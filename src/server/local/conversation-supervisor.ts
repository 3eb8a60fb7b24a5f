/** The supervisor of `harn serve`: its children are processes of `harn`, started before there is work for them. */

import type { RunFlags } from "../../run/setup/index.ts";
import type { Store } from "../../store/index.ts";
import { type ServedAgent, StoreSupervisor } from "../supervise/index.ts";
import { commandPool } from "./pool/command-pool.ts";
import type { CommandTask } from "./pool/command-task.ts";

export interface ConversationSupervisorOptions {
  readonly store: Store;
  readonly agents: readonly ServedAgent[];
  /** Runs at once; 4. */
  readonly jobs?: number;
  /** Of each run: which models answer, what it may do. Paths are absolute. */
  readonly flags: RunFlags;
  /** Whom runs must not speak to, as rules of `HARN_EGRESS_DENY`: the server itself. Asked for each run. */
  readonly denied?: () => readonly string[];
  /** Of each run, in milliseconds; none. */
  readonly timeout?: number | undefined;
  /** Of each run, in megabytes; 1024. */
  readonly memory?: number | undefined;
  /** How long a run lives on with nothing but questions left, in milliseconds. */
  readonly patienceMs?: number;
  /** How long runs have to come to an end when the server drains, in milliseconds. */
  readonly drainMs?: number;
  readonly onLine?: (conversation: string, line: string) => void;
  readonly report: (text: string) => void;
  /** The launcher of `harn`, where this process was started with something else. */
  readonly launcher?: string;
}

const usualJobs = 4;
/** Tokens of the server are no business of what it runs. */
const withheld: readonly string[] = ["HARN_SERVE_TOKEN"];

export async function conversationSupervisor(
  options: ConversationSupervisorOptions,
): Promise<StoreSupervisor> {
  const { jobs = usualJobs, flags, timeout, memory, store, agents, report } = options;
  const pool = await commandPool({
    spares: 1,
    maxChildren: jobs,
    withheld,
    launcher: options.launcher,
    limits: {
      // A run that computes for long is stopped by people, or by `--timeout`.
      stuckMs: Number.POSITIVE_INFINITY,
      totalMs: timeout ?? Number.POSITIVE_INFINITY,
      ...(memory === undefined ? {} : { memoryMb: memory }),
    },
  });
  const { patienceMs, drainMs, onLine, denied } = options;
  return new StoreSupervisor({
    store,
    agents,
    jobs,
    pool,
    task: (job): CommandTask => ({
      kind: "conversation",
      job,
      flags: { ...flags, quiet: true },
      denied: denied?.() ?? [],
    }),
    report,
    ...(patienceMs === undefined ? {} : { patienceMs }),
    ...(drainMs === undefined ? {} : { drainMs }),
    ...(onLine === undefined ? {} : { onLine }),
  });
}
