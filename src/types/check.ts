/**
 * The static type checker (language.md §17): it reads the files of a resolved program once each, front to back, and
 * says what is certainly wrong with the entry file, and which mistakes the others have.
 *
 * It is gradual. A type that cannot be inferred is a hole, and a hole fits everything; each rule reports only what is
 * wrong whatever the holes stand for. A right program is never rejected: where the language leaves a choice, the
 * checker takes the one that reports less (docs/decisions/language.md, "Types").
 *
 * Variables are the resolver's bindings. A binding has a declared type (its annotation, or what its first value shows),
 * and the current `Flow` says what tests have found out about it since. Variables at the top of the file have no type
 * (§17.1), except under strict types.
 */
import type { Diagnostic } from "../diagnostics/index.ts";
import { bySourceOrder } from "../diagnostics/index.ts";
import type { ModuleInfo, ResolvedProgram } from "../resolve/index.ts";
import type { Item } from "../syntax/index.ts";
import { isDeclaration } from "../syntax/nodes.ts";
import { Checker, type CheckOptions } from "./checker.ts";
import { checkList, visit } from "./flow/statements.ts";
import type { Type } from "./model/type.ts";
import { checkTypeNames } from "./model/unknown-types.ts";

/**
 * Everything that the checker has to say about a program's entry file, in source order; then what is certainly or nearly
 * certainly wrong in the files that it imports. The library that ships with the language is checked by its own tests.
 */
export function checkProgram(program: ResolvedProgram, options: CheckOptions): readonly Diagnostic[] {
  const others = program.modules.filter((module) => !module.isEntry && !module.isStandard);
  return [program.entry, ...others].flatMap((module) => checkModule(module, options));
}

function checkModule(module: ModuleInfo, options: CheckOptions): readonly Diagnostic[] {
  const checker = new Checker(module, options, visit);
  const items = module.ast.items.filter((item) => item.kind !== "Import");
  checker.hoist(items);
  checkList(checker, items, {});
  checkSkipped(checker, items);
  checkTypeNames(checker);
  return checker.found.sort(bySourceOrder);
}

/** With a pipeline as the entry, the other statements at the top of the file never run (language.md §19.2). */
function checkSkipped(c: Checker, items: readonly Item[]): void {
  const entry = c.module.entry?.decl.name.text;
  if (entry === undefined) return;
  let above: Item | undefined;
  for (const item of items) {
    if (item.kind === "Let" || isDeclaration(item)) above = undefined;
    else {
      // Of statements that follow each other, the first speaks for all.
      if (above === undefined) c.report("HARN-ORC-004", item, { pipeline: entry });
      above = item;
    }
  }
}

/** The checker as `compileProgram` takes it. */
export function typeChecker(options: CheckOptions): (program: ResolvedProgram) => readonly Diagnostic[] {
  return (program) => checkProgram(program, options);
}

/**
 * The type that the entry file shows for one of its top-level variables, for people who ask (`:type` of the REPL);
 * `undefined` when there is no such variable or nothing is known about it.
 */
export function variableType(
  program: ResolvedProgram,
  name: string,
  options: CheckOptions,
): Type | undefined {
  const checker = new Checker(program.entry, { ...options, strict: true }, visit);
  const items = program.entry.ast.items.filter((item) => item.kind !== "Import");
  checker.hoist(items);
  checkList(checker, items, {});
  const binding = program.entry.topLevel.findLast((one) => one.name === name);
  const type = binding === undefined ? undefined : checker.vars.get(binding)?.declared;
  return type === undefined || type.kind === "hole" ? undefined : type;
}
