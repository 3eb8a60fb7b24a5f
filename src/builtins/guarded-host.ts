/**
 * The machine as a run with limits sees it: every path is resolved to what it really is (no `..`, no links, the case that
 * the disk has) before it is compared with the folders that are allowed or denied.
 */
import {
  type Files,
  type Host,
  HostError,
  type McpClients,
  type Network,
  type Processes,
} from "../host/index.ts";
import { type Capabilities, refusal } from "./capabilities.ts";
import { baseName, joinPaths, normalizePath, parentPath } from "./path-text.ts";

/** A host whose files, programs and network ask first. Everything else is the host's own. */
export function restrictHost(host: Host, capabilities: Capabilities): Host {
  const guarded = {
    capabilities,
    own: host,
    files: guardedFiles(host, capabilities),
    processes: guardedProcesses(host, capabilities),
    network: guardedNetwork(host, capabilities),
    mcp: guardedServers(host, capabilities),
  };
  return new Proxy(host, {
    get: (target, name) => {
      if (Object.hasOwn(guarded, name)) return guarded[name as keyof typeof guarded];
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Where a path leads: links of the part that exists are followed, the rest is added. */
function realOf(host: Host, path: string): string {
  const whole = normalizePath(joinPaths([host.cwd, path]));
  const missing: string[] = [];
  for (let at = whole; ; at = parentPath(at)) {
    const real = realOrMissing(host, at);
    if (real !== undefined) return joinPaths([real, ...missing]);
    const parent = parentPath(at);
    if (parent === "" || parent === at) return whole;
    missing.unshift(baseName(at));
  }
}

function realOrMissing(host: Host, path: string): string | undefined {
  try {
    return normalizePath(host.files.realPath(path));
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    // A link that leads nowhere yet could lead anywhere tomorrow.
    if (isLink(host, path)) throw refusal(`'${path}' is a link that leads nowhere`);
    return undefined;
  }
}

function isLink(host: Host, path: string): boolean {
  try {
    return host.files.stat(path, { followLinks: false })?.kind === "symlink";
  } catch {
    return false;
  }
}

function guardedFiles(host: Host, capabilities: Capabilities): Files {
  const { files } = host;
  let real: Capabilities | undefined;
  const check = (group: "fs.read" | "fs.write", path: string): void => {
    // Not before the first path: a replay, which asks for none, must not look at folders.
    real ??= capabilities.withRoots((root) => realOf(host, root));
    const why = real.refusePath(group, realOf(host, path));
    if (why !== undefined) throw refusal(why);
  };
  const read = (path: string): string => {
    check("fs.read", path);
    return path;
  };
  const write = (path: string): string => {
    check("fs.write", path);
    return path;
  };
  return {
    readText: (path) => files.readText(read(path)),
    readBytes: (path) => files.readBytes(read(path)),
    readInto: (path, offset, buffer) => files.readInto(read(path), offset, buffer),
    stat: (path, options) => files.stat(read(path), options),
    list: (path) => files.list(read(path)),
    realPath: (path) => files.realPath(read(path)),
    write: (path, data) => files.write(write(path), data),
    append: (path, data) => files.append(write(path), data),
    makeDir: (path) => files.makeDir(write(path)),
    remove: (path) => files.remove(write(path)),
    copy: (from, to) => files.copy(read(from), write(to)),
    rename: (from, to) => files.rename(write(from), write(to)),
    makeTempDir: (prefix) => files.makeTempDir(write(prefix)),
  };
}

function guardedProcesses({ processes }: Host, capabilities: Capabilities): Processes {
  return {
    run: async (program, args, options) => {
      capabilities.need("process", program);
      return processes.run(program, args, options);
    },
    open: async (program, args, options) => {
      capabilities.need("process", program);
      return processes.open(program, args, options);
    },
    killAll: () => processes.killAll(),
  };
}

function guardedNetwork({ network }: Host, capabilities: Capabilities): Network {
  const need = (url: string): void => capabilities.need("net", new URL(url).host);
  return {
    request: async (request, options) => {
      need(request.url);
      return network.request(request, options);
    },
    open: async (request, options) => {
      need(request.url);
      return network.open(request, options);
    },
    sockets: {
      connect: async (request, signal) => {
        need(request.url);
        return network.sockets.connect(request, signal);
      },
      listen: async (address, admit) => {
        capabilities.need("net", `${address.host}:${address.port}`);
        return network.sockets.listen(address, admit);
      },
    },
    serving: {
      listen: async (address, limit) => {
        capabilities.need("net", `${address.host}:${address.port}`);
        return network.serving.listen(address, limit);
      },
    },
  };
}

/** A server over pipes is a program, any other one is the network. */
function guardedServers({ mcp }: Host, capabilities: Capabilities): McpClients {
  return {
    connect: async (target, wait, serves) => {
      if (target.transport === "stdio") capabilities.need("process", target.command);
      else capabilities.need("net", new URL(target.url).host);
      return mcp.connect(target, wait, serves);
    },
  };
}
