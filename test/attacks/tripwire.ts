/** A machine in memory that notes everything of it that is touched, so that a test can say: nothing was. */
import type { Files, Host, Sensors } from "../../src/host/index.ts";
import { createMemoryHost, type MemoryHostOptions } from "../support/memory-host.ts";

export interface Tripwire {
  readonly host: Host;
  /** `write /work/x`, `run ls`, `request https://a.test/` … */
  readonly touched: string[];
}

/** What resolving a path asks of files; judged or not, it changes nothing and hands nothing out. */
const resolving = new Set(["realPath", "guarded"]);

export function tripwire(
  files: Readonly<Record<string, string>> = {},
  more: Omit<MemoryHostOptions, "files"> = {},
): Tripwire {
  const touched: string[] = [];
  const inner = createMemoryHost({ ...more, files });
  const watch = <T extends object>(
    port: T,
    describe: (name: string, args: unknown[]) => string | undefined,
  ): T =>
    new Proxy(port, {
      get(target, name) {
        const value = Reflect.get(target, name, target) as unknown;
        if (
          typeof value === "object" &&
          value !== null &&
          ["sockets", "serving", "databases"].includes(String(name))
        )
          return watch(value, describe);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          const said = describe(String(name), args);
          if (said !== undefined) touched.push(said);
          return (value as (...all: unknown[]) => unknown).apply(target, args);
        };
      },
    });
  const ports: Readonly<Record<string, unknown>> = {
    files: watch<Files>(inner.files, (name, args) => {
      const [path, second] = args;
      const looks =
        name === "stat" && (second as { followLinks?: boolean } | undefined)?.followLinks === false;
      if (resolving.has(name) || looks) return undefined;
      return `${name} ${String(path)}${name === "copy" || name === "rename" ? ` ${String(second)}` : ""}`;
    }),
    processes: watch(inner.processes, (name, args) =>
      name === "killAll" ? undefined : `${name} ${String(args[0])}`,
    ),
    network: watch(inner.network, (name, args) => `${name} ${JSON.stringify(args[0])}`),
    mcp: watch(inner.mcp, (_name, args) => `mcp ${(args[0] as { transport: string }).transport}`),
    sensors: watch<Sensors>({ gpus: () => [], temperatures: () => [], processes: () => [] }, (name) =>
      name === "processes" ? "run ps" : undefined,
    ),
  };
  const host = new Proxy(inner, {
    get: (target, name) => {
      if (Object.hasOwn(ports, name)) return ports[name as string];
      if (name === "readLine" || name === "readRest")
        return () => {
          touched.push(`ask ${name}`);
          return target[name]();
        };
      return Reflect.get(target, name, target) as unknown;
    },
  });
  return { host, touched };
}
