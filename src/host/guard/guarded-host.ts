/**
 * The machine as a run with rules sees it: every file, program and connection goes through here, whichever builtin asks
 * for it, so no builtin can forget a rule. Everything else is the machine's own.
 */
import type { McpClients } from "../mcp/mcp-port.ts";
import { overlaidHost } from "../overlaid-host.ts";
import type { Host, HttpHooks, HttpRequest, Network, Processes, Sensors } from "../ports.ts";
import type { AccessGate, AccessJudge } from "./access.ts";
import { checkedFiles } from "./checked-files.ts";

/** A machine that asks `gate` before it is touched. `more` is put beside its ports. */
export function guardHost(host: Host, gate: AccessGate, more: Readonly<Record<string, unknown>> = {}): Host {
  const { check } = gate;
  const guarded: Readonly<Record<string | symbol, unknown>> = {
    gate,
    own: host.own ?? host,
    files: host.files.guarded?.(check) ?? checkedFiles(host.files, check),
    processes: guardedProcesses(host, check),
    network: guardedNetwork(host.network, check),
    mcp: guardedServers(host, check),
    ...(host.program === undefined ? {} : { program: guardHost(host.program, gate, more) }),
    ...(host.sensors === undefined ? {} : { sensors: guardedSensors(host.sensors, host.cwd, check) }),
    ...more,
  };
  return overlaidHost(host, guarded);
}

/** The rules of a machine that has some. */
export const gateOf = (host: Host): AccessGate | undefined => (host as { readonly gate?: AccessGate }).gate;

function guardedProcesses({ processes, cwd }: Host, check: AccessJudge): Processes {
  return {
    run: async (program, args, options) => {
      check({ kind: "process", program, args, cwd: options?.cwd ?? cwd, stdin: options?.stdin });
      return processes.run(program, args, options);
    },
    open: async (program, args, options) => {
      check({ kind: "process", program, args, cwd: options?.cwd ?? cwd, stdin: options?.stdin });
      return processes.open(program, args, options);
    },
    killAll: () => processes.killAll(),
  };
}

function guardedNetwork(network: Network, check: AccessJudge): Network {
  const reach = (url: string): void => check({ kind: "network", url, listens: false });
  const resolved = (url: string, address: string): void =>
    check({ kind: "network", url, listens: false, address });
  const listen = ({ host, port }: { readonly host: string; readonly port: number }): void =>
    check({
      kind: "network",
      url: `tcp://${host.includes(":") ? `[${host}]` : host}:${port}`,
      listens: true,
    });
  /** A request goes to its proxy, too; and every redirect is a place of its own. */
  const asked = <T extends HttpHooks>(request: HttpRequest, options: T | undefined): T => {
    reach(request.url);
    if (request.proxy !== undefined) reach(request.proxy.url);
    const beforeHop = (url: string): void => {
      reach(url);
      options?.beforeHop?.(url);
    };
    const judged = (url: string, address: string): void => {
      resolved(url, address);
      options?.resolved?.(url, address);
    };
    return { ...options, beforeHop, resolved: judged } as T;
  };
  return {
    request: async (request, options) => network.request(request, asked(request, options)),
    open: async (request, options) => network.open(request, asked(request, options)),
    ...(network.fetch === undefined ? {} : { fetch: network.fetch }),
    sockets: {
      connect: async (request, signal) => {
        reach(request.url);
        if (request.proxy !== undefined) reach(request.proxy.url);
        return network.sockets.connect(request, signal, resolved);
      },
      listen: async (address, admit) => {
        listen(address);
        return network.sockets.listen(address, admit);
      },
    },
    serving: {
      listen: async (address, limit) => {
        listen(address);
        return network.serving.listen(address, limit);
      },
    },
    databases: {
      open: async (target, signal) => {
        reach(target.url);
        return network.databases.open(target, signal);
      },
    },
  };
}

/** To see what runs on the machine is as much as to run `ps`. */
function guardedSensors(sensors: Sensors, cwd: string, check: AccessJudge): Sensors {
  return {
    gpus: () => sensors.gpus(),
    temperatures: () => sensors.temperatures(),
    processes: () => {
      check({ kind: "process", program: "ps", args: [], cwd });
      return sensors.processes();
    },
  };
}

/** A server over pipes is a program, any other one is the network. */
function guardedServers({ mcp }: Host, check: AccessJudge): McpClients {
  return {
    connect: async (target, wait, serves) => {
      if (target.transport === "stdio")
        check({ kind: "process", program: target.command, args: target.args, cwd: target.cwd });
      else check({ kind: "network", url: target.url, listens: false });
      const beforeHop = (url: string): void => {
        check({ kind: "network", url, listens: false });
        wait.beforeHop?.(url);
      };
      return mcp.connect(target, { ...wait, beforeHop }, serves);
    },
  };
}
