/** Options of model calls by role: task, variant, `--role` (docs/evals.md). */
import { expect, it } from "vitest";
import { roleOptions } from "../../../../src/eval/engine/role-options.ts";
import { Dict, toJson } from "../../../../src/values/index.ts";

const variant = (body: Dict) => ({ name: "v", key: "v", digest: "", body });
const spec = { roles: { judge: { model: "a", temperature: 0 }, user: { provider: "p" } } };

it("takes the command line's model for the task's, and the variant's for both", () => {
  const options = roleOptions(spec, variant(Dict.of({ model: "m", style: "short" })), {
    judge: "j",
    user: "u",
    agent: "g",
  });
  expect(toJson(options("judge") ?? null)).toEqual({ model: "j", temperature: 0 });
  expect(toJson(options("user") ?? null)).toEqual({ provider: "p", model: "u" });
  expect(toJson(options("agent") ?? null)).toEqual({ model: "m" });
  const plain = roleOptions(spec, variant(new Dict()), { agent: "g" });
  expect(toJson(plain("agent") ?? null)).toEqual({ model: "g" });
  expect(roleOptions({ roles: {} }, variant(new Dict()))("judge")).toBeUndefined();
});
