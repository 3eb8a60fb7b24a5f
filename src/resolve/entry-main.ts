/**
 * The entry of 0.8: `fn main(harness: Harness)` in a file without pipelines (language.md §19.1). The file's top level
 * runs as always, and then `main` is called: as if `return main(harness)` stood at its end. A file whose own statements
 * use `main` has seen to that itself.
 */
import type { Call, FnDecl, Item, Program, Return } from "../syntax/index.ts";
import { isDeclaration } from "../syntax/nodes.ts";

/** The declaration that runs last; `undefined` for files in which a `main` is an ordinary function. */
export function mainOf(program: Program): FnDecl | undefined {
  if (program.items.some((item) => item.kind === "PipelineDecl")) return undefined;
  const main = program.items.find(
    (item): item is FnDecl => item.kind === "FnDecl" && item.name.text === "main" && takesHarness(item),
  );
  if (main === undefined) return undefined;
  const others = program.items.filter((item) => !isDeclaration(item));
  return others.some(namesMain) ? undefined : main;
}

/**
 * A `main` that looks like an entry and never runs: it takes no harness, nothing in the file uses it, and other files don't
 * see it as something to import.
 */
export function unusedMainOf(program: Program): FnDecl | undefined {
  if (program.items.some((item) => item.kind === "PipelineDecl")) return undefined;
  const main = program.items.find(
    (item): item is FnDecl => item.kind === "FnDecl" && item.name.text === "main",
  );
  if (main === undefined || main.pub || main.attributes.length > 0 || takesHarness(main)) return undefined;
  return program.items.some((item) => item !== main && namesMain(item)) ? undefined : main;
}

/** Is the harness all that it takes? */
export const isEntryMain = (main: FnDecl): boolean => main.params.length === 1 && !main.params[0]!.rest;

/** `return main(harness)`, standing where the declaration stands. */
export function callOfMain(main: FnDecl): Return {
  const { start, end } = main.name;
  const call: Call = {
    kind: "Call",
    start,
    end,
    callee: { kind: "Identifier", start, end, name: "main" },
    typeArgs: [],
    args: [{ kind: "Identifier", start, end, name: "harness" }],
  };
  return { kind: "Return", start, end, value: call };
}

const takesHarness = (main: FnDecl): boolean =>
  main.params.some(({ type }) => type?.kind === "NamedType" && type.name.text === "Harness");

/** Does a statement mention the name anywhere? Keeps its own stack: trees may be deep. */
function namesMain(item: Item): boolean {
  const stack: unknown[] = [item];
  while (stack.length > 0) {
    const node = stack.pop();
    if (typeof node !== "object" || node === null) continue;
    if ("kind" in node && node.kind === "Identifier" && "name" in node && node.name === "main") return true;
    for (const child of Object.values(node)) stack.push(child);
  }
  return false;
}
