/** The certificate of `harn serve` and its key: read once, at the start, and held against each other before anything listens. */
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { UsageError } from "../../host/command/index.ts";

export interface Certificate {
  /** PEM texts. */
  readonly cert: string;
  readonly key: string;
}

/** `warn`: of what works and should not stay so. Throws a `UsageError` for files that can't serve. */
export function certificateOf(
  { tlsCert, tlsKey }: { readonly tlsCert?: string; readonly tlsKey?: string },
  warn: (text: string) => void,
): Certificate | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined)
    throw new UsageError("--tls-cert and --tls-key belong together");
  const cert = pemText("--tls-cert", tlsCert);
  const key = pemText("--tls-key", tlsKey);
  const parsed = certificateIn(tlsCert, cert);
  if (!parsed.checkPrivateKey(keyIn(tlsKey, key)))
    throw certificateProblem(`--tls-key: ${tlsKey} is not the key of the certificate in ${tlsCert}`);
  const now = Date.now();
  if (parsed.validToDate.getTime() < now) warn(`the certificate ${tlsCert} expired on ${parsed.validTo}`);
  if (parsed.validFromDate.getTime() > now)
    warn(`the certificate ${tlsCert} is valid from ${parsed.validFrom} on`);
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

function certificateIn(file: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw certificateProblem(`--tls-cert: ${file} has no certificate (PEM: \`-----BEGIN CERTIFICATE-----\`)`);
  }
}

function keyIn(file: string, pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw certificateProblem(
      /ENCRYPTED/.test(pem)
        ? `--tls-key: ${file} needs a passphrase, which nobody is there to give: \`openssl pkey -in ${file}\` writes it without one`
        : `--tls-key: ${file} has no private key (PEM: \`-----BEGIN PRIVATE KEY-----\`)`,
    );
  }
}

const certificateProblem = (text: string): UsageError => new UsageError(text, "HARN-CLI-006");
