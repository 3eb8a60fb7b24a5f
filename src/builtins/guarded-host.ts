/**
 * The machine as a run with `--allow` and `--deny` sees it: every path counts as what it really is (links and `..` as the
 * system takes them, the case that the disk has) before it is compared with the folders that are allowed or denied.
 */
import { AccessGate, guardHost, type Host, type HostAccess, resolvedPath } from "../host/index.ts";
import { type Capabilities, refusal } from "./capabilities.ts";
import { joinPaths } from "./files/path-text.ts";

/** A host whose files, programs and network ask first. Everything else is the host's own. */
export function restrictHost(host: Host, capabilities: Capabilities): Host {
  const gate = new AccessGate();
  gate.add(judgeOf(host, capabilities));
  return guardHost(host, gate, { capabilities });
}

function judgeOf(host: Host, capabilities: Capabilities): (access: HostAccess) => void {
  let real: Capabilities | undefined;
  return (access) => {
    // What `--allow net` and `--deny net` name are hosts, as they were asked for.
    if (access.kind === "network" && access.address !== undefined) return;
    if (access.kind === "process") capabilities.need("process", access.program);
    else if (access.kind === "network" && access.model !== undefined)
      capabilities.need("model", new URL(access.url).host);
    else if (access.kind === "network") capabilities.need("net", new URL(access.url).host);
    else {
      // Not before the first path: a replay, which asks for none, must not look at folders.
      real ??= capabilities.withRoots(
        (root) => resolvedPath(host.files, joinPaths([host.cwd, root]), true).path,
      );
      const why = real.refuseAccess(access);
      if (why !== undefined) throw refusal(why);
    }
  };
}
