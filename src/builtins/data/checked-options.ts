/** Options of functions that are written in the language: what the fields of builtins' options get from their rows. */
import { at, defineBuiltins, fitsType, meantField, refusal, unknownOption } from "../../table/index.ts";
import { Dict, type List, thrown, type Value } from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";

/** Names that may be given, each with its type; `any` where the caller looks at it itself. */
function knownNames(known: Dict | List): Map<string, string> {
  if (known instanceof Dict)
    return new Map([...known.entries()].map(([name, type]) => [name, textOf(type)] as const));
  return new Map([...known].map((name) => [textOf(name), "any"] as const));
}

function fits(name: string, type: string, value: Value): boolean {
  try {
    return fitsType(type, value);
  } catch {
    throw thrown(`checked_options: known.${name}: \`${type}\` is not a type`);
  }
}

function checked(caller: Argument, options: Argument, known: Dict | List): Value {
  const names = knownNames(known);
  const who = textOf(caller);
  if (options === undefined || options === null) return Dict.of({});
  if (!(options instanceof Dict)) throw refusal(at(who, "options"), "dict", options);
  for (const [name, value] of options.entries()) {
    const type = names.get(name);
    if (type === undefined)
      throw thrown(
        unknownOption({ caller: who, path: "" }, name, meantField(name, names.keys(), "there are ")),
      );
    // Nil is as good as nothing.
    if (value !== null && !fits(name, type, value)) throw refusal({ caller: who, path: name }, type, value);
  }
  return options;
}

export const checkedOptions = defineBuiltins("options", {
  checked_options: {
    doc: 'The options of a function of one\'s own, checked: `known` has the type of each that there is (`{limit: "int", tags: "string | list"}`), or is a list of names. Gives the dict, an empty one for nil. One that nobody knows is refused with the one that was probably meant, one of another type with both types.',
    sig: "(caller: string, options: dict | nil, known!: dict | list) -> dict",
    effect: "pure",
    fields: {
      options: "what the caller's own function takes: its names are those of `known`",
      known: "a type for each name",
    },
    example: 'checked_options("greet", {times: 2}, {times: "int"}).times  // 2',
    run: (_task, caller: Argument, options: Argument, known: Dict | List) => checked(caller, options, known),
  },
});
