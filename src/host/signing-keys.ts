/** Ed25519 keys in files (PEM), and what is signed with them: skill files, runs for workers. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { ownPath } from "../process/index.ts";
import { UsageError } from "./command/usage-error.ts";

export const privateKeyIn = (file: string): KeyObject =>
  keyOfText(file, bytesInFile(file).toString("utf8"), createPrivateKey);

export const publicKeyIn = (file: string): KeyObject =>
  keyOfText(file, bytesInFile(file).toString("utf8"), createPublicKey);

const pemBlock = /-----BEGIN PUBLIC KEY-----.*?-----END PUBLIC KEY-----/gsu;

/** All public keys of a file, as PEM by fingerprint. */
export function publicKeysIn(file: string): ReadonlyMap<string, string> {
  const blocks = bytesInFile(file).toString("utf8").match(pemBlock) ?? [];
  const keys = blocks.map((pem) => [keyFingerprint(keyOfText(file, pem, createPublicKey)), pem] as const);
  if (keys.length === 0)
    throw new UsageError(
      `${file} holds no public key: put the \`.pub\` files of \`harn skill key generate\` into it, one after the other`,
      "HARN-CLI-006",
    );
  return new Map(keys);
}

/** The raw 32 bytes are the end of the key's SPKI form. */
export function keyFingerprint(key: KeyObject): string {
  const raw = key.export({ type: "spki", format: "der" }).subarray(-32);
  return createHash("sha256").update(raw).digest("hex");
}

/** The text of a signature, as `checkSignature` of `skills/` reads it. */
export function keySignatureOf(bytes: Uint8Array, key: KeyObject): string {
  const document = {
    schema: "harn-skill-sig/v1",
    signed_at: new Date().toISOString(),
    signer_fingerprint: keyFingerprint(createPublicKey(key)),
    ed25519_sig_base64: sign(null, bytes, key).toString("base64"),
    skill_sha256: createHash("sha256").update(bytes).digest("hex"),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function keyOfText(file: string, text: string, make: (text: string) => KeyObject): KeyObject {
  try {
    const key = make(text);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // Said below: whatever it is, it is no key that can be used.
  }
  throw new UsageError(`${file} is no Ed25519 key of the right kind`, "HARN-CLI-006");
}

/** What stands in a file that a command names. */
export function bytesInFile(path: string): Buffer {
  try {
    return readFileSync(ownPath(path));
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`, "HARN-CLI-006");
  }
}
