/**
 * Keeps credentials out of everything that is shown, journaled or recorded.
 *
 * Three nets: the exact keys in use (a vendor may echo them), the look of vendors' keys in general (somebody else's key
 * inside an error page), and names under which credentials travel. `redactedText` and `redactedValue` cast a wider one. Recordings get the first net alone: identifiers such as
 * `pk_account_2024_index` look like keys too, and an answer that was changed no longer fits its script.
 */

import { Dict, List, type Value } from "../../values/index.ts";
import { secretDetectors } from "./secret-detectors.ts";

/** What stands where a credential was. */
const redacted = "[redacted]";

/** Names of fields that hold credentials, wherever they stand. */
const credentialName = /token|api[_-]?key|secret|passw|authorization|credential|cookie/i;

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

/** A value, in quotes or as one word. Everything here is bounded, so that a hostile text costs linear time. */
const assignedValue = `"[^"]{0,4096}"|'[^']{0,4096}'|[^\\s,;]+`;
/** `token=abc`, redacted with its name. */
const assigned = new RegExp(`(?<![\\w-])([\\w-]+)=(?:${assignedValue})`, "g");
/** `password: abc` and `Bearer abc` keep their names. */
const known = new RegExp(
  `\\b(token|api[_-]?key|secret|password|passwd|authorization|bearer)(\\s*:\\s*|(?<=bearer)\\s+)(?:bearer\\s+)?(?:${assignedValue})`,
  "gi",
);
/** Words that look like keys: beginnings that vendors use, and what is too long for a word. */
const keyLike = /\b(?:sk-|ghp_|xoxb-|AKIA)[A-Za-z0-9_-]+|(?<![\w+/=-])[\w+=-]{49,}(?![\w+/=-])/g;

/** The name of a secret is not the secret. */
const reference = /_ref$/i;
const raw: ReadonlySet<string> = new Set(["raw_content", "raw_prompt"]);

/** A wider net: what may be a secret is taken for one, for texts that are kept for others (friction events, manifests). */
export function redactedText(text: string): string {
  let clean = text
    .replace(assigned, (whole, name: string) => (credentialName.test(name) ? redacted : whole))
    .replace(known, (_whole, name: string, between: string) => `${name}${between}${redacted}`)
    .replace(keyLike, redacted);
  for (const { pattern, accepts } of secretDetectors) {
    clean = clean.replace(pattern, (whole: string, group: unknown) => {
      const secret = typeof group === "string" ? group : whole;
      const at = whole.lastIndexOf(secret);
      if (accepts?.(secret) === false) return whole;
      return `${whole.slice(0, at)}${redacted}${whole.slice(at + secret.length)}`;
    });
  }
  return clean;
}

/** A value with all of its texts, at every depth. */
export function redactedValue(value: Value): Value {
  if (typeof value === "string") return redactedText(value);
  if (value instanceof List) return new List(value.toArray().map(redactedValue));
  if (!(value instanceof Dict)) return value;
  return Dict.from(
    [...value.entries()]
      .filter(([key]) => !raw.has(key))
      .map(([key, entry]) => {
        const hide = credentialName.test(key) && !reference.test(key) && entry !== null;
        return [key, hide ? redacted : redactedValue(entry)] as const;
      }),
  );
}
