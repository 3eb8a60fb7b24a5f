/**
 * Globs of policies: over tool names, argument values, paths. A rule that forbids matches broadly (`matchesBroadly`), one
 * that allows strictly (`matchesStrictly`): what a traversal or a letter case could hide is found by the first and not let
 * through by the second.
 */

import { foldPath } from "../../model/index.ts";
import { nameMatches, pathMatches } from "../../values/index.ts";

/** For rules that allow: paths by their parts and with `..` folded, other texts as a whole. */
export function matchesStrictly(pattern: string, value: string): boolean {
  if (!pattern.includes("/") || pattern.includes("://")) return nameMatches(pattern, value);
  return pathMatches(pattern, foldPath(value));
}

/** For rules that forbid: as a text, as a path, and with `..` folded. */
export function matchesBroadly(pattern: string, value: string): boolean {
  if (nameMatches(pattern, value)) return true;
  const folded = foldPath(value);
  return nameMatches(pattern, folded) || pathMatches(pattern, folded);
}

/** The first of several patterns that fits. */
export function firstMatch(
  patterns: readonly string[],
  value: string,
  matches: (pattern: string, value: string) => boolean,
): string | undefined {
  return patterns.find((pattern) => matches(pattern, value));
}
