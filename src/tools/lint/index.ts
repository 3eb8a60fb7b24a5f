/** The linter. */
export { type FixResult, fix, type LintOptions, lint } from "./lint.ts";
export type { Edit, LintRule, RuleFinding } from "./rule.ts";
export { rules } from "./rules.ts";
