/** What went wrong in an exchange over HTTP, in words that name host and port and no more: paths and queries carry keys. */
import { HostError } from "../ports.ts";

/** Words that say what happened, and by which `error_category` recognises it. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ECONNABORTED: "connection closed",
  EPIPE: "broken pipe",
  ENOTFOUND: "dns error: host not found",
  EAI_AGAIN: "dns error: the name server does not answer",
  ETIMEDOUT: "Deadline exceeded: the host does not answer",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network is unreachable",
  ERR_STREAM_PREMATURE_CLOSE: "connection closed before the answer was complete",
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the server's certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "the server's certificate is self-signed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server's certificate can't be verified",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the server's certificate can't be verified",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for another host",
};

export function failure(error: unknown, url: URL): HostError {
  if (error instanceof HostError) return error;
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const code = String((first as { code?: unknown } | undefined)?.code ?? "EIO");
  const known = Object.hasOwn(words, code) ? words[code] : undefined;
  if (known !== undefined) return new HostError(code, `${known} (${url.host})`);
  if (
    code.startsWith("Z_") ||
    code.startsWith("ERR_BROTLI") ||
    code.startsWith("ERR_ZSTD") ||
    code.startsWith("ERR__ERROR")
  )
    return new HostError(code, `the body is compressed wrongly (${url.host})`);
  if (code.startsWith("HPE_")) return new HostError(code, `the server does not speak HTTP (${url.host})`);
  return new HostError(code, `${code} (${url.host})`);
}
