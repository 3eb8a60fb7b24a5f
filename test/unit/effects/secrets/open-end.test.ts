/** Of a text that comes in pieces: what can be told, and what has to wait for the next piece. */
import { describe, expect, it } from "vitest";
import { Secrets } from "../../../../src/effects/index.ts";

const known = (values: Record<string, string>): Secrets => Secrets.ofEnvironment(Object.entries(values));

/** The text in pieces of this size, each hidden by itself, as far as it can be told. */
function report(secrets: Secrets, text: string, size: number): string {
  let held = "";
  let shown = "";
  for (let at = 0; at < text.length; at += size) {
    const all = held + text.slice(at, at + size);
    const end = all.length - secrets.openEnd(all);
    shown += secrets.hide(all.slice(0, end));
    held = all.slice(end);
  }
  return shown + secrets.hide(held);
}

describe("the open end of a text", () => {
  it("is the beginning of a secret, and nothing else", () => {
    const secrets = known({ A_TOKEN: "abcdefgh" });
    expect(secrets.openEnd("plain text!")).toBe(0);
    expect(secrets.openEnd("plain abc")).toBe(3);
    expect(secrets.openEnd("plain abcdefgh\n")).toBe(0);
    expect(secrets.openEnd("")).toBe(0);
    expect(known({}).openEnd("plain {{sec")).toBe(5);
  });

  it("begins before a secret that ends as it begins, never inside of it", () => {
    expect(known({ A_TOKEN: "abcdab" }).openEnd("so abcdab")).toBe(6);
  });

  it("lets no secret through in any pieces", () => {
    const secrets = known({
      A_TOKEN: "abcdab",
      B_KEY: "abcdabcdef",
      C_PASSWORD: "p/ss w+rd",
      D_SECRET: "line1\nline2",
    });
    const text =
      'x abcdab, abcdabcdef abcdabcdab "p/ss w+rd" p%2Fss%20w%2Brd line1\nline2 {{secret:A_TOKEN}} line1 abcdab';
    for (let size = 1; size <= text.length; size++)
      expect(report(secrets, text, size)).toBe(secrets.hide(text));
  });
});
