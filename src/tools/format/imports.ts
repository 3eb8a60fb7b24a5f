/** The canonical order of the imports at the head of a file (language.md §26). */
import type { Import, Program } from "../../syntax/index.ts";

/** The imports before anything else. */
export function leadingImports(program: Program): Import[] {
  const end = program.items.findIndex((item) => item.kind !== "Import");
  return program.items.slice(0, end < 0 ? program.items.length : end) as Import[];
}

/** `std/…` first, then by path; what brings everything before what brings names. */
export function compareImports(a: Import, b: Import): number {
  const std = Number(b.path.startsWith("std/")) - Number(a.path.startsWith("std/"));
  if (std !== 0) return std;
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return Number(a.names !== undefined) - Number(b.names !== undefined);
}

/** The program with its leading imports, and the names inside them, in order. */
export function withSortedImports(program: Program): Program {
  const imports = leadingImports(program);
  if (imports.length === 0) return program;
  const sorted = imports.map(withSortedNames).sort(compareImports);
  return { ...program, items: [...sorted, ...program.items.slice(imports.length)] };
}

function withSortedNames(node: Import): Import {
  if (node.names === undefined) return node;
  const names = [...node.names].sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  return { ...node, names };
}
