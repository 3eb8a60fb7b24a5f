/**
 * Which builtins and exported functions the golden programs use, read from their trees: nothing is run.
 *
 * A *probe* is a call that a program named `bad_….harn` makes to see what it answers to bad input:
 * `show("trim(nil)", fn() { trim(nil) })`. It belongs to the function at the head of the closure's expression, and counts
 * only when the expected output has its line: `LABEL: …`, or below `== NAME` when it has no label.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { harnessBuiltin } from "../../src/builtins/index.ts";
import { SourceFile } from "../../src/source/index.ts";
import type { Closure, Expr, Import, MethodCall, Node, Program } from "../../src/syntax/index.ts";
import { parse } from "../../src/syntax/index.ts";
import { type GoldenCase, goldenCases, goldenRoot } from "./goldens.ts";
import { projectRoot } from "./project.ts";
import { nodesOf } from "./syntax-text.ts";

export interface GoldenUses {
  /** Names that no module and no declaration of the program takes, outside of probing programs: those of builtins. */
  readonly builtins: ReadonlySet<string>;
  readonly probed: ReadonlySet<string>;
  /** `std/module.name`, under the module that declares the name. */
  readonly exports: ReadonlySet<string>;
}

/** What all golden programs use. */
export function goldenUses(): GoldenUses {
  const library = standardModules();
  const builtins = new Set<string>();
  const probed = new Set<string>();
  const exports = new Set<string>();
  for (const golden of goldenCases(goldenRoot)) {
    const { program } = parse(new SourceFile(golden.name, readFileSync(golden.program, "utf8")));
    const imported = importedNames(program, library);
    const taken = declaredNames(program);
    for (const name of namesRead(program)) {
      if (taken.has(name)) continue;
      const home = imported.get(name);
      if (home !== undefined) exports.add(home);
      else if (!isProbing(golden)) builtins.add(name);
    }
    for (const name of probes(program, golden)) if (!taken.has(name) && !imported.has(name)) probed.add(name);
  }
  return { builtins, probed, exports };
}

/** Exported functions of each standard module, with where they are declared: `std/fs` → `fs_snapshot` → `std/fs/snapshots`. */
export function standardModules(): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const root = join(projectRoot, "stdlib");
  const programs = new Map<string, Program>();
  for (const file of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".harn") || basename(file) === ".harn") continue;
    const { program } = parse(new SourceFile(file, readFileSync(join(root, file), "utf8")));
    programs.set(`std/${file.slice(0, -".harn".length)}`, program);
  }
  return new Map([...programs.keys()].map((module) => [module, exportsOf(module, programs)]));
}

function exportsOf(module: string, programs: ReadonlyMap<string, Program>): Map<string, string> {
  const found = new Map<string, string>();
  for (const item of programs.get(module)?.items ?? []) {
    if (item.kind === "FnDecl" && item.pub) found.set(item.name.text, module);
    if (item.kind !== "Import" || !item.pub) continue;
    const others = exportsOf(item.path, programs);
    const names = item.names?.map(({ text }) => text) ?? [...others.keys()];
    for (const name of names) found.set(name, others.get(name) ?? item.path);
  }
  return found;
}

/** Names that the imports of standard modules bring, as `std/module.name`. */
function importedNames(
  program: Program,
  library: ReadonlyMap<string, ReadonlyMap<string, string>>,
): Map<string, string> {
  const imports = program.items.filter((item): item is Import => item.kind === "Import");
  return new Map(
    imports.flatMap(({ path, names }) => {
      const offered = library.get(path) ?? new Map<string, string>();
      const wanted = names?.map(({ text }) => text) ?? [...offered.keys()];
      return wanted.map((name): [string, string] => [name, `${offered.get(name) ?? path}.${name}`]);
    }),
  );
}

/** Functions that the program declares. A variable may have the name of what is called to make it. */
function declaredNames(program: Program): Set<string> {
  const declared = nodesOf(program).flatMap(({ node }) =>
    node.kind === "FnDecl" ? [(node as Node & { name: { text: string } }).name.text] : [],
  );
  return new Set(declared);
}

/** Names that are called or handed on, also as methods of `harness` and of namespaces: `event_log.emit`. */
function namesRead(program: Program): Set<string> {
  const names = nodesOf(program).flatMap(({ node }) => {
    const expr = node as Expr;
    if (expr.kind === "Identifier") return [expr.name];
    return expr.kind === "MethodCall" ? methodNames(expr) : [];
  });
  return new Set(names);
}

function methodNames({ receiver, name }: MethodCall): string[] {
  if (receiver.kind === "Identifier") return [`${receiver.name}_${name.text}`];
  const inHarness =
    receiver.kind === "Member" && receiver.object.kind === "Identifier" && receiver.object.name === "harness";
  const builtin = inHarness ? harnessBuiltin(receiver.name.text, name.text) : undefined;
  return builtin === undefined ? [] : [builtin];
}

const isProbing = ({ name }: GoldenCase): boolean => basename(name).startsWith("bad_");

/** Functions whose answers to bad input the program shows. */
function probes(program: Program, golden: GoldenCase): string[] {
  if (!isProbing(golden)) return [];
  const output = `\n${golden.expectation}`;
  return nodesOf(program).flatMap(({ node }) => {
    const call = node as Expr;
    if (call.kind !== "Call" || call.callee.kind !== "Identifier" || call.callee.name !== "show") return [];
    const closure = call.args.at(-1);
    const name = closure?.kind === "Closure" ? headOf(closure) : undefined;
    if (name === undefined) return [];
    const label = call.args[0];
    const line = label?.kind === "StringLit" ? `\n${label.value}: ` : `\n== ${name}\n`;
    return output.includes(line) ? [name] : [];
  });
}

/** `f` of `{ f(x) }`, `{ f(x).field }`, `{ f(x).method() }` and `{ f(x) == y }`. */
function headOf(closure: Closure): string | undefined {
  const last = closure.body.statements.at(-1);
  let expr = last?.kind === "ExprStatement" ? last.expr : undefined;
  for (;;) {
    if (expr?.kind === "MethodCall") expr = expr.receiver;
    else if (expr?.kind === "Member" || expr?.kind === "Index") expr = expr.object;
    else if (expr?.kind === "Binary") expr = expr.left;
    else return expr?.kind === "Call" && expr.callee.kind === "Identifier" ? expr.callee.name : undefined;
  }
}
