/** What friction events are cleared of before anybody keeps them: secrets, and the raw texts of prompts (builtins.md §2.21). */
import { credentialName, redacted } from "../../effects/index.ts";
import { Dict, List, type Value } from "../../values/index.ts";
import { secretDetectors } from "../secrets/secret-detectors.ts";

/** A value, in quotes or as one word. Everything here is bounded, so that a hostile text costs linear time. */
const value = `"[^"]{0,4096}"|'[^']{0,4096}'|[^\\s,;]+`;
/** `token=abc`, redacted with its name. */
const assigned = new RegExp(`(?<![\\w-])([\\w-]+)=(?:${value})`, "g");
/** `password: abc` and `Bearer abc` keep their names. */
const told = new RegExp(
  `\\b(token|api[_-]?key|secret|password|passwd|authorization|bearer)(\\s*:\\s*|(?<=bearer)\\s+)(?:bearer\\s+)?(?:${value})`,
  "gi",
);
/** Words that look like keys: beginnings that vendors use, and what is too long for a word. */
const keyLike = /\b(?:sk-|ghp_|xoxb-|AKIA)[A-Za-z0-9_-]+|(?<![\w+/=-])[\w+=-]{49,}(?![\w+/=-])/g;

/** The name of a secret is not the secret. */
const reference = /_ref$/i;
const raw: ReadonlySet<string> = new Set(["raw_content", "raw_prompt"]);

export function redactedText(text: string): string {
  let clean = text
    .replace(assigned, (whole, name: string) => (credentialName.test(name) ? redacted : whole))
    .replace(told, (_whole, name: string, between: string) => `${name}${between}${redacted}`)
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
