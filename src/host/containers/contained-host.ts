/**
 * The machine as a trial in a container sees it. Files and programs are the container's, whichever builtin asks for them; what
 * has no way there is refused. Networks and models are still this machine's: the script asks them, not what runs in the container.
 */
import { gateOf, guardHost, type Host, HostError } from "../index.ts";
import type { Container } from "./container.ts";
import { containerFiles } from "./container-files.ts";
import { containerProcesses } from "./container-processes.ts";

export interface ContainedHost {
  readonly host: Host;
  /** From now on it is the container's. Before, the program comes to its set as everybody does. */
  enter(): void;
}

/** `host` may have rules: they hold inside, too. */
export function containedHost(host: Host, container: Container): ContainedHost {
  const machine = host.own ?? host;
  let isInside = false;
  const inner = hostInside(machine, container);
  const parts = Object.entries(inner).map(([name, value]) => {
    const outer = machine[name as keyof Host];
    const get =
      isPort(value) && isPort(outer)
        ? () => switchedHost(outer, value, () => isInside)
        : () => (isInside ? value : outer);
    return [name, { get, enumerable: true }] as const;
  });
  // The same at all times: whoever puts rules before it may do so before it is entered.
  const fixed = { program: { value: machine }, watch: { value: undefined }, sensors: { value: undefined } };
  const contained = Object.create(machine, { ...Object.fromEntries(parts), ...fixed }) as Host;
  const gate = gateOf(host);
  const more = "capabilities" in host ? { capabilities: host.capabilities } : {};
  return {
    host: gate === undefined ? contained : guardHost(contained, gate, more),
    enter: () => {
      isInside = true;
    },
  };
}

/** What of the machine is another one inside. */
function hostInside(machine: Host, container: Container): Partial<Host> {
  return {
    files: containerFiles(container),
    processes: containerProcesses(container),
    mcp: {
      connect: async (target, wait, serves) => {
        if (target.transport !== "stdio") return machine.mcp.connect(target, wait, serves);
        throw new HostError(
          "ENOTSUP",
          "a trial in a container can't start a server over pipes: start it before the set, and connect to its URL",
        );
      },
    },
    libraries: {
      ...machine.libraries,
      sqlite: () => {
        throw new HostError("ENOTSUP", "a trial in a container has no databases and no store of its own");
      },
    },
    os: "linux",
    tempDir: "/tmp",
    homeDir: "/root",
  };
}

const isPort = (value: unknown): value is object => typeof value === "object" && value !== null;

/** A port that is one and then another, also for whoever took hold of it before. */
function switchedHost(outer: object, inner: object, isInside: () => boolean): object {
  return new Proxy(inner, {
    get: (_target, name) => {
      // Judges of links hold folders of this machine open: inside, paths are judged one by one.
      if (name === "guarded") return undefined;
      const from = isInside() ? inner : outer;
      const value = Reflect.get(from, name) as unknown;
      return typeof value === "function" ? value.bind(from) : value;
    },
    has: (_target, name) => name in (isInside() ? inner : outer),
  });
}
