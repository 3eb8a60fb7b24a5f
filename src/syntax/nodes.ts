/** What nodes are, by their kinds. A door of its own: who runs trees that were parsed before does not load the parser. */
import type { Expr, Item, Pattern } from "./ast.ts";

/** What a link of a chain (`.name`, `[…]`, `.method(…)`, `?`, `|>`) stands after; `undefined` when it is no link. */
export function leftOfLink(node: Expr): Expr | undefined {
  switch (node.kind) {
    case "Member":
    case "Index":
    case "Slice":
      return node.object;
    case "MethodCall":
      return node.receiver;
    case "Propagate":
    case "Pipe":
      return node.value;
    default:
      return undefined;
  }
}

/** Declarations run before the pipeline; of these only functions, tools … have something to run. */
export const isDeclaration = (item: Item): boolean => item.kind.endsWith("Decl");

/**
 * What is wrong with a pattern that takes the entries of a dict apart, which have `key` and `value` and nothing else: a sentence
 * that says what to write; `undefined` for a right one.
 */
export function foreignToEntries(pattern: Pattern): string | undefined {
  const names =
    pattern.kind === "PairPattern"
      ? [pattern.first.text, pattern.second.text]
      : pattern.kind === "DictPattern"
        ? pattern.entries.filter((one) => one.default === undefined).map((one) => one.key.text)
        : [];
  const foreign =
    pattern.kind === "PairPattern" ? names : names.filter((one) => one !== "key" && one !== "value");
  const [key, value] = names;
  if (foreign.length === 0) return undefined;
  const what = pattern.kind === "PairPattern" ? "are no pairs" : `have no \`${foreign.join("` and no `")}\``;
  const renamed = names.length === 2 && foreign.length === 2 ? `, or \`{key: ${key}, value: ${value}}\`` : "";
  return `entries of a dict are {key, value} and ${what}; write \`for {key, value} in …\`${renamed}`;
}
