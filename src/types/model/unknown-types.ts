/**
 * Names of types that nothing declares. An annotation with such a name checks nothing, so it is refused. Declarations
 * anywhere in the file count, wherever the annotation stands, and those of all files that it imports.
 */
import { nearest } from "../../diagnostics/index.ts";
import type { FnDecl, Name, Node } from "../../syntax/index.ts";
import type { Checker } from "../checker.ts";
import { walkType } from "./tree.ts";
import { builtinNames } from "./type-scope.ts";

/** Types of other languages, and what they are here. */
export const typeElsewhere = (name: string): string | undefined => elsewhere.get(name);

const elsewhere: ReadonlyMap<string, string> = new Map([
  ["String", "string"],
  ["str", "string"],
  ["text", "string"],
  ["char", "string"],
  ["Int", "int"],
  ["integer", "int"],
  ["i64", "int"],
  ["number", "float"],
  ["double", "float"],
  ["Float", "float"],
  ["boolean", "bool"],
  ["Bool", "bool"],
  ["object", "dict"],
  ["map", "dict"],
  ["Map", "dict"],
  ["Dict", "dict"],
  ["record", "dict"],
  ["array", "list"],
  ["Array", "list"],
  ["List", "list"],
  ["vec", "list"],
  ["Set", "set"],
  ["void", "nil"],
  ["null", "nil"],
  ["None", "nil"],
  ["unit", "nil"],
  ["function", "closure"],
]);

/** Types of values that the host gives. */
const isOfHost = (name: string): boolean => name.startsWith("Harness") || name === "TriggerEvent";

const declaring: ReadonlySet<string> = new Set([
  "StructDecl",
  "EnumDecl",
  "InterfaceDecl",
  "TypeAliasDecl",
  "FnDecl",
]);

/** Reports every annotation, `impl` and `where` of the file that names a type which does not exist. */
export function checkTypeNames(c: Checker): void {
  if (!c.types.complete) return;
  const known = new Set<string>([
    ...builtinNames,
    "any",
    "unknown",
    "never",
    ...c.types.importedNames(),
    ...c.module.missingNames,
  ]);
  const used: Name[] = [];
  walkType(c.module.ast as unknown as Node, (node) => {
    if (declaring.has(node.kind)) collectTypeNames(node as FnDecl, known, used);
    else if (node.kind === "NamedType") used.push((node as unknown as { name: Name }).name);
    else if (node.kind === "ImplDecl") used.push((node as unknown as { target: Name }).target);
    return true;
  });
  for (const name of used.sort((a, b) => a.start - b.start)) {
    const { text } = name;
    if (known.has(text) || isOfHost(text)) continue;
    const near = elsewhere.get(text) ?? nearest(text, known);
    c.report("HARN-NAM-010", name, { name: text, near });
  }
}

/** What a declaration adds to the names: its own, its type parameters, and the associated types of an interface. */
function collectTypeNames(node: Declares, known: Set<string>, used: Name[]): void {
  if (node.kind !== "FnDecl") known.add(node.name.text);
  for (const param of node.typeParams) known.add(param.name.text);
  for (const type of node.types ?? []) known.add(type.name.text);
  for (const method of node.kind === "InterfaceDecl" ? (node.methods ?? []) : [])
    for (const param of method.typeParams) known.add(param.name.text);
  for (const { bounds } of node.where ?? []) used.push(...bounds);
}

interface Declares {
  readonly kind: string;
  readonly name: Name;
  readonly typeParams: readonly { readonly name: Name }[];
  readonly types?: readonly { readonly name: Name }[];
  readonly methods?: readonly { readonly typeParams: readonly { readonly name: Name }[] }[];
  readonly where?: FnDecl["where"];
}
