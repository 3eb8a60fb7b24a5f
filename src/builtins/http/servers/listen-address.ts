/** Where servers listen, and with which certificate. */

import type { ListenAddress } from "../../../host/index.ts";
import type { Task } from "../../../interp/index.ts";
import { at, refusal } from "../../../table/index.ts";
import { type Argument, attempt, hostPath, option, textOf } from "../../arguments.ts";

/** `127.0.0.1:8080`, `[::1]:0`, `:8080`, or a port. Without a host only this machine can connect. */
export function parseListenAddress(caller: string, value: Argument): { host: string; port: number } {
  const text = value === undefined || value === null ? ":0" : textOf(value);
  const found = /^(?:(\[[0-9a-fA-F:]+\]|[^:[\]]*):)?(\d{1,5})$/.exec(text);
  const port = Number(found?.[2]);
  if (found === null || port > 65_535)
    throw refusal(at(caller, "address"), "HOST:PORT, such as 127.0.0.1:0", text);
  const host = found[1] ?? "";
  return { host: host === "" ? "127.0.0.1" : host.replace(/^\[|\]$/g, ""), port };
}

/** The certificate that a TLS descriptor names; `undefined` when the server speaks plainly. */
export function tlsFiles(task: Task, caller: string, tls: Argument): ListenAddress["tls"] {
  if (option(tls, "terminate_tls") !== true) return undefined;
  const pem = (what: "cert" | "key"): string => {
    const text = option(tls, `${what}_pem`);
    if (text !== undefined) return textOf(text);
    const path = hostPath(task, option(tls, `${what}_path`));
    return attempt(`${caller}: ${path}`, () => task.runtime.host.files.readText(path));
  };
  return { cert: pem("cert"), key: pem("key") };
}
