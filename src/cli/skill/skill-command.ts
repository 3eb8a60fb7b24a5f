/**
 * `harn skill`: keys, signatures and trust for skill files (docs/skills.md).
 *
 *     key generate FILE     FILE (private, 0600) and FILE.pub        verify DIR        what load_skill would say
 *     sign --key FILE DIR   SKILL.md.sig beside SKILL.md             trust add|list    ~/.harn/trusted-signers
 */

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { exitCode, print, UsageError } from "../../host/command/index.ts";
import { createNodeHost } from "../../host/index.ts";
import { checkSignature } from "../../skills/index.ts";
import { replaceContent } from "../../store/files/whole-files.ts";
import { makeFolders } from "../../store/folders.ts";

const trustedFolder = (): string => join(homedir(), ".harn", "trusted-signers");

function printSkillLine(text: string): void {
  print(`${text}\n`);
}

export function generateKey(file: string): number {
  for (const path of [file, `${file}.pub`])
    if (existsSync(path))
      throw new UsageError(`${path} is there already; keys are not overwritten`, "HARN-CLI-008");
  const pair = generateKeyPairSync("ed25519");
  write(file, pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString(), 0o600);
  write(`${file}.pub`, pair.publicKey.export({ type: "spki", format: "pem" }).toString());
  printSkillLine(`${file} (private), ${file}.pub`);
  printSkillLine(`fingerprint ${keyFingerprintOf(pair.publicKey)}`);
  return exitCode.ok;
}

export function signSkills(folders: readonly string[], keyFile: string): number {
  const key = keyInFile(keyFile, (text) => createPrivateKey(text));
  for (const folder of folders) {
    const path = skillFile(folder);
    const bytes = read(path);
    const document = {
      schema: "harn-skill-sig/v1",
      signed_at: new Date().toISOString(),
      signer_fingerprint: keyFingerprintOf(createPublicKey(key)),
      ed25519_sig_base64: sign(null, bytes, key).toString("base64"),
      skill_sha256: createHash("sha256").update(bytes).digest("hex"),
    };
    write(`${path}.sig`, `${JSON.stringify(document, null, 2)}\n`);
    printSkillLine(`${path}.sig`);
  }
  return exitCode.ok;
}

export async function verifySkills(folders: readonly string[]): Promise<number> {
  let fine = true;
  for (const folder of folders) {
    const path = skillFile(folder);
    const signature = existsSync(`${path}.sig`) ? read(`${path}.sig`).toString("utf8") : undefined;
    const state = await checkSignature(createNodeHost(), folder, read(path), signature, [], trustedKey);
    fine &&= state.trusted;
    const by = state.fingerprint === null ? "" : ` by ${state.fingerprint}`;
    const how = state.trusted
      ? "signed and trusted"
      : state.signed
        ? "signed, signer not trusted"
        : "not signed";
    printSkillLine(`${path}: ${state.error?.message ?? `${how}${by}`}`);
  }
  return fine ? exitCode.ok : exitCode.failed;
}

async function trustedKey(fingerprint: string): Promise<string | undefined> {
  const path = join(trustedFolder(), `${fingerprint}.pub`);
  return existsSync(path) ? read(path).toString("utf8") : undefined;
}

export function addTrust(file: string): number {
  const key = keyInFile(file, (text) => createPublicKey(text));
  const fingerprint = keyFingerprintOf(key);
  makeFolders(trustedFolder());
  write(join(trustedFolder(), `${fingerprint}.pub`), key.export({ type: "spki", format: "pem" }).toString());
  printSkillLine(`trusted: ${fingerprint}`);
  return exitCode.ok;
}

export function listTrust(): number {
  const folder = trustedFolder();
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".pub")) : [];
  for (const name of names.sort()) printSkillLine(name.slice(0, -".pub".length));
  return exitCode.ok;
}

// ── files and keys ────────────────────────────────────────────────────────────────────────────────────────────────

function skillFile(folder: string): string {
  const path = folder.endsWith("SKILL.md") ? folder : join(folder, "SKILL.md");
  if (!existsSync(path) || !statSync(path).isFile())
    throw new UsageError(`there is no ${path}`, "HARN-CLI-005");
  return path;
}

/** The raw 32 bytes are the end of the key's SPKI form. */
function keyFingerprintOf(key: KeyObject): string {
  const raw = key.export({ type: "spki", format: "der" }).subarray(-32);
  return createHash("sha256").update(raw).digest("hex");
}

function keyInFile(file: string, make: (text: string) => KeyObject): KeyObject {
  const text = read(file).toString("utf8");
  try {
    const key = make(text);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // Said below: whatever it is, it is no key that can be used.
  }
  throw new UsageError(`${file} is no Ed25519 key of the right kind`, "HARN-CLI-006");
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`, "HARN-CLI-006");
  }
}

function write(path: string, text: string, mode = 0o644): void {
  try {
    replaceContent(path, text, mode);
  } catch (error) {
    throw new UsageError(`${path} cannot be written: ${(error as Error).message}`, "HARN-CLI-007");
  }
}
