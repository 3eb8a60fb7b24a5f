/** SHA-256 as the journal wants it: of a text at once (0.6 µs for a short one), and of standard output piece by piece. */
import { closeSync, openSync, readlinkSync, readSync } from "node:fs";
import type { Digest, OutputHash } from "../effects/index.ts";

/** Loaded on first use: a run without a journal hashes nothing. */
const crypto = (): typeof import("node:crypto") => process.getBuiltinModule("node:crypto");

let hash: typeof import("node:crypto").hash | undefined;

/** Hexadecimal SHA-256 of a text's UTF-8 bytes. */
export const nodeDigest: Digest = (text) => {
  hash ??= crypto().hash;
  return hash("sha256", text);
};

/** A running hash. */
export function nodeOutputHash(): OutputHash {
  // Most trials of an evaluation print nothing.
  let running: import("node:crypto").Hash | undefined;
  return {
    update: (text) => {
      running ??= crypto().createHash("sha256");
      running.update(text);
    },
    digest: () => running?.copy().digest("hex") ?? nodeDigest(""),
  };
}

/** What a journal notes about where it was made: other versions may order or format text differently. */
export function nodePlatform(): Record<string, string> {
  const { node, v8, icu = "", unicode = "", tz = "" } = process.versions;
  return { node, v8, icu, unicode, tz, zone: timeZone(), os: process.platform, arch: process.arch };
}

/** The name of the time zone. `Intl` would say it too, and take 9 MB of memory for that. */
function timeZone(): string {
  const { TZ } = process.env;
  if (TZ !== undefined && TZ !== "") return TZ;
  try {
    const [, name] = readlinkSync("/etc/localtime").split("/zoneinfo/");
    if (name !== undefined) return name;
  } catch {
    // Another kind of system.
  }
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** 128 random bits: a new run's seed. From the kernel's own device where there is one: loading `crypto` costs 10–30 ms. */
export function nodeSeed(): string {
  const bytes = Buffer.alloc(16);
  try {
    const device = openSync("/dev/urandom", "r");
    try {
      if (readSync(device, bytes, 0, bytes.length, null) === bytes.length) return bytes.toString("hex");
    } finally {
      closeSync(device);
    }
  } catch {
    // Another kind of system.
  }
  return crypto().randomBytes(16).toString("hex");
}
