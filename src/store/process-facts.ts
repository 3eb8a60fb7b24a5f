/** What this machine says about its processes: the one place that looks at `/proc` to judge who is still there. */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

export interface ProcessStatus {
  /** The moment of its start, in the system's own ticks since the machine's boot. */
  readonly start: string;
  /** One letter, as the system has it: `R`, `S`, `T` (stopped), `Z` (ended, and nobody has asked how) … */
  readonly state: string;
}

export interface OwnerFacts {
  readonly hostName: string;
  /** Of this process. */
  readonly pid: number;
  /** Changes with each start of the machine; `undefined` where the system does not say. */
  bootId(): string | undefined;
  /** Names the namespace in which this process counts processes (`pid`) or sees files (`mnt`). */
  namespace(kind: "pid" | "mnt"): string | undefined;
  /** Of a process in this namespace; `undefined` when there is none, or the system does not say. */
  status(pid: number): ProcessStatus | undefined;
  /** Whether there is a process of this number, by asking the system for it. */
  exists(pid: number): boolean;
  /** Milliseconds since the epoch; where the system has no ticks, a process is told apart by this. */
  readonly startedAt: number;
}

const attemptRead = <T>(look: () => T): T | undefined => {
  try {
    return look();
  } catch {
    return undefined;
  }
};

export const machineFacts: OwnerFacts = {
  get hostName() {
    return hostname();
  },
  pid: process.pid,
  bootId: () => attemptRead(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()),
  namespace: (kind) => attemptRead(() => readlinkSync(`/proc/self/ns/${kind}`)),
  status: (pid) =>
    attemptRead(() => {
      const text = readFileSync(`/proc/${pid}/stat`, "latin1");
      // The program's name may hold blanks and brackets: fields are counted after its last bracket.
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
      return { state: fields[0] ?? "", start: fields[19] ?? "" };
    }),
  exists: (pid) => {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== "ESRCH";
    }
  },
  get startedAt() {
    return Math.round(Date.now() - process.uptime() * 1000);
  },
};
