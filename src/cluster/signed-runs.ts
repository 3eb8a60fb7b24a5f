/**
 * Signatures of runs for workers that take nothing else (`harn worker --signed-by`): Ed25519 over what is run, with which arguments and
 * flags. Paths are not signed, for they are others on each machine; texts and what their imports mean are.
 */
import { type Journal, type Json, recordedSources } from "../effects/index.ts";
import { createNodeHost, loadSigningKeys, nodeDigest } from "../host/index.ts";
import { checkSignature } from "../skills/index.ts";
import { isJsonObject } from "../values/index.ts";
import type { RunOrder } from "./run-order.ts";

/** Whose runs a worker takes. */
export interface Signers {
  /** The file that lists them. */
  readonly file: string;
  /** Public keys as PEM, by fingerprint. */
  readonly keys: ReadonlyMap<string, string>;
}

export async function signersIn(file: string): Promise<Signers> {
  const { publicKeysIn } = await loadSigningKeys();
  return { file, keys: publicKeysIn(file) };
}

/** The same order, with a signature of the run. */
export async function signedOrder(keyFile: string, journal: Journal, order: RunOrder): Promise<RunOrder> {
  const { privateKeyIn, keySignatureOf } = await loadSigningKeys();
  return { ...order, signature: keySignatureOf(signedBytes(journal, order), privateKeyIn(keyFile)) };
}

/** Why a worker that takes only what these have signed does not take the run; `undefined`: it does. */
export async function refusedSignature(
  signers: Signers,
  journal: Journal,
  order: RunOrder,
): Promise<string | undefined> {
  const what = `the run ${journal.header.run}`;
  return await refusedBySigners(signers, {
    what,
    bytes: signedBytes(journal, order),
    signature: order.signature,
    words: {
      is: `${what} is`,
      taken: "runs that are signed",
      advice: "`harn run … --workers --sign KEY` signs it",
    },
  });
}

interface SignedBytes {
  readonly what: string;
  readonly bytes: Uint8Array;
  readonly signature: string | undefined;
  /** `is`: what stands before `signed`; `taken`: what such a worker takes. */
  readonly words: { readonly is: string; readonly taken: string; readonly advice: string };
}

/** Why something is none for whoever takes only what these have signed; `undefined`: it is signed by one of them. */
export async function refusedBySigners(
  { file, keys }: Signers,
  { what, bytes, signature, words: { is, taken, advice } }: SignedBytes,
): Promise<string | undefined> {
  const found = await checkSignature(createNodeHost(), what, bytes, signature, [], async (fingerprint) =>
    keys.get(fingerprint),
  );
  if (found.error !== null) return found.error.message;
  if (found.trusted) return undefined;
  const only = `this worker takes only ${taken} with a key of ${file}`;
  return found.signed
    ? `${is} signed by ${found.fingerprint}, and ${only}`
    : `${is} not signed, and ${only}\n  ${advice}`;
}

function signedBytes(journal: Journal, { flags, ends }: RunOrder): Uint8Array {
  const { run, format, seed, argv, options, entry } = journal.header;
  const { texts, imports } = recordedSources(journal);
  const digestOf = (path: string): string | null => {
    const text = texts.get(path);
    return text === undefined ? null : nodeDigest(text);
  };
  const meant = [...imports].map(([key, path]) => {
    const [from = "", specifier = ""] = key.split("\n");
    return [digestOf(from), specifier, digestOf(path)];
  });
  const signed = {
    is: "a run for workers of harn",
    header: { run, format, seed, argv, options },
    order: { flags, ends },
    entry: digestOf(entry),
    texts: [...texts.keys()].map(digestOf).sort(),
    imports: meant.map((one) => JSON.stringify(one)).sort(),
  };
  return new TextEncoder().encode(JSON.stringify(signed, withSortedKeys));
}

/** Whoever keeps an object may change the order of its keys. */
const withSortedKeys = (_key: string, value: Json): Json =>
  isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
