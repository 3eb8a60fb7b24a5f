/**
 * Are two trees the same up to positions? What the formatter may change on purpose does not count: `[T]` is `list<T>`,
 * and documentation is compared by its words. Keeps its own stack.
 */

const POSITIONS: ReadonlySet<string> = new Set(["start", "end", "opSpan", "keySpan", "pathSpan"]);

export function sameTree(one: unknown, other: unknown): boolean {
  const stack: [unknown, unknown, string][] = [[one, other, ""]];
  while (stack.length > 0) {
    const [a, b, key] = stack.pop()!;
    if (a === b) continue;
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
      if (key === "doc" && docWords(a) === docWords(b)) continue;
      if (Number.isNaN(a) && Number.isNaN(b)) continue;
      return false;
    }
    const left = canonicalTree(a);
    const right = canonicalTree(b);
    if (Array.isArray(left) !== Array.isArray(right)) return false;
    const keys = nodeKeysOf(left);
    if (keys.length !== nodeKeysOf(right).length) return false;
    for (const name of keys) {
      if (!Object.hasOwn(right, name)) return false;
      stack.push([(left as TreeFields)[name], (right as TreeFields)[name], name]);
    }
  }
  return true;
}

type TreeFields = Record<string, unknown>;

function nodeKeysOf(node: object): string[] {
  return Object.keys(node).filter((key) => !POSITIONS.has(key) && (node as TreeFields)[key] !== undefined);
}

function canonicalTree(node: object): object {
  if (!("kind" in node) || node.kind !== "ListType") return node;
  const { element } = node as unknown as { element: object };
  return { kind: "NamedType", name: { text: "list" }, args: [element] };
}

function docWords(doc: unknown): string {
  return String(doc)
    .split(/[\s*]+/)
    .filter((word) => word !== "")
    .join(" ");
}
