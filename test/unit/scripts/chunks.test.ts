/** What the build does to the text of its files. */
import { describe, expect, it } from "vitest";
import { inAscii } from "../../../scripts/chunks.ts";

describe("code in ASCII", () => {
  it("means the same: in texts, in patterns, and in keys that are names", () => {
    const code = '({𝒜: "𝒜", "𝒞": "é𝒞: x", ℬ: 2, 𝔞𝔟: `𝒜:${1}`, a𝒜b: /^𝒜$/.test("𝒜"), u: /^[𝒜]$/u.test("𝒜")})';
    const written = inAscii(code);
    expect(written).toMatch(/^[\0-\x7f]*$/);
    expect(new Function(`return ${written}`)()).toEqual(new Function(`return ${code}`)());
  });
});
