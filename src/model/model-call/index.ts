/** Model calls: the one place where a model effect is performed, what it costs, and how options become a request. */

export { type CallPlan, planCall, requestOf, routeOfCall } from "./call-plan.ts";
export { type BookedCall, bookAgain, callWithin } from "./call-within.ts";
export { type Inspector, violationIn } from "./inspected.ts";
export { ModelBudget, modelBudgetOf, modelBudgets } from "./model-budget.ts";
export { modelCall, modelResponseShape } from "./model-call.ts";
export {
  configureModels,
  type ModelConfig,
  Models,
  modelsOf,
  type ObservedModels,
  spendingOf,
} from "./models.ts";
export { type RecordedMoney, recordedMoney } from "./recorded-money.ts";
export {
  type BookedRoleCall,
  type CallDraw,
  type CallRole,
  callRoles,
  type RoleRules,
  roleOf,
} from "./roles.ts";
export { routingFields } from "./route-policy.ts";
export { callOverRoutes } from "./routed-call.ts";
export type { RoutingDecision } from "./routing.ts";
export type { SpendingProjection } from "./spending.ts";
export { defaultMaxTokens, project, refusal, Spending } from "./spending.ts";
export { asksServers, learnToolFormat } from "./tool-probe.ts";
export type { BudgetRefusal, ModelCallOptions, ModelCallResult } from "./types.ts";
