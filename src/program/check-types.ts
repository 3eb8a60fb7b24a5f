/**
 * The type checker between compiling and running. It is loaded only for programs that it has not seen: that a program
 * has no finding is remembered beside the syntax trees, under the texts of all its files.
 */
import { builtinTable, namespaceMembers } from "../builtins/index.ts";
import type { Diagnostic } from "../diagnostics/index.ts";
import { type Compiled, withFindings } from "../lower/index.ts";
import type { ResolvedProgram } from "../resolve/index.ts";
import { AstCache, astCacheFolder } from "./ast-cache.ts";
import { checkerShape } from "./ast-shape.ts";

/** Adds the findings of the type checker, if the program came as far as having types. */
export async function checkTypes(
  compiled: Compiled,
  strict: boolean,
  /** The keys of literal dicts that are given as options too: `harn check`. A run says that when it comes there. */
  fields = false,
): Promise<Compiled> {
  const { resolved } = compiled;
  if (resolved === undefined) return compiled;
  const clean = new AstCache<{ clean: true }>(
    astCacheFolder(),
    `${checkerShape()}${strict ? "-strict" : ""}${fields ? "-fields" : ""}`,
  );
  const key = textOfModules(resolved);
  if (clean.get(key) !== undefined) return compiled;
  const findings = await find(resolved, strict, fields);
  if (findings.length === 0) clean.set(key, { clean: true });
  return withFindings(compiled, findings);
}

async function find(
  resolved: ResolvedProgram,
  strict: boolean,
  fields: boolean,
): Promise<readonly Diagnostic[]> {
  const { checkProgram } = await import("../types/index.ts");
  const builtins = builtinTable();
  const members = { namespaces: namespaceMembers(), builtinNames: () => builtins.keys() };
  return checkProgram(resolved, { builtins, members, strict, fields });
}

/** All files, each with its name: the same text means other things beside other modules. */
function textOfModules(resolved: ResolvedProgram): string {
  return resolved.modules.map(({ path, source }) => `${path}\n${source.text}`).join("\n\0\n");
}
