/** What the checker knows about a function from its declaration. */

import type { FnDecl, Param, ToolDecl } from "../../syntax/index.ts";
import { returnsValue } from "./tree.ts";
import { applied, type CallableType, hole, list, nil, type TypeVar } from "./type.ts";
import type { CallableParam, FnSignature, TypeScope } from "./type-scope.ts";

/** The signature of a declaration that stands in `outer`; the same object every time. */
export function typeSignatureOf(node: FnDecl | ToolDecl, outer: TypeScope): FnSignature {
  const known = outer.module.signatures;
  let signature = known.get(node);
  if (signature === undefined) {
    signature = read(node, outer);
    known.set(node, signature);
  }
  return signature;
}

function read(node: FnDecl | ToolDecl, outer: TypeScope): FnSignature {
  const typeParams = node.kind === "FnDecl" ? node.typeParams : [];
  const scope = outer.inner(typeParams);
  const varOf = (name: string): TypeVar | undefined => {
    const found = scope.find(name);
    return typeof found === "object" && "kind" in found && found.kind === "var" ? found : undefined;
  };
  return {
    name: node.name.text,
    params: node.params.map((param) => callableParamOf(param, scope)),
    returns: node.returns === undefined ? undefined : scope.type(node.returns),
    vars: typeParams.flatMap((param) => varOf(param.name.text) ?? []),
    where: (node.kind === "FnDecl" ? node.where : []).flatMap((bound) => {
      const type = varOf(bound.param.text);
      return type === undefined ? [] : [{ type, bounds: bound.bounds }];
    }),
    scope,
    node,
  };
}

/** A rest parameter's annotation may describe the list or each element: as a type it is the list. */
export function callableParamOf(param: Param, scope: TypeScope): CallableParam {
  const annotated = param.type === undefined ? hole : scope.type(param.type);
  const isList = annotated.kind === "name" && annotated.name === "list";
  return {
    name: param.name.text,
    type: !param.rest || isList ? annotated : param.type === undefined ? list : applied("list", annotated),
    optional: param.default !== undefined || param.rest,
    rest: param.rest,
  };
}

/** A function's name as a value. Without a declared result it gives nil, or, if it returns something, anything. */
export function fnTypeOf(signature: FnSignature): CallableType {
  const { node, params } = signature;
  const plain = params.filter((param) => !param.rest);
  return {
    kind: "fn",
    params: plain.map((param) => param.type),
    required: plain.filter((param) => !param.optional).length,
    rest: plain.length < params.length,
    returns: signature.returns ?? (node.kind === "FnDecl" && !returnsValue(node.body) ? nil : hole),
  };
}
