/** Globs of policies: paths are folded first. */
import { expect, test } from "vitest";
import { matchesBroadly, matchesStrictly } from "../../../../src/agent/policy/glob.ts";
import { foldPath } from "../../../../src/model/project/paths.ts";

test("`..` is folded before a rule lets a path through, and found by a rule that forbids", () => {
  expect(matchesStrictly("src/**", "src/../etc/passwd")).toBe(false);
  expect(matchesBroadly("etc/*", "src/../etc/passwd")).toBe(true);
  expect(matchesBroadly("rm *", "rm -rf /a/b")).toBe(true);
  expect(foldPath("../../a/./b/../c")).toBe("../../a/c");
  expect(foldPath("/../a")).toBe("/a");
});
