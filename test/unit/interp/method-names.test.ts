/** The names that the checker knows are those of the tables that run. */
import { expect, test } from "vitest";
import { dictMethods } from "../../../src/interp/methods/dict.ts";
import { rangeMethods } from "../../../src/interp/methods/dispatch.ts";
import { iterMethods } from "../../../src/interp/methods/iter.ts";
import { listMethods } from "../../../src/interp/methods/list.ts";
import { pullableMethods } from "../../../src/interp/methods/pullable.ts";
import { setMethods } from "../../../src/interp/methods/set.ts";
import { stringMethods } from "../../../src/interp/methods/string.ts";
import { methodNames } from "../../../src/table/index.ts";

test.each([
  ["string", stringMethods],
  ["list", listMethods],
  ["dict", dictMethods],
  ["set", setMethods],
  ["range", rangeMethods],
  ["iter", iterMethods],
  ["Generator", pullableMethods],
  ["Stream", pullableMethods],
] as const)("%s", (type, table) => {
  expect([...methodNames.get(type)!].sort()).toEqual([...table.keys()].sort());
});
