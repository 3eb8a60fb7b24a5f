/** Where a server can be reached from its own machine: what the runs that it serves must not speak to. */
import { networkInterfaces } from "node:os";

const everywhere = new Set(["0.0.0.0", "::"]);

/** As rules of `HARN_EGRESS_DENY`: `192.0.2.7:4747`, `[2001:db8::7]:4747`. `addresses`: those of the machine. */
export function ownAddresses(
  host: string,
  port: number,
  addresses: readonly string[] = machineAddresses(),
): string[] {
  const bound = everywhere.has(host) ? [host, "127.0.0.1", "::1", ...addresses] : [host];
  const plain = bound.map((address) => address.replace(/%.*$/, ""));
  return [...new Set(plain)].map((address) =>
    address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`,
  );
}

const machineAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((found) => (found ?? []).map(({ address }) => address));
