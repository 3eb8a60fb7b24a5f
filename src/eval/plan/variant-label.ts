/** What a variant is called where its task is known: `model=gpt-4o` is `gpt-4o` when nothing but the model varies. */
import type { Variant } from "./variant.ts";

/** A task whose variants are known. */
interface WithVariants {
  readonly spec: { readonly variants: readonly Variant[] };
}

export function variantLabel({ spec }: WithVariants, name: string): string {
  const prefixes = spec.variants.map((variant) => /^([\w.-]+=)[^,]*$/u.exec(variant.name)?.[1]);
  const [prefix] = prefixes;
  const isOneKey = prefix !== undefined && prefixes.every((one) => one === prefix);
  return isOneKey && name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** The variant that an author means by its name or by what it is called: `model=gpt-4o` for `gpt-4o`. */
export const variantCalled = (task: WithVariants, called: string): string | undefined => {
  const names = task.spec.variants.map(({ name }) => name);
  return names.find((name) => name === called) ?? names.find((name) => variantLabel(task, name) === called);
};
