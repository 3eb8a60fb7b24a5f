/** The address of the engine, read, and what lies on this machine. */
import { ipAddress, isLoopback } from "../../host/index.ts";

export interface EngineAddress {
  readonly host: string;
  /** host:port */
  readonly address: string;
  readonly namespace: string;
  readonly tls: boolean;
}

/** `temporal://HOST:PORT/NAMESPACE`; what can't be read gives the reason as a text that quotes nothing of it. */
export function engineAddress(text: string): EngineAddress | string {
  const [, scheme, rest = ""] = /^(temporals?):\/\/(.*)$/s.exec(text) ?? [];
  if (scheme === undefined) return "it begins with neither";
  if (/^[/\\]/.test(rest)) return "host or port are none";
  // WHATWG knows what a host is only of schemes that it knows.
  const url = URL.parse(`http://${rest}`);
  if (url === null || url.hostname === "") return "host or port are none";
  if (url.username !== "" || url.password !== "") return "a name or password stands in it";
  if (url.search !== "" || url.hash !== "") return "something follows the namespace";
  const namespace = decodedPath(url.pathname.slice(1)) ?? "/";
  if (!/^[\w.-]{0,255}$/.test(namespace)) return "the namespace is none";
  const port = /:0*80$/.test(rest.split("/")[0] ?? "") ? "80" : url.port || "7233";
  return {
    host: url.hostname,
    address: `${url.hostname}:${port}`,
    namespace: namespace || "default",
    tls: scheme === "temporals",
  };
}

/** Of `host:port`. */
export const hostOfAddress = (address: string): string => address.slice(0, address.lastIndexOf(":"));

/** A loopback address, a name of this machine in every system, or a socket. */
export function isThisMachine(host: string): boolean {
  if (host.startsWith("/") || host.toLowerCase() === "localhost") return true;
  const address = ipAddress(host);
  return address !== undefined && isLoopback(address);
}

function decodedPath(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
