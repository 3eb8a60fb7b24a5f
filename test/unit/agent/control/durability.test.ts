/** C18, C19: four classes of results, and where they come from. */
import { describe, expect, test } from "vitest";
import { durabilityOf, writes } from "../../../../src/agent/tools/durability.ts";
import type { ToolEntry } from "../../../../src/model/index.ts";
import { Dict } from "../../../../src/values/index.ts";

const entry = (
  annotations: Record<string, string | boolean> = {},
  own: Record<string, string> = {},
): ToolEntry => ({ name: "t", annotations: Dict.of(annotations), raw: Dict.of(own) }) as unknown as ToolEntry;

describe("durability", () => {
  test.each([
    ["list", null, "ephemeral"],
    ["glob", null, "ephemeral"],
    ["search", null, "ephemeral"],
    ["read", "read_only", "replayable"],
    ["edit", null, "anchoring"],
    ["write", "workspace_write", "anchoring"],
    ["delete", null, "anchoring"],
    ["move", null, "anchoring"],
    ["execute", null, "non_replayable"],
    ["fetch", "read_only", "non_replayable"],
    ["read", "network", "non_replayable"],
    ["other", null, "non_replayable"],
  ])("annotations: kind %s, level %s: %s", (kind, level, wanted) => {
    const annotations: Record<string, string> = { kind };
    if (level !== null) annotations.side_effect_level = level;
    expect(durabilityOf("t", entry(annotations), []).class).toBe(wanted);
  });

  test("the loop's map, the tool's word, the result's word, annotations, names, in this order", () => {
    const rules = [{ glob: "read_*", class: "ephemeral" as const, keep: ["a"] }];
    const read = entry({ kind: "read" }, { durability: "anchoring" });
    expect(durabilityOf("read_file", read, rules, "non_replayable")).toEqual(rules[0]);
    expect(durabilityOf("read_file", read, [], "non_replayable").class).toBe("anchoring");
    expect(durabilityOf("t", entry({ kind: "read" }), [], "non_replayable").class).toBe("non_replayable");
    expect(durabilityOf("read_file", undefined, []).class).toBe("replayable");
    expect(durabilityOf("__proto__", undefined, []).class).toBe("non_replayable");
  });

  test("writing calls: commands are none", () => {
    expect(writes(entry({ kind: "edit" }))).toBe(true);
    expect(writes(entry({ side_effect_level: "workspace_write" }))).toBe(true);
    expect(writes(entry({ kind: "execute", side_effect_level: "workspace_write" }))).toBe(false);
    expect(writes(entry({ kind: "read" }))).toBe(false);
    expect(writes(undefined)).toBe(false);
  });
});
