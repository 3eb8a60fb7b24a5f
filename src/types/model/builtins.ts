/** Signatures of builtins as the checker's types; converted when a builtin is first called. */
import type { Signature, SignatureType } from "../../table/index.ts";
import type { Checker } from "../checker.ts";
import { closure, shapeOf, type Type, union } from "./type.ts";
import { builtinType } from "./type-scope.ts";

export interface BuiltinSignature {
  readonly params: readonly {
    readonly name: string;
    readonly type: Type;
    readonly optional: boolean;
    readonly rest: boolean;
  }[];
  readonly returns: Type;
}

const converted = new WeakMap<Signature, BuiltinSignature>();

export function builtinSignature(c: Checker, name: string): BuiltinSignature | undefined {
  const signature = c.builtin(name);
  if (signature === undefined) return undefined;
  let known = converted.get(signature);
  if (known === undefined) {
    known = {
      params: signature.params.map((param) => ({ ...param, type: typeOfSignature(param.type) })),
      returns: typeOfSignature(signature.returns),
    };
    converted.set(signature, known);
  }
  return known;
}

/** The type that a signature or a row writes. */
export function typeOfSignature(type: SignatureType): Type {
  switch (type.kind) {
    case "name":
      return builtinType(type.name, type.args.map(typeOfSignature));
    case "union":
      return union(type.members.map(typeOfSignature));
    case "fn":
      // Callbacks may take fewer arguments than they are given, and builtins stand where closures do.
      return closure;
    case "shape":
      return shapeOf(type.fields.map((field) => ({ ...field, type: typeOfSignature(field.type) })));
    case "literal":
      return { kind: "literal", value: type.value };
  }
}
