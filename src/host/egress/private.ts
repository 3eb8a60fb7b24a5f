/** Addresses that lead into this machine or its own network: what a page of a stranger must not be able to reach. */
import { embeddedV4, type IpAddress, ipAddress, ipNetwork, isInNetwork } from "./ip-address.ts";

const networks: readonly (readonly [kind: string, network: string])[] = [
  ["unspecified", "0.0.0.0/8"],
  ["private", "10.0.0.0/8"],
  ["private", "100.64.0.0/10"],
  ["loopback", "127.0.0.0/8"],
  ["link-local", "169.254.0.0/16"],
  ["private", "172.16.0.0/12"],
  ["reserved", "192.0.0.0/24"],
  ["private", "192.168.0.0/16"],
  ["private", "198.18.0.0/15"],
  ["multicast", "224.0.0.0/4"],
  ["reserved", "240.0.0.0/4"],
  ["unspecified", "::/128"],
  ["loopback", "::1/128"],
  ["private", "fc00::/7"],
  ["link-local", "fe80::/10"],
  ["private", "fec0::/10"],
  ["multicast", "ff00::/8"],
];

/** What kind of private address it is; undefined for one of the open net, and for what is no address. */
export function privateKind(text: string): string | undefined {
  // A zone says only by which interface.
  const address = ipAddress(text.replace(/%[^\]]*/, ""));
  return address === undefined ? undefined : addressKind(address);
}

function addressKind(address: IpAddress): string | undefined {
  for (const [kind, text] of networks) {
    const network = ipNetwork(text);
    if (network !== undefined && isInNetwork(address, network)) return kind;
  }
  const inner = embeddedV4(address);
  return inner === undefined ? undefined : addressKind(inner);
}

/** Whether a name means this machine whatever is registered under it. */
export const isLocalName = (host: string): boolean => /(^|\.)localhost\.?$/i.test(host);
