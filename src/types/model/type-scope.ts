/**
 * Which type names mean what, and the types that annotations stand for. Each file has a scope with its own
 * declarations, below it one with those of the files it imports (language.md §20.3: the checker alone knows types across
 * files); blocks and generic declarations open scopes of their own.
 */

import type { ModuleInfo } from "../../resolve/index.ts";
import type { FnDecl, Item, Name, ToolDecl, TypeExpr, TypeParam } from "../../syntax/index.ts";
import {
  type AliasType,
  anyType,
  bool,
  type DeclarationScope,
  hole,
  membersOf,
  never,
  nil,
  shapeOf,
  simple,
  type Type,
  type TypeDeclaration,
  type TypeNode,
  type TypeVar,
  union,
  unknownType,
} from "./type.ts";

/** A declared type: its node and the scope in which its body is read. */
export class TypeDecl implements TypeDeclaration {
  readonly name: string;
  readonly node: TypeNode;
  readonly params: readonly TypeVar[];
  /** The scope inside: its own type parameters over the place of the declaration. */
  readonly scope: TypeScope;

  constructor(node: TypeNode, outer: TypeScope) {
    this.name = node.name.text;
    this.node = node;
    this.scope = outer.inner(node.typeParams);
    this.params = node.typeParams.map((param) => this.scope.names.get(param.name.text) as TypeVar);
  }
}

/** What a type says of its declaration, with its scope whole. */
export function typeDeclOf(decl: TypeDeclaration): TypeDecl {
  if (decl instanceof TypeDecl) return decl;
  throw new Error(`no scope has declared ${decl.name}`);
}

export interface ImplMethod {
  readonly node: FnDecl;
  readonly scope: TypeScope;
}

/** The types and methods that a file declares. */
export class ModuleTypes {
  readonly info: ModuleInfo;
  readonly scope: TypeScope;
  /** Of its functions, read so far (`signature-of.ts`). */
  readonly signatures = new Map<FnDecl | ToolDecl, FnSignature>();
  /** Methods by the name of their type. */
  readonly impls = new Map<string, Map<string, ImplMethod>>();
  /** Every import was found: a name that is not known is certainly not declared. */
  readonly complete: boolean;

  constructor(info: ModuleInfo, imported: (info: ModuleInfo) => ModuleTypes) {
    this.info = info;
    this.complete = !info.hasOpenImport;
    this.scope = new TypeScope(this, importScope(this, imported));
    this.scope.declareAll(info.ast.items);
  }

  /** Names of the types of all files that it can reach. */
  importedNames(): Iterable<string> {
    return this.scope.parent?.names.keys() ?? [];
  }
}

/** Types of all files that can be reached through imports. Two of one name: neither, so nothing is judged by the wrong one. */
function importScope(module: ModuleTypes, imported: (info: ModuleInfo) => ModuleTypes): TypeScope {
  const scope = new TypeScope(module, undefined);
  const seen = new Set([module.info]);
  const pending = [...module.info.imports];
  for (let ref = pending.shift(); ref !== undefined; ref = pending.shift()) {
    if (ref.module === undefined || seen.has(ref.module)) continue;
    seen.add(ref.module);
    pending.push(...ref.module.imports);
    if (!ref.module.ast.items.some(isTypeNode)) continue;
    for (const [name, decl] of imported(ref.module).scope.names)
      scope.names.set(name, scope.names.has(name) ? "ambiguous" : decl);
  }
  return scope;
}

const isTypeNode = (node: Item): node is TypeNode =>
  node.kind === "StructDecl" ||
  node.kind === "EnumDecl" ||
  node.kind === "InterfaceDecl" ||
  node.kind === "TypeAliasDecl";

export class TypeScope implements DeclarationScope {
  readonly module: ModuleTypes;
  readonly parent: TypeScope | undefined;
  readonly names = new Map<string, TypeDecl | TypeVar | "ambiguous">();
  private readonly converted = new Map<TypeExpr, Type>();
  /** Most annotations are one name: `int`, `string`, a struct. */
  private readonly convertedNames = new Map<string, Type>();

  constructor(module: ModuleTypes, parent: TypeScope | undefined) {
    this.module = module;
    this.parent = parent;
  }

  /** A scope with type parameters; this one when there are none. */
  inner(params: readonly TypeParam[]): TypeScope {
    if (params.length === 0) return this;
    const scope = new TypeScope(this.module, this);
    for (const param of params)
      scope.names.set(param.name.text, { kind: "var", name: param.name.text, variance: param.variance });
    return scope;
  }

  /** The scope of a statement list: this one, or one of its own when the list declares types or methods. */
  ofBlock(statements: readonly Item[]): TypeScope {
    const declares = statements.some((node) => isTypeNode(node) || node.kind === "ImplDecl");
    if (!declares) return this;
    const scope = new TypeScope(this.module, this);
    scope.declareAll(statements);
    return scope;
  }

  declareAll(statements: readonly Item[]): void {
    for (const node of statements)
      if (isTypeNode(node)) this.names.set(node.name.text, new TypeDecl(node, this));
    for (const node of statements) {
      if (node.kind !== "ImplDecl") continue;
      const target = this.find(node.target.text);
      const scope = target instanceof TypeDecl ? target.scope : this;
      const { impls } = this.module;
      const methods = impls.get(node.target.text) ?? new Map<string, ImplMethod>();
      for (const method of node.methods) methods.set(method.name.text, { node: method, scope });
      impls.set(node.target.text, methods);
    }
  }

  find(name: string): TypeDecl | TypeVar | "ambiguous" | undefined {
    for (let scope: TypeScope | undefined = this; scope !== undefined; scope = scope.parent) {
      const found = scope.names.get(name);
      if (found !== undefined) return found;
    }
    return this.elsewhere(name);
  }

  declaration(name: string): TypeDecl | undefined {
    const found = this.find(name);
    return found instanceof TypeDecl ? found : undefined;
  }

  /** A type declared inside some other body of the file is usable everywhere in it (language.md §15.2). */
  private elsewhere(name: string): TypeDecl | undefined {
    const { info, scope } = this.module;
    const node = info.structs.get(name) ?? info.enums.get(name) ?? info.aliases.get(name);
    if (node === undefined) return undefined;
    const decl = new TypeDecl(node, scope);
    scope.names.set(name, decl);
    return decl;
  }

  /** The type that an annotation stands for. */
  type(node: TypeExpr): Type {
    if (node.kind === "NamedType" && node.args.length === 0) return this.plainName(node.name.text);
    let type = this.converted.get(node);
    if (type === undefined) {
      type = this.convert(node);
      this.converted.set(node, type);
    }
    return type;
  }

  private plainName(name: string): Type {
    let type = this.convertedNames.get(name);
    if (type === undefined) {
      type = this.named(name, []);
      this.convertedNames.set(name, type);
    }
    return type;
  }

  private convert(node: TypeExpr): Type {
    switch (node.kind) {
      case "NamedType":
        return this.named(
          node.name.text,
          node.args.map((arg) => this.type(arg)),
        );
      case "ListType":
        return { kind: "name", name: "list", args: [this.type(node.element)], decl: undefined };
      case "FnType": {
        const params = node.params.map((param) => this.type(param));
        return { kind: "fn", params, required: params.length, rest: false, returns: this.type(node.returns) };
      }
      case "ShapeType":
        return shapeOf(
          node.fields.map((field) => ({
            name: field.name.text,
            optional: field.optional,
            type: this.type(field.type),
          })),
        );
      case "LiteralType":
        if (node.value === null) return nil;
        return typeof node.value === "boolean" ? bool : { kind: "literal", value: node.value };
      case "UnionType":
        return union(node.members.map((member) => this.type(member)));
      case "OptionalType":
        return union([this.type(node.type), nil]);
      case "OwnedType":
        return this.type(node.type);
      case "IntersectionType":
        return this.intersection(node.members.map((member) => this.type(member)));
    }
  }

  /** Of shapes, one shape with all fields; anything else is not judged. */
  private intersection(members: readonly Type[]): Type {
    const shapes = members.map((member) => resolvedAlias(member));
    if (!shapes.every((member) => member.kind === "shape")) return hole;
    return shapeOf(shapes.flatMap((shape) => [...shape.fields.values()]));
  }

  private named(name: string, args: readonly Type[]): Type {
    const found = this.find(name);
    if (found === undefined) return builtinType(name, args);
    if (found === "ambiguous") return { kind: "opaque", text: name };
    if (!(found instanceof TypeDecl)) return found;
    if (found.node.kind === "TypeAliasDecl") return aliasType(found, args);
    return { kind: "name", name, args, decl: found };
  }
}

/** The types that the language has, besides any, unknown and never. */
export const builtinNames: ReadonlySet<string> = new Set([
  "int",
  "float",
  "decimal",
  "string",
  "bool",
  "nil",
  "bytes",
  "duration",
  "list",
  "dict",
  "set",
  "range",
  "pair",
  "Pair",
  "iter",
  "closure",
  "builtin",
  "Generator",
  "Stream",
  "generator",
  "stream",
  "Result",
  "channel",
  "atomic",
  "rng",
  "task_handle",
  "sync_permit",
  "mcp_client",
]);

/** A type that the language itself has; anything else is a name that nothing declares. */
export function builtinType(name: string, args: readonly Type[]): Type {
  switch (name) {
    case "any":
      return anyType;
    case "unknown":
      return unknownType;
    case "never":
      return never;
    default:
      if (!builtinNames.has(name)) return { kind: "opaque", text: name };
      return args.length === 0 ? simple(name) : { kind: "name", name, args, decl: undefined };
  }
}

/** How many applications a distributed alias may stand for. */
const maxDistributed = 32;

/** `Box<A | B>` means `Box<A> | Box<B>`. */
export function aliasType(decl: TypeDeclaration, args: readonly Type[]): Type {
  let rows: Type[][] = [[]];
  for (const arg of args) {
    const expanded = resolvedAlias(arg);
    const choices = expanded.kind === "union" ? expanded.members : [arg];
    rows = rows.flatMap((row) => choices.map((choice) => [...row, choice]));
    if (rows.length > maxDistributed) {
      rows = [[...args]];
      break;
    }
  }
  return union(rows.map((row): AliasType => ({ kind: "alias", name: decl.name, args: row, decl })));
}

const expansions = new WeakMap<AliasType, Type>();

/** Expansions within one expansion, in depth and in all: an alias may apply itself to ever larger arguments. */
const maxDepth = 12;
const maxExpansions = 60;
let expanding = 0;
let expanded = 0;

/** What is behind an alias: never an alias itself. An alias that leads only to itself is a hole. */
export function resolvedAlias(type: Type): Type {
  let at = type;
  for (let steps = 0; at.kind === "alias"; steps++) {
    if (steps > 50) return hole;
    at = expansion(at);
  }
  return at;
}

function expansion(alias: AliasType): Type {
  const known = expansions.get(alias);
  if (known !== undefined) return known;
  const { node, scope, params } = alias.decl;
  if (expanding === 0) expanded = 0;
  if (node.kind !== "TypeAliasDecl" || expanding >= maxDepth || expanded >= maxExpansions) return hole;
  expanded++;
  // For a type that mentions itself while it is being read.
  expansions.set(alias, hole);
  expanding++;
  const body = scope.type(node.type);
  const type = params.length === 0 ? body : substitute(body, argumentsOf(params, alias.args));
  expanding--;
  expansions.set(alias, type);
  return type;
}

/** Type parameters with the arguments given for them; missing ones are holes. */
export function argumentsOf(params: readonly TypeVar[], args: readonly Type[]): Map<TypeVar, Type> {
  return new Map(params.map((param, index) => [param, args[index] ?? hole]));
}

/** Replaces type parameters. */
export function substitute(type: Type, values: ReadonlyMap<TypeVar, Type>, depth = 0): Type {
  if (values.size === 0 || depth > 30) return type;
  const inner = (part: Type): Type => substitute(part, values, depth + 1);
  switch (type.kind) {
    case "var":
      return values.get(type) ?? type;
    case "name":
      if (type.args.length === 0) return type;
      return { ...type, args: type.args.map(inner) };
    case "alias":
      return type.args.length === 0 ? type : aliasType(type.decl, type.args.map(inner));
    case "union":
      return union(type.members.map(inner));
    case "shape":
      return shapeOf([...type.fields.values()].map((field) => ({ ...field, type: inner(field.type) })));
    case "fn":
      return { ...type, params: type.params.map(inner), returns: inner(type.returns) };
    default:
      return type;
  }
}

/** Whether a type mentions a type parameter. */
export function mentionsVar(type: Type, depth = 0): boolean {
  if (depth > 30) return false;
  switch (type.kind) {
    case "var":
      return true;
    case "name":
    case "alias":
      return type.args.some((arg) => mentionsVar(arg, depth + 1));
    case "union":
      return type.members.some((member) => mentionsVar(member, depth + 1));
    case "shape":
      return [...type.fields.values()].some((field) => mentionsVar(field.type, depth + 1));
    case "fn":
      return (
        type.params.some((param) => mentionsVar(param, depth + 1)) || mentionsVar(type.returns, depth + 1)
      );
    default:
      return false;
  }
}

/** The members of a type, aliases expanded. */
export function choices(type: Type): readonly Type[] {
  const outer = resolvedAlias(type);
  if (outer.kind !== "union") return [outer];
  if (!outer.members.some((member) => member.kind === "alias")) return outer.members;
  return outer.members.flatMap((member) => membersOf(resolvedAlias(member)));
}

/** The texts of a union of nothing but texts, with nil or without; `undefined` for types that others fit too. */
export function textsOfType(type: Type): readonly string[] | undefined {
  const members = choices(type).filter((one) => one !== nil);
  const texts = members.flatMap((one) =>
    one.kind === "literal" && typeof one.value === "string" ? one.value : [],
  );
  return texts.length === 0 || texts.length < members.length ? undefined : texts;
}

export interface CallableParam {
  readonly name: string;
  readonly type: Type;
  readonly optional: boolean;
  readonly rest: boolean;
}

export interface FnSignature {
  readonly name: string;
  readonly params: readonly CallableParam[];
  /** `undefined`: not declared. */
  readonly returns: Type | undefined;
  readonly vars: readonly TypeVar[];
  readonly where: readonly { readonly type: TypeVar; readonly bounds: readonly Name[] }[];
  /** Its own type parameters over the place of the declaration. */
  readonly scope: TypeScope;
  readonly node: FnDecl | ToolDecl;
}
