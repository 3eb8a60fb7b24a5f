/**
 * Signatures of skill files (agents.md §15.6): `SKILL.md.sig` beside the file, Ed25519 over its exact bytes. Keys are
 * `<fingerprint>.pub` in `~/.harn/trusted-signers` or in the signer registry of the project.
 */
import type { Host } from "../host/index.ts";
import { fromBase64, hexText } from "../values/index.ts";

export const signatureSchema = "harn-skill-sig/v1";

export interface SkillSignature {
  /** There is a signature, and nothing speaks against it. */
  readonly signed: boolean;
  /** Signed with a key that is known here and that the skill accepts. */
  readonly trusted: boolean;
  readonly fingerprint: string | null;
  /** `TamperedSkillError`, `InvalidSignatureError`: never to be loaded. */
  readonly error: SkillProblem | null;
}

export interface SkillProblem {
  readonly code: string;
  readonly message: string;
}

/** Finds a signer's public key as PEM. */
export type KeySource = (fingerprint: string) => Promise<string | undefined>;

const unsigned: SkillSignature = { signed: false, trusted: false, fingerprint: null, error: null };

/** Looks at the signature of a file. `what` it is, in words; `signature` is the text of the `.sig` file, if there is one. */
export async function checkSignature(
  host: Host,
  what: string,
  file: Uint8Array,
  signature: string | undefined,
  signers: readonly string[],
  keys: KeySource,
): Promise<SkillSignature> {
  if (signature === undefined) return unsigned;
  const read = readSignature(signature);
  if (read === undefined)
    return refused(null, "InvalidSignatureError", `the signature of ${what} can't be read`);
  const { fingerprint } = read;
  if (read.sha256 !== hexText(host.crypto.hash("sha256", file)))
    return refused(fingerprint, "TamperedSkillError", `${what} was changed after it was signed`);
  const key = await keys(fingerprint);
  if (key === undefined) return { signed: true, trusted: false, fingerprint, error: null };
  const raw = publicKeyOf(key);
  if (raw === undefined || hexText(host.crypto.hash("sha256", raw)) !== fingerprint)
    return refused(fingerprint, "InvalidSignatureError", `the key ${fingerprint} of ${what} is no such key`);
  if (!host.crypto.verify(raw, file, read.signature))
    return refused(fingerprint, "InvalidSignatureError", `the signature of ${what} is not valid`);
  return {
    signed: true,
    trusted: signers.length === 0 || signers.includes(fingerprint),
    fingerprint,
    error: null,
  };
}

const refused = (fingerprint: string | null, code: string, message: string): SkillSignature => ({
  signed: false,
  trusted: false,
  fingerprint,
  error: { code, message },
});

/** What keeps a skill whose signature is required from being loaded. */
export function requirementProblem(name: string, state: SkillSignature): SkillProblem | null {
  if (!state.signed)
    return { code: "UnsignedSkillError", message: `skill '${name}' must be signed, and it is not` };
  if (state.trusted) return null;
  const message = `skill '${name}' is signed by ${state.fingerprint ?? "somebody"}, who is not trusted here`;
  return { code: "UntrustedSignerError", message };
}

function readSignature(
  text: string,
): { readonly fingerprint: string; readonly sha256: string; readonly signature: Uint8Array } | undefined {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return undefined;
  }
  const fields = (typeof data === "object" && data !== null ? data : {}) as Readonly<Record<string, unknown>>;
  const {
    schema,
    signer_fingerprint: fingerprint,
    skill_sha256: sha256,
    ed25519_sig_base64: base64,
  } = fields;
  if (schema !== signatureSchema || typeof fingerprint !== "string" || !/^[0-9a-f]{64}$/.test(fingerprint))
    return undefined;
  if (typeof sha256 !== "string" || typeof base64 !== "string" || !/^[A-Za-z0-9+/]+=*$/.test(base64))
    return undefined;
  const signature = fromBase64(base64);
  return signature.length === 64 ? { fingerprint, sha256, signature } : undefined;
}

/** What stands before the 32 bytes of an Ed25519 key in its SPKI form. */
const spkiPrefix = "302a300506032b6570032100";

/** The raw bytes of a PEM key. */
function publicKeyOf(pem: string): Uint8Array | undefined {
  const base64 = pem.replace(/-----[A-Z ]+-----/g, "").replace(/\s+/g, "");
  if (!/^[A-Za-z0-9+/]+=*$/.test(base64)) return undefined;
  const der = fromBase64(base64);
  return der.length === 44 && hexText(der.subarray(0, 12)) === spkiPrefix ? der.subarray(12) : undefined;
}
