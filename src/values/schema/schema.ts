/**
 * Types as schemas (language.md §15.5): the part of the type language that can be checked at run time, and the schema
 * dict that a script sees. What a name stands for (an alias, a struct, an enum) is known to the caller alone, who gives
 * `named`; without it such a type has no schema.
 */
import type { TypeExpr } from "../../syntax/index.ts";
import { Dict } from "../collections/dict.ts";
import { List } from "../collections/list.ts";
import type { Value } from "../value.ts";

export type Schema =
  | { readonly kind: "type"; readonly name: string }
  | { readonly kind: "list"; readonly items: Schema }
  | { readonly kind: "dict"; readonly values: Schema }
  | { readonly kind: "shape"; readonly fields: readonly FieldSchema[] }
  | { readonly kind: "union"; readonly members: readonly Schema[] }
  | { readonly kind: "enum"; readonly base: string; readonly values: readonly Value[] }
  | { readonly kind: "const"; readonly base: string; readonly value: Value };

export interface FieldSchema {
  readonly name: string;
  readonly optional: boolean;
  readonly schema: Schema;
}

const PRIMITIVES: ReadonlySet<string> = new Set([
  "int",
  "float",
  "string",
  "bool",
  "list",
  "dict",
  "set",
  "nil",
  "closure",
  "bytes",
  "decimal",
]);

const primitive = (name: string): Schema => ({ kind: "type", name });

/** The schema of a type that has a name; `undefined` when it has none. */
export type NamedSchema = (name: string, args: readonly TypeExpr[]) => Schema | undefined;

const noNames: NamedSchema = () => undefined;

/** The schema of a type; `undefined` when it has none. */
export function lowerType(type: TypeExpr, named: NamedSchema = noNames): Schema | undefined {
  switch (type.kind) {
    case "NamedType":
      return lowerNamed(type.name.text, type.args, named);
    case "ListType":
      return listOf(lowerType(type.element, named));
    case "FnType":
      return primitive("closure");
    case "ShapeType":
      return lowerShape(type.fields, named);
    case "LiteralType":
      return lowerLiteral(type.value);
    case "UnionType":
      return lowerUnion(type.members, named);
    case "OptionalType": {
      const inner = lowerType(type.type, named);
      return inner === undefined ? undefined : joinUnion([inner, primitive("nil")]);
    }
    case "OwnedType":
      return lowerType(type.type, named);
    default:
      return undefined;
  }
}

function listOf(items: Schema | undefined): Schema | undefined {
  return items === undefined ? undefined : { kind: "list", items };
}

function lowerNamed(name: string, args: readonly TypeExpr[], named: NamedSchema): Schema | undefined {
  if (args.length === 0 && PRIMITIVES.has(name)) return primitive(name);
  if (name === "list" && args.length === 1) return listOf(lowerType(args[0] as TypeExpr, named));
  if (name !== "dict" || args.length !== 2) return named(name, args);
  const key = lowerType(args[0] as TypeExpr, named);
  const values = lowerType(args[1] as TypeExpr, named);
  const stringKeys = key?.kind === "type" && key.name === "string";
  return stringKeys && values !== undefined ? { kind: "dict", values } : undefined;
}

function lowerShape(
  fields: readonly {
    readonly name: { readonly text: string };
    readonly optional: boolean;
    readonly type: TypeExpr;
  }[],
  named: NamedSchema,
): Schema | undefined {
  const lowered: FieldSchema[] = [];
  for (const field of fields) {
    const schema = lowerType(field.type, named);
    if (schema === undefined) return undefined;
    lowered.push({ name: field.name.text, optional: field.optional, schema });
  }
  return { kind: "shape", fields: lowered };
}

function lowerLiteral(value: string | number | bigint | boolean | null): Schema {
  if (value === null) return primitive("nil");
  if (typeof value === "boolean") return primitive("bool");
  return { kind: "const", base: typeof value === "string" ? "string" : "int", value };
}

function lowerUnion(members: readonly TypeExpr[], named: NamedSchema): Schema | undefined {
  const lowered: Schema[] = [];
  for (const member of members) {
    const schema = lowerType(member, named);
    if (schema === undefined) return undefined;
    lowered.push(schema);
  }
  return joinUnion(lowered);
}

/** Unions are flat; one of literals of one base type is an enum. */
function joinUnion(schemas: readonly Schema[]): Schema {
  const members = schemas.flatMap((schema) => (schema.kind === "union" ? schema.members : [schema]));
  const constants = members.filter((member) => member.kind === "const");
  const base = constants[0]?.base;
  if (base !== undefined && constants.length === members.length && constants.every((c) => c.base === base)) {
    return { kind: "enum", base, values: constants.map((c) => c.value) };
  }
  return { kind: "union", members };
}

/** The schema dict that scripts see. */
export function schemaDict(schema: Schema): Dict {
  switch (schema.kind) {
    case "type":
      return Dict.of({ type: schema.name });
    case "list":
      return Dict.of({ type: "list", items: schemaDict(schema.items) });
    case "dict":
      return Dict.of({ type: "dict", additional_properties: schemaDict(schema.values) });
    case "union":
      return Dict.of({ union: new List(schema.members.map(schemaDict)) });
    case "enum":
      return Dict.of({ type: schema.base, enum: new List([...schema.values]) });
    case "const":
      return Dict.of({ type: schema.base, const: schema.value });
    case "shape": {
      const required = schema.fields.filter((field) => !field.optional).map((field) => field.name);
      return Dict.of({
        type: "dict",
        properties: Dict.from(schema.fields.map((field) => [field.name, schemaDict(field.schema)])),
        required: required.length === 0 ? undefined : new List(required),
      });
    }
  }
}

/** The type's name in messages: unions without blanks. */
export function schemaName(schema: Schema): string {
  switch (schema.kind) {
    case "type":
      return schema.name;
    case "list":
      return "list";
    case "dict":
    case "shape":
      return "dict";
    case "union":
      return schema.members.map(schemaName).join("|");
    case "enum":
    case "const":
      return schema.base;
  }
}
