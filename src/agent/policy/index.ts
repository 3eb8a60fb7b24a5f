/** What an agent may do: ceilings, permissions, approvals, people. README.md has the drawing. */

export { levelRank, sideEffectLevels } from "./annotations.ts";
export { approvalFields, approvalPolicyOf } from "./approval.ts";
export { ruleMatchKeys } from "./approval-rules.ts";
export * from "./autonomy.ts";
export { enterFolder, installGuard } from "./builtin-guard.ts";
export { checkCeilings, checkNested, checkWithin, deniedName } from "./capability.ts";
export * from "./capability-policy.ts";
export { commandPolicyFields } from "./commands/fields.ts";
export { type JudgedCommand, judgedRequest, riskOfCommand } from "./commands/judged-command.ts";
export { readsOnly } from "./commands/reads.ts";
export { type CommandRisk, riskOfOutput } from "./commands/risk.ts";
export * from "./commands/rules.ts";
export { writtenPaths } from "./paths.ts";
export { matcherTables, permissionFields } from "./permissions.ts";
export { type ApprovalHost, approvers, configureApprovals } from "./person.ts";
export { policyScopes } from "./scopes.ts";
