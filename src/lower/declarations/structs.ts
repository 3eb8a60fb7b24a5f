/** Struct types of a module at run time, one object per declaration and run. */
import type { StructType } from "../../values/index.ts";
import { structType } from "../../values/index.ts";
import type { Unit } from "../instance.ts";

/** The type that a struct's name stands for in a module; made when first asked for. */
export function structTypeOf(unit: Unit, name: string): StructType {
  let type = unit.structs.get(name);
  if (type === undefined) {
    const fields = unit.module.structs.get(name)?.fields.map((field) => field.name.text) ?? [];
    type = structType(name, fields);
    unit.structs.set(name, type);
    unit.instance.structs.push(type);
  }
  return type;
}
