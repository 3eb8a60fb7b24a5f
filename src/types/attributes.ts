/** Attributes: names that are not known, declarations that they do not belong on, missing partners (language.md §17.6, §18). */
import type { Attribute, AttributeArg, Declaration } from "../syntax/index.ts";
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
  if (node.kind === "FnDecl") checkPredicate(c, node.attributes);
}

const evidence: readonly string[] = ["evidence", "confidence", "source_date", "coverage_examples"];

/** A predicate (a bare `@invariant`) says how it decides and on what its author relies; `@invariant("NAME", …)` is another thing. */
function checkPredicate(c: Checker, all: readonly Attribute[]): void {
  const named = (name: string): Attribute | undefined => all.find((one) => one.name.text === name);
  const [deterministic, semantic, archivist] = ["deterministic", "semantic", "archivist"].map(named);
  const warn = (at: Attribute | AttributeArg, text: string): void => c.report("HARN-NAM-008", at, { text });
  const bare = all.find((one) => one.name.text === "invariant" && one.args.length === 0);
  if (bare !== undefined) {
    if ((deterministic === undefined) === (semantic === undefined))
      warn(bare, "`@invariant` needs exactly one of `@deterministic` and `@semantic`");
    if (archivist === undefined) warn(bare, "`@invariant` needs `@archivist(evidence: …)`");
  } else if (deterministic !== undefined && semantic !== undefined)
    warn(semantic, "`@deterministic` and `@semantic` exclude each other");
  if (bare === undefined)
    for (const one of [archivist, named("retroactive")])
      if (one !== undefined)
        warn(one, `\`@${one.name.text}\` belongs to a function with a bare \`@invariant\``);
  if (archivist !== undefined) checkArchivist(c, archivist, warn);
}

function checkArchivist(
  c: Checker,
  archivist: Attribute,
  warn: (at: Attribute | AttributeArg, text: string) => void,
): void {
  for (const arg of archivist.args) {
    const name = arg.name?.text;
    if (name === undefined) warn(arg, "`@archivist` takes named arguments only");
    else if (!evidence.includes(name))
      warn(arg, `\`@archivist\` has no argument \`${name}\`: it takes ${evidence.join(", ")}`);
    else if (name === "confidence" && isOutside(c.source.slice(arg.value)))
      warn(arg, "the confidence of `@archivist` is a number from 0 to 1");
  }
  const value = archivist.args.find((arg) => arg.name?.text === "evidence")?.value;
  const isEmpty =
    value === undefined ||
    value.kind === "NilLit" ||
    (value.kind === "ListLit" && value.elements.length === 0) ||
    (value.kind === "StringLit" && value.value === "");
  if (isEmpty) warn(archivist, "`@archivist` names no evidence");
}

const isOutside = (text: string): boolean => {
  const value = Number(text);
  return !Number.isNaN(value) && (value < 0 || value > 1);
};
