/** Struct literals: field types, fields that are not declared, fields that are missing (language.md §17.3, §17.6). */
import type { StructLit } from "../syntax/index.ts";
import type { Checker } from "./checker.ts";
import { accepts, mismatchOf } from "./literals.ts";
import { hole, type Type, type TypeVar } from "./model/type.ts";
import { argumentsOf, mentionsVar, substitute, type TypeDecl } from "./model/type-scope.ts";
import { Unification } from "./model/unify.ts";

/** Checks a literal against its declaration and gives its type. */
export function checkStructLiteral(
  c: Checker,
  node: StructLit,
  decl: TypeDecl,
  values: readonly Type[],
): Type {
  if (decl.node.kind !== "StructDecl") return hole;
  const fields = new Map(decl.node.fields.map((field) => [field.name.text, field]));
  const unified = new Unification(decl.params);
  const struct = decl.name;
  node.fields.forEach((value, index) => {
    const name = value.name.text;
    const field = fields.get(name);
    if (field === undefined) {
      const text = `Unknown field '${name}' in struct '${struct}'`;
      c.report("HARN-NAM-006", value.name, { text, name, names: [...fields.keys()] });
      return;
    }
    if (field.type === undefined) return;
    const declared = decl.scope.type(field.type);
    const actual = values[index]!;
    if (mentionsVar(declared)) unified.learn(declared, actual);
    const expected = unified.apply(declared);
    if (!accepts(c, value.value, actual, expected))
      c.report("HARN-TYP-009", value.value, {
        field: name,
        struct,
        ...mismatchOf(value.value, actual, expected),
      });
  });
  const present = new Set(node.fields.map((field) => field.name.text));
  for (const [name, field] of fields) {
    if (field.optional || present.has(name)) continue;
    // Where it could be added.
    c.report(
      "HARN-NAM-006",
      { start: node.end - 1, end: node.end },
      {
        text: `Missing field '${name}' in struct '${struct}' construction`,
        name,
        names: [],
      },
    );
  }
  return { kind: "name", name: struct, args: typeArguments(decl.params, unified), decl };
}

function typeArguments(params: readonly TypeVar[], unified: Unification): readonly Type[] {
  const args = params.map((param) =>
    substitute(param, argumentsOf([param], [unified.valueOf(param) ?? hole])),
  );
  return args.every((arg) => arg.kind === "hole") ? [] : args;
}
