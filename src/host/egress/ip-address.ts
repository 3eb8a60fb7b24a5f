/** IP addresses and networks as numbers, for rules about hosts. */

/** An address: its number, and how many bits it has. IPv4 inside IPv6 (`::ffff:1.2.3.4`) counts as IPv4. */
export interface IpAddress {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

export interface IpNetwork extends IpAddress {
  readonly prefix: number;
}

/** Reads `10.0.0.1`, `::1` or `[::1]`; `undefined` for anything else. */
export function ipAddress(text: string): IpAddress | undefined {
  const bare = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text;
  if (!bare.includes(":")) return v4(bare);
  const whole = v6(bare);
  if (whole === undefined) return undefined;
  const mapped = whole >> 32n === 0xffffn;
  return mapped ? { bits: 32, value: whole & 0xffff_ffffn } : { bits: 128, value: whole };
}

/**
 * The IPv4 address that an IPv6 one stands for: mapped (read so at once), compatible `::1.2.3.4`, translated
 * `::ffff:0:1.2.3.4`, NAT64 `64:ff9b::1.2.3.4`, 6to4 `2002:0102:0304::`.
 */
export function embeddedV4({ bits, value }: IpAddress): IpAddress | undefined {
  if (bits !== 128) return undefined;
  const low = value & 0xffff_ffffn;
  const high = value >> 32n;
  const isEmbedded = (high === 0n && low > 0xffffn) || high === 0xffff_0000n || high === 0x64_ff9bn << 64n;
  if (isEmbedded) return { bits: 32, value: low };
  return value >> 112n === 0x2002n ? { bits: 32, value: (value >> 80n) & 0xffff_ffffn } : undefined;
}

/** This machine: 127.0.0.0/8, `::1`, and the addresses that mean "any of mine", which connect to it. */
export const isLoopback = ({ bits, value }: IpAddress): boolean =>
  bits === 32 ? value >> 24n === 127n || value >> 24n === 0n : value <= 1n;

/** Reads `10.0.0.0/8` or a single address. */
export function ipNetwork(text: string): IpNetwork | undefined {
  const [host = "", length, ...rest] = text.split("/");
  const address = ipAddress(host);
  if (address === undefined || rest.length > 0) return undefined;
  if (length === undefined) return { ...address, prefix: address.bits };
  if (!/^\d{1,3}$/.test(length) || Number(length) > address.bits) return undefined;
  return { ...address, prefix: Number(length) };
}

export function isInNetwork(address: IpAddress, network: IpNetwork): boolean {
  if (address.bits !== network.bits) return false;
  const free = BigInt(network.bits - network.prefix);
  return address.value >> free === network.value >> free;
}

function v4(text: string): IpAddress | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256))
    return undefined;
  return { bits: 32, value: parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n) };
}

function v6(text: string): bigint | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const head = addressGroupsOf(halves[0] as string);
  const tail = addressGroupsOf(halves[1] ?? "");
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...new Array<bigint>(halves.length === 1 ? 0 : missing).fill(0n), ...tail];
  return groups.reduce((sum, group) => (sum << 16n) | group, 0n);
}

/** Groups of 16 bits; an IPv4 address at the end counts as two. */
function addressGroupsOf(text: string): bigint[] | undefined {
  if (text === "") return [];
  const groups: bigint[] = [];
  const parts = text.split(":");
  for (const [at, part] of parts.entries()) {
    const inner = at === parts.length - 1 && part.includes(".") ? v4(part) : undefined;
    if (inner !== undefined) groups.push(inner.value >> 16n, inner.value & 0xffffn);
    else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
}
