/** The linter. */
export { type Fixed, fix, type LintOptions, lint } from "./lint.ts";
export type { Edit, LintRule, RuleFinding } from "./rule.ts";
export { rules } from "./rules.ts";
