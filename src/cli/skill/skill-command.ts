/**
 * `harn skill`: keys, signatures and trust for skill files (docs/skills.md).
 *
 *     key generate FILE     FILE (private, 0600) and FILE.pub        verify DIR        what load_skill would say
 *     sign --key FILE DIR   SKILL.md.sig beside SKILL.md             trust add|list    ~/.harn/trusted-signers
 */

import { generateKeyPairSync } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { exitCode, print, UsageError } from "../../host/command/index.ts";
import { createNodeHost, loadSigningKeys } from "../../host/index.ts";
import { checkSignature } from "../../skills/index.ts";
import { replaceContent } from "../../store/files/whole-files.ts";
import { makeFolders } from "../../store/folders.ts";

const trustedFolder = (): string => join(homedir(), ".harn", "trusted-signers");

function printSkillLine(text: string): void {
  print(`${text}\n`);
}

export async function generateKey(file: string): Promise<number> {
  const { keyFingerprint } = await loadSigningKeys();
  for (const path of [file, `${file}.pub`])
    if (existsSync(path))
      throw new UsageError(`${path} is there already; keys are not overwritten`, "HARN-CLI-008");
  const pair = generateKeyPairSync("ed25519");
  write(file, pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString(), 0o600);
  write(`${file}.pub`, pair.publicKey.export({ type: "spki", format: "pem" }).toString());
  printSkillLine(`${file} (private), ${file}.pub`);
  printSkillLine(`fingerprint ${keyFingerprint(pair.publicKey)}`);
  return exitCode.ok;
}

export async function signSkills(folders: readonly string[], keyFile: string): Promise<number> {
  const { bytesInFile, privateKeyIn, keySignatureOf } = await loadSigningKeys();
  const key = privateKeyIn(keyFile);
  for (const folder of folders) {
    const path = skillFile(folder);
    write(`${path}.sig`, keySignatureOf(bytesInFile(path), key));
    printSkillLine(`${path}.sig`);
  }
  return exitCode.ok;
}

export async function verifySkills(folders: readonly string[]): Promise<number> {
  const { bytesInFile } = await loadSigningKeys();
  let fine = true;
  for (const folder of folders) {
    const path = skillFile(folder);
    const signature = existsSync(`${path}.sig`) ? bytesInFile(`${path}.sig`).toString("utf8") : undefined;
    const what = `skill '${folder}'`;
    const bytes = bytesInFile(path);
    const state = await checkSignature(createNodeHost(), what, bytes, signature, [], trustedKey);
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
  const { bytesInFile } = await loadSigningKeys();
  const path = join(trustedFolder(), `${fingerprint}.pub`);
  return existsSync(path) ? bytesInFile(path).toString("utf8") : undefined;
}

export async function addTrust(file: string): Promise<number> {
  const { keyFingerprint, publicKeyIn } = await loadSigningKeys();
  const key = publicKeyIn(file);
  const fingerprint = keyFingerprint(key);
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

function write(path: string, text: string, mode = 0o644): void {
  try {
    replaceContent(path, text, mode);
  } catch (error) {
    throw new UsageError(`${path} cannot be written: ${(error as Error).message}`, "HARN-CLI-007");
  }
}
