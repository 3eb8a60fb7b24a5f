/**
 * What a server needs before anybody is let in, read once, at the start: its certificate and key, held against each other before
 * anything listens, and the first principal of its store, an admin whose token lies in a file of the state folder or comes from the
 * environment.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../host/command/index.ts";
import { replaceContent } from "../../store/files/whole-files.ts";
import type { StoreAccess } from "../index.ts";

export interface Certificate {
  /** PEM texts. */
  readonly cert: string;
  readonly key: string;
}

/** How whoever gave a certificate and a key calls them, at the head of a sentence and within one. */
export interface CertificateWords {
  readonly cert: string;
  readonly key: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** Holds them against each other; throws a `UsageError` where they can't serve. `warn`: of what works and should not stay so. */
export function checkCertificate(
  { cert, key }: Certificate,
  words: CertificateWords,
  warn: (text: string) => void,
): void {
  const parsed = certificateIn(cert, words);
  if (!parsed.checkPrivateKey(keyIn(key, words)))
    throw certificateProblem(`${words.key} is not the key of the certificate in ${words.certFile}`);
  const now = Date.now();
  if (parsed.validToDate.getTime() < now)
    warn(`the certificate ${words.certFile} expired on ${parsed.validTo}`);
  if (parsed.validFromDate.getTime() > now)
    warn(`the certificate ${words.certFile} is valid from ${parsed.validFrom} on`);
}

/** `warn`: as above. Throws a `UsageError` for files that can't serve. */
export function certificateOf(
  { tlsCert, tlsKey }: { readonly tlsCert?: string; readonly tlsKey?: string },
  warn: (text: string) => void,
): Certificate | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined)
    throw new UsageError("--tls-cert and --tls-key belong together");
  const cert = pemText("--tls-cert", tlsCert);
  const key = pemText("--tls-key", tlsKey);
  checkCertificate(
    { cert, key },
    { cert: `--tls-cert: ${tlsCert}`, key: `--tls-key: ${tlsKey}`, certFile: tlsCert, keyFile: tlsKey },
    warn,
  );
  if (process.platform !== "win32" && (statSync(tlsKey).mode & 0o077) !== 0)
    warn(`others may read the key ${tlsKey}: chmod 600 ${tlsKey}`);
  return { cert, key };
}

function pemText(flag: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    throw certificateProblem(`${flag}: ${file} cannot be read`);
  }
}

function certificateIn(pem: string, { cert }: CertificateWords): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw certificateProblem(`${cert} has no certificate (PEM: \`-----BEGIN CERTIFICATE-----\`)`);
  }
}

function keyIn(pem: string, { key, keyFile }: CertificateWords): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw certificateProblem(
      /ENCRYPTED/.test(pem)
        ? `${key} needs a passphrase, which nobody is there to give: \`openssl pkey -in ${keyFile}\` writes it without one`
        : `${key} has no private key (PEM: \`-----BEGIN PRIVATE KEY-----\`)`,
    );
  }
}

const certificateProblem = (text: string): UsageError => new UsageError(text, "HARN-CLI-006");

export const tokenVariable = "HARN_SERVE_TOKEN";
const leastCharacters = 32;
const admin = "admin";

const tokenFile = (state: string): string => join(state, "serve.token");

/** Gives the name of an admin for whom a login link may be made. */
export function adminOf(access: StoreAccess, state: string, text: string | undefined): string {
  const known = () => access.list().find(({ role, revoked }) => role === admin && revoked === null)?.name;
  if (text !== undefined && text !== "") {
    if (text.length < leastCharacters)
      throw new UsageError(`${tokenVariable} must have at least ${leastCharacters} characters`);
    if (!access.replaceToken(admin, text)) access.add(admin, admin, text);
    // A token that does not hold any more helps nobody.
    rmSync(tokenFile(state), { force: true });
    return admin;
  }
  const first = known();
  if (first !== undefined) return first;
  const token = access.add(admin, admin);
  if (token === undefined) {
    // Another server on this store was first, a moment ago.
    const other = known();
    if (other !== undefined) return other;
    throw new UsageError("there is a principal `admin` that is no admin", "HARN-CLI-008");
  }
  const file = tokenFile(state);
  // In its place as a whole: a link that a project brought along is replaced, never written through.
  replaceContent(file, `${token}\n`, 0o600);
  return admin;
}
