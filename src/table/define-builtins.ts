/** How an area declares its builtins. */
import type { Value } from "../values/index.ts";
import type { BuiltinDeclaration, BuiltinRun, BuiltinSpec } from "./builtin-spec.ts";
import { refusal } from "./field-mismatch.ts";
import { fitsType } from "./field-types.ts";
import { parseSignature, showSignatureType } from "./signature.ts";

/** Declares the builtins of one area. */
export function defineBuiltins(
  area: string,
  declarations: Readonly<Record<string, BuiltinDeclaration>>,
  handles?: Readonly<Record<string, string>>,
): BuiltinSpec[] {
  return Object.entries(declarations).map(([name, declaration]) => ({
    suspends: "never",
    ...declaration,
    ...(declaration.refuses === undefined ? undefined : { run: refusing(name, declaration) }),
    name,
    area,
    ...(handles === undefined ? undefined : { handles }),
  }));
}

interface TypedParam {
  readonly name: string;
  readonly index: number;
  readonly type: string;
  readonly instead: string;
}

function typedParams({ sig, refuses = {} }: BuiltinDeclaration): readonly TypedParam[] {
  return parseSignature(sig).params.flatMap(({ name, type }, index) => {
    const instead = refuses[name];
    return instead === undefined ? [] : [{ name, index, type: showSignatureType(type), instead }];
  });
}

/** `run`, behind a check of the arguments that may only be what the signature says. */
function refusing(caller: string, declaration: BuiltinDeclaration): BuiltinRun {
  const { run } = declaration;
  let params: readonly TypedParam[] | undefined;
  return (task, ...args: readonly (Value | undefined)[]) => {
    params ??= typedParams(declaration);
    for (const { name, index, type, instead } of params) {
      const value = args[index];
      if (value !== undefined && !fitsType(type, value))
        throw refusal({ caller, path: name }, type, value, { help: instead });
    }
    return run(task, ...args);
  };
}
