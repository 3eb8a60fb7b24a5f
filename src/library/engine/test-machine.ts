/**
 * The machine of all runs of a `testHarn`: that of `harn test --hermetic`, so that a run that is resumed finds what it has written. Its
 * files lie in memory over the folder of the program; requests over HTTP are made by the test's own `fetch`, or not at all.
 */
import { type Host, hermeticHost, type Network, overlaidHost } from "../../host/index.ts";
import type { Settings } from "../orders.ts";

export class TestMachine {
  private readonly settings: Pick<Settings, "cwd" | "fetch">;
  private machine: Host | undefined;

  constructor(settings: Pick<Settings, "cwd" | "fetch">) {
    this.settings = settings;
  }

  /** In place of `host`, in whose folder and with whose variables a run works. */
  instead(host: Host): Host {
    const { cwd, fetch } = this.settings;
    this.machine ??= hermeticHost({ cwd, base: { files: host.files, root: cwd } });
    const { network, mcp } = this.machine;
    const ports = { cwd: host.cwd, env: host.env };
    if (fetch === undefined) return overlaidHost(this.machine, ports);
    const { request, open } = host.network;
    return overlaidHost(this.machine, {
      ...ports,
      network: { ...network, fetch, request, open } satisfies Network,
      mcp: {
        connect: (target, wait, serves) =>
          (target.transport === "http" ? host.mcp : mcp).connect(target, wait, serves),
      } satisfies Host["mcp"],
    });
  }
}
