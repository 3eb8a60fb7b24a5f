/**
 * Certificates for servers under development: signed by themselves, ECDSA P-256, for names and addresses of one's own
 * machine. Node makes keys but no certificates, so the few ASN.1 forms (DER, X.690) that one needs are written here.
 */
import { HostError, type SelfSigned } from "../ports.ts";

const tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8: 0x0c,
} as const;
const sequenceTag = 0x30;
const setTag = 0x31;
const utcTimeTag = 0x17;
/** Context-specific, constructed: the optional parts of a certificate. */
const explicit = (number: number): number => 0xa0 + number;
/** Context-specific, primitive: the kinds of names a certificate is for. */
const implicit = (number: number): number => 0x80 + number;

const oid = {
  commonName: [0x55, 0x04, 0x03],
  subjectAltName: [0x55, 0x1d, 0x11],
  basicConstraints: [0x55, 0x1d, 0x13],
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
} as const;

function der(kind: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([kind, length]), content]);
  const digits = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([kind, 0x80 + digits.length, ...digits]), content]);
}

const derSequence = (...parts: readonly Uint8Array[]): Buffer => der(sequenceTag, ...parts);
const derIdentifier = (bytes: readonly number[]): Buffer => der(tag.oid, Buffer.from(bytes));
/** A bit string of whole bytes. */
const bits = (data: Uint8Array): Buffer => der(tag.bitString, Buffer.from([0]), data);
const name = (common: string): Buffer =>
  derSequence(der(setTag, derSequence(derIdentifier(oid.commonName), der(tag.utf8, Buffer.from(common)))));

/** `YYMMDDhhmmssZ` */
const utcTime = (ms: number): Buffer =>
  der(utcTimeTag, Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replace(/[-:T]/g, "")}Z`));

const extension = (id: readonly number[], value: Uint8Array): Buffer =>
  derSequence(derIdentifier(id), der(tag.octetString, value));

function altName(host: string): Buffer {
  const { isIPv4, isIPv6 } = process.getBuiltinModule("node:net");
  if (isIPv4(host)) return der(implicit(7), Buffer.from(host.split(".").map(Number)));
  if (isIPv6(host)) return der(implicit(7), ipv6Bytes(host));
  if (/^[\x21-\x7e]+$/.test(host)) return der(implicit(2), Buffer.from(host));
  throw new HostError("EINVAL", `'${host}' is no host name or address`);
}

function ipv6Bytes(host: string): Buffer {
  const [head = "", tail = ""] = new URL(`http://[${host}]`).hostname.slice(1, -1).split("::");
  const groups = (text: string): number[] =>
    text === "" ? [] : text.split(":").map((g) => Number(`0x${g}`));
  const first = groups(head);
  const last = groups(tail);
  const all = [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

const pem = (label: string, data: Buffer): string =>
  `-----BEGIN ${label}-----\n${data.toString("base64").replace(/(.{64})(?=.)/g, "$1\n")}\n-----END ${label}-----\n`;

const dayMs = 86_400_000;
/** What browsers take at most. */
const validDays = 397;

/** A certificate and its key for these hosts, valid from a day before `nowMs`. */
export function selfSignedCertificate(hosts: readonly string[], nowMs: number): SelfSigned {
  const crypto = process.getBuiltinModule("node:crypto");
  const { publicKey, privateKey } = crypto.generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = derSequence(derIdentifier(oid.ecdsaWithSha256));
  const issuer = name(hosts[0] ?? "localhost");
  const serial = crypto.randomBytes(16);
  // Positive, and not shorter than it is: the first bits are 01.
  serial[0] = ((serial[0] as number) & 0x3f) | 0x40;
  const facts = derSequence(
    der(explicit(0), der(tag.integer, Buffer.from([2]))),
    der(tag.integer, serial),
    algorithm,
    issuer,
    derSequence(utcTime(nowMs - dayMs), utcTime(nowMs + (validDays - 1) * dayMs)),
    issuer,
    publicKey.export({ type: "spki", format: "der" }),
    der(
      explicit(3),
      derSequence(
        extension(oid.subjectAltName, derSequence(...hosts.map(altName))),
        extension(oid.basicConstraints, derSequence(der(tag.boolean, Buffer.from([0xff])))),
      ),
    ),
  );
  const signature = crypto.sign("sha256", facts, privateKey);
  return {
    certPem: pem("CERTIFICATE", derSequence(facts, algorithm, bits(signature))),
    keyPem: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}
