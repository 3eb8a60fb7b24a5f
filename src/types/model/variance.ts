/**
 * Type parameters marked `in` or `out` stand only where that is sound (language.md §17.3, last rows). Fields of structs
 * are stricter than the rest: inside another generic or function type, every place is invariant.
 */
import type { Declaration, TypeExpr, TypeParam } from "../../syntax/index.ts";
import type { Checker } from "../checker.ts";
import { TypeDecl } from "./type-scope.ts";

type VariancePosition = "covariant" | "contravariant" | "invariant";

const flipped: Readonly<Record<VariancePosition, VariancePosition>> = {
  covariant: "contravariant",
  contravariant: "covariant",
  invariant: "invariant",
};

export function checkVariance(c: Checker, node: Declaration): void {
  if (!("typeParams" in node) || !node.typeParams.some((param) => param.variance !== undefined)) return;
  const kinds: Readonly<Record<string, string>> = {
    FnDecl: "function",
    StructDecl: "struct",
    EnumDecl: "enum",
    InterfaceDecl: "interface",
    TypeAliasDecl: "type alias",
  };
  const reader = new VarianceReader(
    c,
    `${kinds[node.kind]} '${node.name.text}'`,
    node.typeParams,
    node.kind === "StructDecl",
  );
  for (const [type, position] of typePositions(node)) reader.read(type, position);
}

function* typePositions(node: Declaration): Iterable<[TypeExpr | undefined, VariancePosition]> {
  switch (node.kind) {
    case "FnDecl":
      for (const param of node.params) yield [param.type, "contravariant"];
      yield [node.returns, "covariant"];
      return;
    case "StructDecl":
      for (const field of node.fields) yield [field.type, "covariant"];
      return;
    case "EnumDecl":
      for (const variant of node.variants)
        for (const param of variant.params) yield [param.type, "covariant"];
      return;
    case "InterfaceDecl":
      for (const method of node.methods) {
        for (const param of method.params) yield [param.type, "contravariant"];
        yield [method.returns, "covariant"];
      }
      return;
    case "TypeAliasDecl":
      yield [node.type, "covariant"];
      return;
    default:
      return;
  }
}

/** Built-in generics whose argument may be narrower. */
const covariantNames: ReadonlySet<string> = new Set(["iter", "Generator", "Stream", "Result", "set"]);

class VarianceReader {
  private readonly c: Checker;
  private readonly owner: string;
  private readonly params: ReadonlyMap<string, TypeParam>;
  private readonly isStruct: boolean;

  constructor(c: Checker, owner: string, params: readonly TypeParam[], isStruct: boolean) {
    this.c = c;
    this.owner = owner;
    this.params = new Map(params.map((param) => [param.name.text, param]));
    this.isStruct = isStruct;
  }

  read(node: TypeExpr | undefined, position: VariancePosition): void {
    switch (node?.kind) {
      case "NamedType":
        this.judge(node.name.text, node, position);
        for (const [index, arg] of node.args.entries())
          this.read(arg, this.argument(node.name.text, index, position));
        return;
      case "ListType":
        this.read(node.element, "invariant");
        return;
      case "FnType":
        for (const param of node.params) this.read(param, this.isStruct ? "invariant" : flipped[position]);
        this.read(node.returns, this.isStruct ? "invariant" : position);
        return;
      case "ShapeType":
        for (const field of node.fields) this.read(field.type, position);
        return;
      case "UnionType":
      case "IntersectionType":
        for (const member of node.members) this.read(member, position);
        return;
      case "OptionalType":
      case "OwnedType":
        this.read(node.type, position);
        return;
      default:
        return;
    }
  }

  private argument(name: string, index: number, position: VariancePosition): VariancePosition {
    if (this.isStruct) return "invariant";
    if (covariantNames.has(name)) return position;
    const decl = this.c.scope.find(name);
    const variance = decl instanceof TypeDecl ? decl.params[index]?.variance : undefined;
    return variance === "out" ? position : variance === "in" ? flipped[position] : "invariant";
  }

  private judge(name: string, at: TypeExpr, position: VariancePosition): void {
    const param = this.params.get(name);
    if (param?.variance === undefined) return;
    if (position === (param.variance === "out" ? "covariant" : "contravariant")) return;
    this.c.report("HARN-TYP-014", at, { name, variance: param.variance, position, owner: this.owner });
  }
}
