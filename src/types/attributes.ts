/** Attributes: names that are not known, declarations that they do not belong on, missing partners (language.md §17.6, §18). */
import type { Attribute, Declaration } from "../syntax/index.ts";
import type { Checker } from "./checker.ts";

/** What each attribute may stand on; none: anything. */
const places: ReadonlyMap<string, readonly Declaration["kind"][]> = new Map<
  string,
  readonly Declaration["kind"][]
>([
  ["deprecated", []],
  ["complexity", []],
  ["step", []],
  ["command", []],
  ["test", ["PipelineDecl"]],
  ["acp_tool", ["FnDecl"]],
  ["acp_skill", ["FnDecl"]],
  ["deterministic", ["FnDecl"]],
  ["semantic", ["FnDecl"]],
  ["archivist", ["FnDecl"]],
  ["retroactive", ["FnDecl"]],
  ["invariant", ["FnDecl", "ToolDecl", "PipelineDecl"]],
]);

const words: Readonly<Record<string, string>> = {
  PipelineDecl: "pipeline declarations",
  FnDecl: "function declarations",
  "FnDecl,ToolDecl,PipelineDecl": "function, tool, or pipeline declarations",
};

export function checkAttributes(c: Checker, node: Declaration): void {
  if (node.attributes.length === 0) return;
  for (const attribute of node.attributes) {
    const name = attribute.name.text;
    const allowed = places.get(name);
    if (allowed === undefined) c.report("HARN-NAM-003", attribute, { name, names: [...places.keys()] });
    else if (allowed.length > 0 && !allowed.includes(node.kind))
      c.report("HARN-NAM-007", attribute, { name, where: words[allowed.join()]! });
  }
  const bare = node.attributes.find((one) => one.name.text === "invariant" && one.args.length === 0);
  if (bare !== undefined && node.kind === "FnDecl") checkPartners(c, bare, node.attributes);
}

const evidence = ["evidence", "confidence", "source_date", "coverage_examples"];

/** A predicate says how it decides and on what its author relies. */
function checkPartners(c: Checker, at: Attribute, all: readonly Attribute[]): void {
  const named = (name: string): Attribute | undefined => all.find((one) => one.name.text === name);
  const kinds = ["deterministic", "semantic"].filter((name) => named(name) !== undefined);
  if (kinds.length !== 1)
    c.report("HARN-NAM-008", at, {
      text: "`@invariant` needs exactly one of `@deterministic` and `@semantic`",
    });
  const archivist = named("archivist");
  const given = new Set(archivist?.args.map((arg) => arg.name?.text));
  if (archivist === undefined || evidence.some((name) => !given.has(name)))
    c.report("HARN-NAM-008", archivist ?? at, {
      text: "`@invariant` needs `@archivist(evidence: …, confidence: …, source_date: …, coverage_examples: …)`",
    });
}
