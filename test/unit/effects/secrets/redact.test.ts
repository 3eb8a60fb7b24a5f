import { describe, expect, it } from "vitest";
import { redact, redactHeader, redactUrl } from "../../../../src/effects/index.ts";

describe("redaction", () => {
  it("replaces known keys by name and everything that looks like one", () => {
    const secret = { name: "MY_KEY", value: "hunter2hunter2" };
    expect(redact("a hunter2hunter2 b sk-proj-abcdefgh1jklmnop c Bearer abc.def-ghi", [secret])).toBe(
      "a {{secret:MY_KEY}} b [redacted] c [redacted]",
    );
    expect(redact("task-force, sk-1 and pk_account_name_index stay")).toBe(
      "task-force, sk-1 and pk_account_name_index stay",
    );
  });
});

describe("requests", () => {
  it.each([
    ["authorization", "[redacted]"],
    ["X-Api-Key", "[redacted]"],
    ["set-cookie", "[redacted]"],
    ["x-session", "[redacted]"],
    ["accept", "v"],
  ])("%s is shown as %s", (name, shown) => expect(redactHeader(name, "v")).toBe(shown));

  it.each([
    ["https://u:p@a.test/x?a=1&key=k#f", "https://a.test/x?a=1&key=%5Bredacted%5D#f"],
    ["wss://a.test/?sigNature=s&password=", "wss://a.test/?sigNature=%5Bredacted%5D&password=%5Bredacted%5D"],
    ["no url", "no url"],
  ])("%s is shown as %s", (url, shown) => expect(redactUrl(url)).toBe(shown));
});
