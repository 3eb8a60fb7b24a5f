/** What a variant is called where its task is known: `model=gpt-4o` is `gpt-4o` when nothing but the model varies. */
import type { RecordedTask } from "../recorded-set.ts";

export function variantLabel({ spec }: RecordedTask, name: string): string {
  const prefixes = spec.variants.map((variant) => /^([\w.-]+=)[^,]*$/u.exec(variant.name)?.[1]);
  const [prefix] = prefixes;
  const isOneKey = prefix !== undefined && prefixes.every((one) => one === prefix);
  return isOneKey && name.startsWith(prefix) ? name.slice(prefix.length) : name;
}
