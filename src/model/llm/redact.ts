/**
 * Keeps credentials out of everything that is shown, journaled or recorded.
 *
 * Two nets: the exact keys in use (a vendor may echo them), and, in error texts only, the look of vendors' keys in
 * general (somebody else's key inside an error page). Recordings get the first net alone: identifiers such as
 * `pk_account_2024_index` look like keys too, and an answer that was changed no longer fits its script.
 */

/** A key in use and the name of the variable it came from. */
export interface Secret {
  name: string;
  value: string;
}

const keyShapes =
  /\b(?:sk|pk|rk|gsk|xai|hf|AIza|tgp|fw)[-_](?=[A-Za-z_*-]*\d)[A-Za-z0-9_*-]{12,}|\bBearer\s+[A-Za-z0-9._~+/*-]{8,}=*/g;

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
  return redactKnown(text, secrets).replace(keyShapes, "[redacted]");
}
