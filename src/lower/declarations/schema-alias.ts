/**
 * Types as schemas where the names of a program are known (language.md §15.5): arguments of the schema builtins,
 * `output_schema: Alias`, parameters and results of tools. Aliases, structs and enums stand for what they are declared as.
 */
import { Binding, type ModuleInfo } from "../../resolve/index.ts";
import type { EnumDecl, Expr, StructDecl, TypeExpr } from "../../syntax/index.ts";
import { lowerType, type NamedSchema, type Schema, schemaDict } from "../../values/index.ts";
import { constant } from "../expressions/operand.ts";
import type { Ctx, Ex } from "../node.ts";

/** The schema of a type given by its name as a value. */
export function aliasSchema(ctx: Ctx, node: Expr): Ex | undefined {
  if (node.kind !== "Identifier") return undefined;
  const ref = ctx.module.refs.get(node);
  if (ref === undefined || ref instanceof Binding) return undefined;
  if (ref.kind !== "alias" && ref.kind !== "struct" && ref.kind !== "enum") return undefined;
  const schema = namesOf(ctx.module)(node.name, []);
  return schema === undefined ? undefined : constant(schemaDict(schema));
}

/**
 * How the names of a module lower. What contains itself is cut where it comes again: any value of its kind. `unknown`
 * stands for what has no schema.
 */
function namesOf(module: ModuleInfo, unknown?: Schema, open: ReadonlySet<object> = new Set()): NamedSchema {
  return (name, args) => {
    const found = declarationOf(module, name);
    if (found === undefined) return unknown;
    const { decl, home } = found;
    if (open.has(decl)) return { kind: "type", name: decl.kind === "EnumDecl" ? "string" : "dict" };
    if (decl.kind === "EnumDecl") return enumSchema(decl) ?? unknown;
    const inner = namesOf(home, unknown, new Set([...open, decl]));
    const typeArguments = new Map(decl.typeParams.map(({ name }, i) => [name.text, args[i]] as const));
    const within: NamedSchema = (text, own) => {
      const type = typeArguments.get(text);
      if (type !== undefined) return lowerType(type, namesOf(module, unknown, open));
      return inner(text, own);
    };
    return (
      (decl.kind === "StructDecl" ? structSchema(decl, within) : lowerType(decl.type, within)) ?? unknown
    );
  };
}

interface AliasTarget {
  readonly decl: StructDecl | EnumDecl | NonNullable<ReturnType<ModuleInfo["aliases"]["get"]>>;
  readonly home: ModuleInfo;
}

/** A type of this file, or one that an import brings. */
function declarationOf(module: ModuleInfo, name: string): AliasTarget | undefined {
  const own = module.aliases.get(name) ?? module.structs.get(name) ?? module.enums.get(name);
  if (own !== undefined) return { decl: own, home: module };
  for (const { node, module: from } of module.imports) {
    if (from === undefined || (node.names !== undefined && !node.names.some(({ text }) => text === name)))
      continue;
    const found = from.aliases.get(name) ?? from.structs.get(name) ?? from.enums.get(name);
    if (found !== undefined) return { decl: found, home: from };
  }
  return undefined;
}

function structSchema(decl: StructDecl, named: NamedSchema): Schema | undefined {
  const fields = decl.fields.map(({ name, optional, type }) => ({
    name: name.text,
    optional,
    schema: type === undefined ? anything : lowerType(type, named),
  }));
  const lowered = fields.flatMap(({ schema, ...field }) =>
    schema === undefined ? [] : { ...field, schema },
  );
  return lowered.length === fields.length ? { kind: "shape", fields: lowered } : undefined;
}

const anything: Schema = { kind: "type", name: "any" };

/** Variants without values are known by their names; one with values has no form in JSON. */
function enumSchema(decl: EnumDecl): Schema | undefined {
  if (decl.variants.some(({ params }) => params.length > 0)) return undefined;
  return { kind: "enum", base: "string", values: decl.variants.map(({ name }) => name.text) };
}

/** In a tool's schema a part that can't be said is anything, the rest keeps its shape. */
export const orAnything = (type: TypeExpr | undefined, module: ModuleInfo): Schema =>
  (type === undefined ? undefined : lowerType(type, namesOf(module, anything))) ?? anything;
