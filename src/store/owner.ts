/**
 * Who owns a run, an item or a lease: a process, told apart from a later one with the same number by the moment of its
 * start. Whether it is still there can be asked on its own machine only; elsewhere a lease's time decides. Two containers
 * may have one host name and the same process numbers: a machine is a host name together with its boot and the namespaces
 * in which processes and files are counted.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { crc32 } from "./crc.ts";

/** `host+mark/pid/start`; one of an older version, `host/pid/start`, counts as that of another machine. */
export type Owner = string;

let machine: string | undefined;

function thisMachine(): string {
  machine ??= `${hostname()}${machineMark()}`;
  return machine;
}

/** Empty where the system does not say. */
function machineMark(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    const spaces = ["pid", "mnt"].map((name) => readlinkSync(`/proc/self/ns/${name}`));
    return `+${crc32([boot, ...spaces].join(" "))
      .toString(16)
      .padStart(8, "0")}`;
  } catch {
    return "";
  }
}

let own: Owner | undefined;

/** This process. */
export function thisProcess(): Owner {
  own ??= `${thisMachine()}/${process.pid}/${startOf(process.pid) ?? Math.round(Date.now() - process.uptime() * 1000)}`;
  return own;
}

/** The moment of a process's start in the system's own ticks; `undefined` where that can't be read. */
function startOf(pid: number): string | undefined {
  return statusOf(pid)?.start;
}

function statusOf(pid: number): { readonly start: string; readonly state: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The program's name may hold blanks and brackets: fields are counted behind its last bracket.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", start: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}

/** What is known about an owner: elsewhere, or on systems without `/proc`, nothing but that it has ended. */
function stateOf(owner: Owner): "works" | "stopped" | "gone" | "unknown" {
  const [host, pidText, start] = owner.split("/");
  if (host !== thisMachine()) return "unknown";
  const pid = Number(pidText);
  const status = statusOf(pid);
  if (status === undefined) return isRunning(pid) ? "unknown" : "gone";
  if (status.start !== start || status.state === "Z" || status.state === "X") return "gone";
  return status.state === "T" || status.state === "t" ? "stopped" : "works";
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/**
 * Whether something owned until `until` may be taken from its owner. One that has ended loses it at once; one that works on
 * this machine keeps it, however late its renewal is or the clock jumped; one that is stopped, or lives elsewhere, keeps
 * it until the time is over.
 */
export function mayTake(owner: Owner | null, until: number, now: number): boolean {
  if (owner === null) return true;
  const state = stateOf(owner);
  if (state === "gone") return true;
  return state !== "works" && now >= until;
}

/** The number of a process of this machine that has not ended; `undefined` for any other. */
export function processOf(owner: Owner): number | undefined {
  const [host, pid] = owner.split("/");
  return host === thisMachine() && stateOf(owner) !== "gone" ? Number(pid) : undefined;
}

/** `process 4711`, with its machine where that is another one. */
export function describeOwner(owner: Owner): string {
  const [host = "", pid] = owner.split("/");
  return host === thisMachine()
    ? `process ${pid}`
    : `process ${pid} on ${host.replace(/\+[0-9a-f]{8}$/, "")}`;
}
