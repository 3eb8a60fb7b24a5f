/**
 * Which hosts a run may talk to (builtins.md §2.15): lists of hosts, `*.suffix`, addresses and networks, each with an
 * optional port. Rules look at what a URL says; names are not resolved.
 */
import { type IpNetwork, ipAddress, ipNetwork, isInNetwork } from "./ip-address.ts";

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
export function readRule(text: string): EgressRule | undefined {
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

function covers({ host, port }: EgressRule, target: EgressTarget): boolean {
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

/** Why a target is refused; `undefined` when it is not. A deny rule beats every allow rule. */
export function refusalOf(rules: EgressRules, target: EgressTarget): string | undefined {
  const denied = rules.deny.find((rule) => covers(rule, target));
  if (denied !== undefined) return `matched deny rule \`${denied.text}\``;
  if (rules.fallback === "allow" || rules.allow.some((rule) => covers(rule, target))) return undefined;
  return "no allow rule matched";
}
