/** Lists of names in sources: array literals and switches whose texts are mostly names of one vocabulary. */
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseSync } from "rolldown/experimental";

const root = resolve(import.meta.dirname, "../..");

export interface NameList {
  /** `src/lower/calls.ts:40` */
  readonly place: string;
  readonly file: string;
  readonly names: readonly string[];
}

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && typeof (value as SyntaxNode).type === "string";

const textOf = (value: unknown): string | undefined =>
  isNode(value) && value.type === "Literal" && typeof value.value === "string" ? value.value : undefined;

/** The texts of a list: of `["a", "b"]`, `[["a", x], ["b", y]]`, and of the cases of a switch. */
function listed(node: SyntaxNode): readonly string[] {
  const children = (key: string): readonly unknown[] => (node[key] as readonly unknown[] | undefined) ?? [];
  if (node.type === "SwitchStatement")
    return children("cases").flatMap((one) => textOf((one as SyntaxNode).test) ?? []);
  if (node.type !== "ArrayExpression") return [];
  return children("elements").flatMap((one) => {
    const first = isNode(one) && one.type === "ArrayExpression" ? (one.elements as unknown[])[0] : one;
    return textOf(first) ?? [];
  });
}

/** Every list of at least two texts in `src`. */
export function nameLists(): readonly NameList[] {
  return globSync("src/**/*.ts", { cwd: root })
    .sort()
    .flatMap((file) => listsOf(file, readFileSync(join(root, file), "utf8")));
}

function listsOf(file: string, text: string): NameList[] {
  const found: NameList[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isNode(value)) return;
    const names = listed(value);
    if (names.length >= 2)
      found.push({ place: `${file}:${text.slice(0, value.start).split("\n").length}`, file, names });
    for (const child of Object.values(value)) visit(child);
  };
  visit(parseSync(file, text).program);
  return found;
}
