/** What an agent may do: ceilings, permissions, approvals, people. README.md has the drawing. */

export { levelRank, sideEffectLevels } from "./annotations.ts";
export { type ApprovalPolicy, approvalFields, approvalPolicyOf, sensitiveDefaults } from "./approval.ts";
export {
  type AutonomyTier,
  autonomyTiers,
  enterTier,
  isTierRefusal,
  noteApproval,
  TierScope,
} from "./autonomy.ts";
export { enterFolder, installGuard } from "./builtin-guard.ts";
export { checkCeilings, checkNested, checkWithin, deniedName } from "./capability.ts";
export { type CapabilityPolicy, policyFields, readPolicy } from "./capability-policy.ts";
export { type JudgedCommand, judgedRequest, riskOfCommand } from "./commands/judged-command.ts";
export { readsOnly } from "./commands/reads.ts";
export { type CommandRisk, riskOfOutput } from "./commands/risk.ts";
export {
  blockedReason,
  commandPoliciesOf,
  commandPolicyOf,
  decidingPolicies,
  judgeCommands,
  pushedPolicies,
  refusedCommand,
} from "./commands/rules.ts";
export { writtenPaths } from "./paths.ts";
export { type Permissions, permissionFields } from "./permissions.ts";
export { type ApprovalHost, approvers, configureApprovals } from "./person.ts";
export { type PolicyScope, policyScopes } from "./scopes.ts";
