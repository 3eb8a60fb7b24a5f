/** How an area declares its builtins, and the gate before those that take what their signature says and nothing else. */
import { Dict, List, type Value } from "../values/index.ts";
import { type At, at, inside } from "./at.ts";
import type { BuiltinDeclaration, BuiltinRun, BuiltinSpec } from "./builtin-spec.ts";
import { findMismatch, mismatch, refusal } from "./field-mismatch.ts";
import { everyItem, fitsType, type TypeTest, typeTest } from "./field-types.ts";
import type { Field } from "./fields.ts";
import { parseSignature, type SignatureParam, showSignatureType } from "./signature.ts";

/** Declares the builtins of one area. */
export function defineBuiltins(
  area: string,
  declarations: Readonly<Record<string, BuiltinDeclaration>>,
  handles?: Readonly<Record<string, string>>,
): BuiltinSpec[] {
  return Object.entries(declarations).map(([name, declaration]) => ({
    suspends: "never",
    ...declaration,
    // The mark is for the gate; pages show the type.
    sig: declaration.sig.replaceAll("!:", ":"),
    run: gatedRun(name, declaration),
    name,
    area,
    ...(handles === undefined ? undefined : { handles }),
  }));
}

/** A parameter that is looked at before a call. */
interface StrictParam {
  readonly index: number;
  readonly optional: boolean;
  readonly rest: boolean;
  readonly field: Field;
  readonly place: At;
  readonly help: string | undefined;
  /** Most arguments are right: whether one surely is. Of others `checkArgument` says what is wrong, if anything. */
  readonly isRight: TypeTest;
}

function strictParams(caller: string, { sig, refuses = {} }: BuiltinDeclaration): readonly StrictParam[] {
  return parseSignature(sig).params.flatMap((param, index) => {
    const help = refuses[param.name];
    if (!param.strict && help === undefined) return [];
    const { optional, rest } = param;
    const field = fieldOfParam(param);
    const place = at(caller, param.name);
    return [{ index, optional, rest, field, place, help, isRight: rightTest(field) }];
  });
}

function rightTest(field: Field): TypeTest {
  const { type, item, values, range, filled } = field;
  if (item !== undefined) {
    const isItem = typeTest(item.type);
    return (value) => value instanceof List && everyItem(value, isItem);
  }
  if (type === "dict") return (value) => value instanceof Dict;
  const isPlain = values === undefined && range === undefined && filled === undefined;
  return isPlain ? typeTest(type) : (value) => mismatch(field, value) === undefined;
}

/** A parameter as a row: the same check and the same words as for an option. */
function fieldOfParam({ name, type, range, filled }: SignatureParam): Field {
  const values = type.kind === "union" ? type.members.map((one) => one.kind === "literal" && one.value) : [];
  const texts = values.filter((one) => typeof one === "string");
  const isTexts = texts.length > 0 && texts.length === values.length;
  const item = type.kind === "name" && type.name === "list" ? type.args[0] : undefined;
  return {
    name,
    doc: "",
    type: isTexts ? "string" : type.kind === "fn" ? "closure" : showSignatureType(type),
    ...(isTexts ? { values: texts } : undefined),
    ...(item === undefined ? undefined : { item: { doc: "", type: showSignatureType(item) } }),
    ...(range === undefined ? undefined : { range }),
    ...(filled ? { filled } : undefined),
  };
}

/** `run`, behind a check of the arguments that may only be what the signature says. */
function gatedRun(caller: string, declaration: BuiltinDeclaration): BuiltinRun {
  const { run, sig, refuses } = declaration;
  if (refuses === undefined && !/!:|[<>!]= /.test(sig)) return run;
  let params: readonly StrictParam[] | undefined;
  return (task, ...args: readonly (Value | undefined)[]) => {
    params ??= strictParams(caller, declaration);
    for (const param of params)
      for (let at = param.index; at < (param.rest ? args.length : param.index + 1); at++)
        if (!param.isRight(args[at] ?? null)) checkArgument(param, args[at]);
    return run(task, ...args);
  };
}

function checkArgument(param: StrictParam, argument: Value | undefined): void {
  const { field, place, optional, help } = param;
  const value = argument ?? null;
  if (value === null && (optional || (argument === undefined && help !== undefined))) return;
  const { item, type } = field;
  // A dict is a dict here, and no struct: those who read it by names rely on it.
  if (type === "dict" && !(value instanceof Dict)) throw refusal(place, type, value, { help });
  const wrong = findMismatch(field, value, place);
  if (wrong !== undefined) throw refusal(wrong.place, wrong.expected, wrong.value, { help });
  if (item === undefined || fitsType(item.type, null)) return;
  const missing = (value as List).toArray().indexOf(null);
  if (missing >= 0) throw refusal(inside(place, `[${missing}]`), item.type, null);
}
