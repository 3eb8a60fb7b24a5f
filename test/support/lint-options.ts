/** What the linter asks about builtins, answered by the real table. */
import { builtinTable } from "../../src/builtins/index.ts";
import type { BuiltinSpec } from "../../src/table/index.ts";

export const lintedBuiltin = (name: string): BuiltinSpec | undefined => builtinTable().get(name);
