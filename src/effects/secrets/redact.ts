/**
 * Keeps credentials out of everything that is shown, journaled or recorded.
 *
 * Three nets: the exact keys in use (a vendor may echo them), the look of vendors' keys in general (somebody else's key
 * inside an error page), and names under which credentials travel. Recordings get the first net alone: identifiers such as
 * `pk_account_2024_index` look like keys too, and an answer that was changed no longer fits its script.
 */

/** What stands where a credential was. */
export const redacted = "[redacted]";

/** Names of fields that hold credentials, wherever they stand. */
export const credentialName = /token|api[_-]?key|secret|passw|authorization|credential|cookie/i;

/** Headers and parameters of requests: more names mean a credential there (`X-Auth`, `sig…`, `key`). */
const wireName = new RegExp(`${credentialName.source}|auth|signature|key|session`, "i");

const keyShapes =
  /\b(?:sk|pk|rk|gsk|xai|hf|AIza|tgp|fw)[-_](?=[A-Za-z_*-]*\d)[A-Za-z0-9_*-]{12,}|\bBearer\s+[A-Za-z0-9._~+/*-]{8,}=*/g;

/** A key in use and the name of the variable it came from. */
export interface Secret {
  name: string;
  value: string;
}

/** Replaces every known secret by `{{secret:NAME}}`. */
export function redactKnown(text: string, secrets: readonly Secret[]): string {
  let clean = text;
  for (const { name, value } of secrets) {
    // Shorter ones are placeholders like `x`, and would be found in every word.
    if (value.length >= 6) clean = clean.replaceAll(value, `{{secret:${name}}}`);
  }
  return clean;
}

/** Replaces every known secret and everything that looks like a key. */
export function redact(text: string, secrets: readonly Secret[] = []): string {
  return redactKnown(text, secrets).replace(keyShapes, redacted);
}

/** A header's value as messages and lists of calls show it. */
export const redactHeader = (name: string, value: string): string => (wireName.test(name) ? redacted : value);

/** Without credentials before the host and in parameters. Text work only: the rest stays as it was written. */
export function redactUrl(url: string): string {
  const plain = url.replace(/^((?:https?|wss?):\/\/)[^/?#@]*@/i, "$1");
  const at = plain.indexOf("?");
  if (at < 0) return plain;
  const query = plain
    .slice(at + 1)
    .replace(/([^&=#]+)=([^&#]*)/g, (pair, name: string) =>
      wireName.test(name) ? `${name}=${encodeURIComponent(redacted)}` : pair,
    );
  return `${plain.slice(0, at)}?${query}`;
}
