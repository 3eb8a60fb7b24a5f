import { describe, expect, it } from "vitest";
import { areas } from "../../../src/builtins/areas.ts";
import { builtinTable } from "../../../src/builtins/index.ts";
import { parseSignature } from "../../../src/table/index.ts";

const specs = [...builtinTable().values()];

describe("the builtin table", () => {
  it("is made once", () => {
    expect(builtinTable()).toBe(builtinTable());
    expect(specs.length).toBeGreaterThan(300);
  });

  it("has each name once: the later one would take the place of the other", () => {
    const names = areas.flatMap((area) => area.map(({ name }) => name));
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it.each(specs.map((spec) => [spec.name, spec] as const))(
    "%s is documented and has a signature",
    (name, spec) => {
      expect(name).toMatch(/^[A-Za-z][A-Za-z0-9_]*$/);
      expect(spec.doc.trim()).toMatch(/^\S.*[.!?…)`]$/s);
      const { params } = parseSignature(spec.sig);
      const firstOptional = params.findIndex((param) => param.optional);
      const required = params.findLastIndex((param) => !param.optional);
      expect(firstOptional < 0 || required < firstOptional || spec.area !== "strings").toBe(true);
      expect(params.filter((param) => param.rest).length).toBeLessThanOrEqual(1);
      expect(params.findIndex((param) => param.rest)).toBeOneOf([-1, params.length - 1]);
    },
  );

  it("declares as `performs` only what has an effect of its own, and lets no effect be called pure", () => {
    const touching = /host\.(files|processes|clock|env|readLine)|task\.perform|observe\(/;
    const wrong = specs.filter((spec) => spec.effect === "pure" && touching.test(spec.run.toString()));
    expect(wrong.map((spec) => spec.name)).toEqual([]);
  });

  it("never has two builtins of one name", () => {
    expect(new Set(specs.map((spec) => spec.name)).size).toBe(specs.length);
  });
});
