/**
 * Who owns a run, a message or a lease: a process, told apart from a later one with the same number by the moment of its
 * start. Whether it is still there can be asked on its own machine only; elsewhere a lease's time decides. Two containers
 * may have one host name and the same process numbers: a machine is a host name together with its boot and the namespaces
 * in which processes and files are counted (cluster.md §5.4). Everybody who asks whether an owner is alive asks here.
 */
import { hasDescriptors } from "../process/index.ts";
import { crc32 } from "./crc.ts";
import { machineFacts, type OwnerFacts } from "./process-facts.ts";

/**
 * `host+mark/pid/start`, of a run's perhaps with a mark behind it; one of an older version, `host/pid/start`, counts as that of another
 * machine.
 */
export type Owner = string;

/** What is known about an owner: elsewhere, or on systems without `/proc`, nothing but that it has ended. */
export type OwnerState = "works" | "stopped" | "gone" | "unknown";

export class Owners {
  private readonly facts: OwnerFacts;
  private machine: string | undefined;
  private own: Owner | undefined;

  constructor(facts: OwnerFacts = machineFacts) {
    this.facts = facts;
  }

  /** This process. */
  thisProcess(): Owner {
    const { facts } = this;
    this.own ??= `${this.thisMachine()}/${facts.pid}/${facts.status(facts.pid)?.start ?? facts.startedAt}`;
    return this.own;
  }

  stateOf(owner: Owner): OwnerState {
    const { machine, pid, start } = parsed(owner);
    if (machine !== this.thisMachine() || !Number.isSafeInteger(pid) || pid <= 0) return "unknown";
    const status = this.facts.status(pid);
    if (status === undefined) return this.facts.exists(pid) ? "unknown" : "gone";
    if (status.start !== start || status.state === "Z" || status.state === "X") return "gone";
    return status.state === "T" || status.state === "t" ? "stopped" : "works";
  }

  /**
   * Whether something owned until `until` may be taken from its owner. One that has ended loses it at once; one that works
   * on this machine keeps it, however late its renewal is or the clock jumped; one that is stopped, or lives elsewhere,
   * keeps it until the time is over.
   */
  mayTake(owner: Owner | null, until: number, now: number): boolean {
    if (owner === null) return true;
    const state = this.stateOf(owner);
    if (state === "gone") return true;
    return state !== "works" && now >= until;
  }

  /** The number of a process of this machine that has not ended; `undefined` for any other. */
  processOf(owner: Owner): number | undefined {
    const { machine, pid } = parsed(owner);
    return machine === this.thisMachine() && this.stateOf(owner) !== "gone" ? pid : undefined;
  }

  /** `process 4711`, with its machine where that is another one. */
  describe(owner: Owner): string {
    const { machine, pid } = parsed(owner);
    return machine === this.thisMachine()
      ? `process ${pid}`
      : `process ${pid} on ${machine.replace(/\+[0-9a-f]{8}$/, "")}`;
  }

  private thisMachine(): string {
    this.machine ??= `${this.facts.hostName}${this.mark()}`;
    return this.machine;
  }

  /** Empty where the system does not say all of it. */
  private mark(): string {
    const parts = [this.facts.bootId(), this.facts.namespace("pid"), this.facts.namespace("mnt")];
    if (parts.includes(undefined)) return "";
    return `+${crc32(parts.join(" ")).toString(16).padStart(8, "0")}`;
  }
}

function parsed(owner: Owner): { readonly machine: string; readonly pid: number; readonly start: string } {
  const [machine = "", pid = "", start = ""] = owner.split("/");
  return { machine, pid: Number(pid), start };
}

const here = new Owners();

export const thisProcess = (): Owner => here.thisProcess();

const programMark = "/program";

/** Who owns a run that begins here: this process, marked where it is a program that does more than this run. */
export const runOwner = (): Owner => `${thisProcess()}${hasDescriptors() ? "" : programMark}`;

/** Whether it does more than a run: it is asked to stop the run (`run/stop-requests.ts`), and never signalled. */
export const isProgram = (owner: Owner): boolean => owner.endsWith(programMark);

export const mayTake = (owner: Owner | null, until: number, now: number): boolean =>
  here.mayTake(owner, until, now);
export const processOf = (owner: Owner): number | undefined => here.processOf(owner);
export const describeOwner = (owner: Owner): string => here.describe(owner);

/** Whether a process of this machine stands still because somebody stopped it; false where the system does not say. */
export const isFrozen = (pid: number): boolean => ["T", "t"].includes(machineFacts.status(pid)?.state ?? "");

/** Signals a process, which may have ended in this moment. */
export function signalProcess(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
