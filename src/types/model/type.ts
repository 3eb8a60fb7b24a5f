/**
 * The forms that a static type can take (language.md §17.9). Types are plain immutable objects; simple names are
 * interned, so the common comparisons are by identity.
 *
 * `hole` is what inference could not find: it fits everything and everything fits it. The checker is gradual because
 * every question it cannot answer ends in a hole, never in a guess.
 */
import type {
  EnumDecl,
  InterfaceDecl,
  StructDecl,
  TypeAliasDecl,
  TypeExpr,
  TypeParam,
} from "../../syntax/index.ts";

export type Type =
  | Hole
  | AnyType
  | UnknownType
  | NeverType
  | ReferenceType
  | AliasType
  | AlternativesType
  | RecordType
  | CallableType
  | ConstantType
  | TypeVar
  | OpaqueType;

export type TypeNode = StructDecl | EnumDecl | InterfaceDecl | TypeAliasDecl;

/** A declared type, as far as types speak of it: its node, and the scope in which its body is read (`type-scope.ts`). */
export interface TypeDeclaration {
  readonly name: string;
  readonly node: TypeNode;
  readonly params: readonly TypeVar[];
  readonly scope: DeclarationScope;
}

export interface DeclarationScope {
  inner(params: readonly TypeParam[]): DeclarationScope;
  type(node: TypeExpr): Type;
}

/** Not known. */
export interface Hole {
  readonly kind: "hole";
}

export interface AnyType {
  readonly kind: "any";
}

/** `unknown`, with the run-time types that tests have ruled out so far. */
export interface UnknownType {
  readonly kind: "unknown";
  readonly ruledOut: readonly string[];
}

export interface NeverType {
  readonly kind: "never";
}

/** A built-in type, struct, enum or interface. No arguments: those were left out and fit everything. */
export interface ReferenceType {
  readonly kind: "name";
  readonly name: string;
  readonly args: readonly Type[];
  readonly decl: TypeDeclaration | undefined;
}

/** An alias under its own name; expanded when something asks what is behind it. */
export interface AliasType {
  readonly kind: "alias";
  readonly name: string;
  readonly args: readonly Type[];
  readonly decl: TypeDeclaration;
}

/** At least two members, none of them a union, a hole or never. */
export interface AlternativesType {
  readonly kind: "union";
  readonly members: readonly Type[];
  /**
   * An element of a literal list of several types (`["name", 3]`): which of the types a place has is not known, so it
   * fits where one of them does.
   */
  readonly mixed?: boolean;
}

export interface ShapeField {
  readonly name: string;
  readonly optional: boolean;
  readonly type: Type;
}

export interface RecordType {
  readonly kind: "shape";
  readonly fields: ReadonlyMap<string, ShapeField>;
}

export interface CallableType {
  readonly kind: "fn";
  readonly params: readonly Type[];
  /** Fewer arguments than this are too few. */
  readonly required: number;
  readonly rest: boolean;
  readonly returns: Type;
}

export interface ConstantType {
  readonly kind: "literal";
  readonly value: string | number | bigint;
}

/** A type parameter of a function or declaration; one object per declaration. */
export interface TypeVar {
  readonly kind: "var";
  readonly name: string;
  readonly variance: "in" | "out" | undefined;
}

/** A name that nothing in sight declares: shown as written, compatible with everything. */
export interface OpaqueType {
  readonly kind: "opaque";
  readonly text: string;
}

export const hole: Hole = { kind: "hole" };
export const anyType: AnyType = { kind: "any" };
export const unknownType: UnknownType = { kind: "unknown", ruledOut: [] };
export const never: NeverType = { kind: "never" };

const simpleTypes = new Map<string, ReferenceType>();

/** A built-in type without arguments. */
export function simple(name: string): ReferenceType {
  let type = simpleTypes.get(name);
  if (type === undefined) {
    type = { kind: "name", name, args: [], decl: undefined };
    simpleTypes.set(name, type);
  }
  return type;
}

export const int = simple("int");
export const float = simple("float");
/** Whether a type is `int` or `float`. */
export const isNumberType = (type: Type): boolean => type === int || type === float;
export const string = simple("string");
export const bool = simple("bool");
export const nil = simple("nil");
export const list = simple("list");
export const dict = simple("dict");
export const range = simple("range");
export const closure = simple("closure");
export const task = simple("task_handle");

/** `name<arg>`, or the bare name when the argument is not known. */
export function applied(name: string, ...args: Type[]): ReferenceType {
  return args.every((arg) => arg.kind === "hole")
    ? simple(name)
    : { kind: "name", name, args, decl: undefined };
}

export const listOf = (element: Type): ReferenceType => applied("list", element);

export function shapeOf(fields: Iterable<ShapeField>): RecordType {
  const byName = new Map<string, ShapeField>();
  for (const field of fields) byName.set(field.name, field);
  return { kind: "shape", fields: byName };
}

/** More members than this say nothing that a reader could use, and cost time: the union becomes a hole. */
const maxMembers = 64;

/** The union of types: flat, without doubles. */
export function union(types: readonly Type[]): Type {
  const members: Type[] = [];
  for (const type of types) {
    const parts = type.kind === "union" ? type.members : [type];
    for (const part of parts) {
      if (part.kind === "hole" || part.kind === "any") return part;
      if (part.kind === "never" || members.some((member) => same(member, part))) continue;
      members.push(part);
      if (members.length > maxMembers) return hole;
    }
  }
  if (members.length === 0) return never;
  return members.length === 1 ? members[0]! : { kind: "union", members };
}

/** What remains of a union when some members are ruled out. */
export function remaining(type: Type, members: readonly Type[]): Type {
  const rest = union(members);
  return rest.kind === "union" && type.kind === "union" && type.mixed ? mixed(rest) : rest;
}

export const mixed = (type: Type): Type => (type.kind === "union" ? { ...type, mixed: true } : type);

export const membersOf = (type: Type): readonly Type[] => (type.kind === "union" ? type.members : [type]);

/** Structurally the same; deeper than 12 levels counts as different, which only costs a double in a union. */
export function same(a: Type, b: Type, depth = 0): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || depth > 12) return false;
  switch (a.kind) {
    case "name":
    case "alias": {
      const other = b as ReferenceType;
      return a.name === other.name && a.decl === other.decl && sameAll(a.args, other.args, depth);
    }
    case "union":
      return sameAll(a.members, (b as AlternativesType).members, depth);
    case "literal":
      return a.value === (b as ConstantType).value;
    case "opaque":
      return a.text === (b as OpaqueType).text;
    case "unknown":
      return a.ruledOut.join() === (b as UnknownType).ruledOut.join();
    case "fn": {
      const other = b as CallableType;
      return sameAll(a.params, other.params, depth) && same(a.returns, other.returns, depth + 1);
    }
    case "shape": {
      const other = (b as RecordType).fields;
      if (a.fields.size !== other.size) return false;
      for (const field of a.fields.values()) {
        const twin = other.get(field.name);
        if (twin === undefined || twin.optional !== field.optional) return false;
        if (!same(field.type, twin.type, depth + 1)) return false;
      }
      return true;
    }
    case "var":
      return false;
    default:
      return true;
  }
}

function sameAll(a: readonly Type[], b: readonly Type[], depth: number): boolean {
  return a.length === b.length && a.every((type, index) => same(type, b[index]!, depth + 1));
}

/** The type of a literal's values. */
export function baseOf(type: ConstantType): ReferenceType {
  return typeof type.value === "string" ? string : int;
}

/** A literal as its base type, everything else as it is. */
export const widened = (type: Type): Type => (type.kind === "literal" ? baseOf(type) : type);

/** Whether nil is one of the values that the type names. */
export const includesNil = (type: Type): boolean => membersOf(type).includes(nil);

export function withoutNil(type: Type): Type {
  return includesNil(type)
    ? remaining(
        type,
        membersOf(type).filter((member) => member !== nil),
      )
    : type;
}
