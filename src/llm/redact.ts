/**
 * Keeps credentials out of everything that is shown, journaled or recorded.
 *
 * Two nets: the exact keys that a call used (a vendor may echo them), and the look of vendors' keys in general
 * (somebody else's key inside an error page).
 */

/** A key in use and the name of the variable it came from. */
export interface Secret {
  name: string;
  value: string;
}

const keyShapes =
  /\b(?:sk|pk|rk|gsk|xai|hf|AIza|tgp|fw)[-_][A-Za-z0-9_*-]{12,}|\bBearer\s+[A-Za-z0-9._~+/*-]{8,}=*/g;

/** Replaces every known secret by `{{secret:NAME}}` and everything that looks like a key by `{{secret}}`. */
export function redact(text: string, secrets: readonly Secret[] = []): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.value.length >= 4) clean = clean.replaceAll(secret.value, `{{secret:${secret.name}}}`);
  }
  return clean.replace(keyShapes, "{{secret}}");
}
