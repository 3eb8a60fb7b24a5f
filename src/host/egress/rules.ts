/**
 * Which hosts a run may talk to (builtins.md §2.15): lists of hosts, `*.suffix`, addresses and networks, each with an
 * optional port. Rules look at what a URL says; what a name means is
 * judged once more where the connection is made.
 */
import {
  embeddedV4,
  type IpAddress,
  type IpNetwork,
  ipAddress,
  ipNetwork,
  isInNetwork,
  isLoopback,
} from "./ip-address.ts";

export interface EgressRule {
  /** As it was written. */
  readonly text: string;
  readonly port: number | undefined;
  readonly host: HostRule;
}

type HostRule =
  | { readonly kind: "any" }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "suffix"; readonly suffix: string }
  | { readonly kind: "network"; readonly network: IpNetwork };

export interface EgressRules {
  readonly allow: readonly EgressRule[];
  readonly deny: readonly EgressRule[];
  readonly fallback: "allow" | "deny";
}

/** Reads one rule; `undefined` when it is none. */
export function parseEgressRule(text: string): EgressRule | undefined {
  const trimmed = text.trim().toLowerCase();
  // A bare IPv6 address has colons of its own.
  const whole = trimmed.startsWith("[") ? undefined : ipNetwork(trimmed);
  if (whole !== undefined)
    return { text: text.trim(), port: undefined, host: { kind: "network", network: whole } };
  const split = /^(.*?)(?::(\d{1,5}))?$/.exec(trimmed);
  const host = hostRule(split?.[1] ?? "");
  const port = split?.[2] === undefined ? undefined : Number(split[2]);
  if (host === undefined || (port !== undefined && (port < 1 || port > 65_535))) return undefined;
  return { text: text.trim(), port, host };
}

function hostRule(host: string): HostRule | undefined {
  if (host === "*") return { kind: "any" };
  const network = ipNetwork(host);
  if (network !== undefined) return { kind: "network", network };
  const suffix = host.startsWith("*.") ? host.slice(2) : undefined;
  if (!/^[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*\.?$/u.test(suffix ?? host)) return undefined;
  const name = asciiName(suffix ?? host);
  if (name === undefined) return undefined;
  // `127.1`, `0x7f000001`: a URL's host is never written so.
  const spelled = suffix === undefined ? ipNetwork(name) : undefined;
  if (spelled !== undefined) return { kind: "network", network: spelled };
  return suffix === undefined ? { kind: "name", name } : { kind: "suffix", suffix: `.${name}` };
}

/** The form that URLs have: lower case, punycode, no dot at the end. */
function asciiName(name: string): string | undefined {
  try {
    return new URL(`http://${name}`).hostname.replace(/\.$/, "");
  } catch {
    return undefined;
  }
}

const defaultPorts: ReadonlyMap<string, number> = new Map([
  ["http:", 80],
  ["ws:", 80],
  ["https:", 443],
  ["wss:", 443],
  ["ssh:", 22],
  ["postgres:", 5432],
  ["postgresql:", 5432],
]);

export interface EgressTarget {
  readonly host: string;
  readonly port: number;
}

/** Where a URL leads; `undefined` for what is no URL: the request itself will say so. */
export function targetOf(url: string): EgressTarget | undefined {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return undefined;
  }
  const port = parsed.port === "" ? defaultPorts.get(parsed.protocol) : Number(parsed.port);
  return { host: parsed.hostname.replace(/\.$/, ""), port: port ?? 0 };
}

function ruleCovers({ host, port }: EgressRule, target: EgressTarget): boolean {
  if (port !== undefined && port !== target.port) return false;
  switch (host.kind) {
    case "any":
      return true;
    case "name":
      return target.host === host.name;
    case "suffix":
      return target.host.endsWith(host.suffix) && target.host.length > host.suffix.length;
    case "network": {
      const address = ipAddress(target.host);
      return address !== undefined && isInNetwork(address, host.network);
    }
  }
}

/** Names of this machine, wherever they are looked up. */
const ownNames = /^(?:(?:.*\.)?localhost|localhost\.localdomain|ip6-localhost|ip6-loopback)$/;

/** All that a host in a URL stands for: itself, an IPv4 address inside of an IPv6 one. */
function addressesOf(host: string): IpAddress[] {
  const address = ipAddress(host);
  if (address === undefined) return [];
  const inner = embeddedV4(address);
  return inner === undefined ? [address] : [address, inner];
}

const meansLoopback = (host: string): boolean => ownNames.test(host) || addressesOf(host).some(isLoopback);

/**
 * A rule that forbids holds for every spelling: for this machine (`127.0.0.1`, `localhost` …) by whatever address or name of it,
 * for addresses inside of others. A rule that allows holds for what it says.
 */
function forbids(rule: EgressRule, target: EgressTarget): boolean {
  if (ruleCovers(rule, target)) return true;
  if (rule.port !== undefined && rule.port !== target.port) return false;
  const { host } = rule;
  if (host.kind === "network") {
    const { network } = host;
    // Of a network of this machine's: another loopback address is a service of its own, and denies nothing else.
    if (meansLoopback(target.host) && ownAddresses.some((address) => isInNetwork(address, network)))
      return true;
    return addressesOf(target.host).some((address) => isInNetwork(address, network));
  }
  return host.kind === "name" && ownNames.test(host.name) && meansLoopback(target.host);
}

/** By these everybody means this machine: `127.0.0.1`, `0.0.0.0`, `::1`, `::`. */
const ownAddresses: readonly IpAddress[] = [
  { bits: 32, value: 0x7f00_0001n },
  { bits: 32, value: 0n },
  { bits: 128, value: 1n },
  { bits: 128, value: 0n },
];

/**
 * Why a target is refused; `undefined` when it is not. A deny rule beats every allow rule. `named`: the user or a vendor
 * named it, so it need not be on a list of what is allowed.
 */
export function egressRefusal(rules: EgressRules, target: EgressTarget, named = false): string | undefined {
  const denied = rules.deny.find((rule) => forbids(rule, target));
  if (denied !== undefined) return `matched deny rule \`${denied.text}\``;
  if (named) return undefined;
  if (rules.fallback === "allow" || rules.allow.some((rule) => ruleCovers(rule, target))) return undefined;
  return "no allow rule matched";
}
