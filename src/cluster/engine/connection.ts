/** How both sides reach the engine, and what it means when that fails. */
import type { Code } from "../../diagnostics/index.ts";
import { UsageError } from "../../host/command/index.ts";
import type { ClusterSettings } from "../ports.ts";

type Place = ClusterSettings["engine"];

export const connectionOptions = ({ address, tls, ca, certificate, apiKey }: Place) => ({
  address,
  tls: tls
    ? {
        ...(ca === undefined ? {} : { serverRootCACertificate: Buffer.from(ca) }),
        ...(certificate === undefined
          ? {}
          : { clientCertPair: { crt: Buffer.from(certificate.cert), key: Buffer.from(certificate.key) } }),
      }
    : // Without a word the client takes a key as a sign that there is TLS.
      false,
  ...(apiKey === undefined ? {} : { apiKey }),
});

/** The numbers of gRPC that mean: not now, nobody knows. */
const passing: ReadonlySet<number> = new Set([1, 2, 4, 8, 10, 13, 14, 15]);
const codes: Readonly<Record<number, Code>> = {
  4: "HARN-CLU-007",
  14: "HARN-CLU-007",
  // Invalid, not found, not allowed, not now, not known, not authenticated.
  3: "HARN-CLU-008",
  5: "HARN-CLU-008",
  7: "HARN-CLU-008",
  9: "HARN-CLU-008",
  12: "HARN-CLU-013",
  16: "HARN-CLU-008",
};

interface Status {
  readonly code: number;
  readonly details: string;
}

/** The answer of the engine, or of the network, that an error of its client is about. */
function grpcStatus(error: unknown): Status | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code, details, name } = at as Error & { code?: unknown; details?: unknown };
    if (typeof code === "number")
      return { code, details: ownWords(typeof details === "string" ? details : at.message) };
    if (name === "NamespaceNotFoundError") return { code: 5, details: at.message };
    if (name === "TransportError") return nativeStatus(at.message);
  }
  return undefined;
}

/** What the network said, out of what the client says about it: `No connection established. Last error: Error: …. Resolution note: `. */
const ownWords = (text: string): string =>
  /Last error: (?:Error: )?(.*?)\. Resolution note:/s.exec(text)?.[1] ?? text;

/** The workers' side is a binary, which speaks in words only: `…: Status { code: NotFound, message: "…", … }`. */
function nativeStatus(text: string): Status {
  const [, name = "", details = text] = /code: (\w+), message: "((?:[^"\\]|\\.)*)"/.exec(text) ?? [];
  return { code: nativeCodes[name] ?? 14, details };
}

const nativeCodes: Readonly<Record<string, number>> = {
  InvalidArgument: 3,
  NotFound: 5,
  PermissionDenied: 7,
  FailedPrecondition: 9,
  Unimplemented: 12,
  Unauthenticated: 16,
};

/** It may be answered otherwise in a while. */
export function mayPassLater(error: unknown): boolean {
  const status = grpcStatus(error);
  return status !== undefined && passing.has(status.code);
}

/** An error for people, where it is about reaching the engine; others as they are. */
export function engineError(error: unknown, { address, namespace }: Place): unknown {
  const status = grpcStatus(error);
  if (error instanceof UsageError || status === undefined) return error;
  const code = codes[status.code];
  if (code === undefined && !passing.has(status.code)) return error;
  const [first = ""] = status.details.split("\n");
  return code === undefined || code === "HARN-CLU-007"
    ? new UsageError(`the engine can't be reached at ${address}: ${first}`, "HARN-CLU-007")
    : new UsageError(`the engine at ${address} (namespace ${namespace}) refuses it: ${first}`, code);
}
