/** Signatures of chunks, for workers that take nothing else (`harn worker --signed-by`): Ed25519 over the file and the flags. */
import { createHash } from "node:crypto";
import { loadSigningKeys } from "../../host/index.ts";
import type { TravellingFlags } from "../run-order.ts";
import { refusedBySigners, type Signers } from "../signed-runs.ts";

export interface SignedChunk {
  readonly name: string;
  readonly file: Uint8Array;
  readonly flags: TravellingFlags;
}

export async function chunkSignature(keyFile: string, chunk: SignedChunk): Promise<string> {
  const { privateKeyIn, keySignatureOf } = await loadSigningKeys();
  return keySignatureOf(signedChunkText(chunk), privateKeyIn(keyFile));
}

/** Why a worker that takes only what these have signed does not take the chunk; `undefined`: it does. */
export async function refusedChunk(
  signers: Signers,
  chunk: SignedChunk,
  signature: string | undefined,
): Promise<string | undefined> {
  return await refusedBySigners(signers, {
    what: `the chunk ${chunk.name}`,
    bytes: signedChunkText(chunk),
    signature,
    words: {
      is: `the trials of ${chunk.name} are`,
      taken: "what is signed",
      advice: "`harn eval run … --workers --sign KEY` signs them",
    },
  });
}

function signedChunkText({ name, file, flags }: SignedChunk): Uint8Array {
  const digest = createHash("sha256").update(file).digest("hex");
  const sorted = Object.entries(flags).sort(([a], [b]) => (a < b ? -1 : 1));
  return new TextEncoder().encode(JSON.stringify(["chunk", name, digest, sorted]));
}
