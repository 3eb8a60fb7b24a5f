/** Model calls: the one place where a model effect is performed, what it costs, and how options become a request. */

export * from "./call-plan.ts";
export * from "./call-within.ts";
export { type Inspector, violationIn } from "./inspected.ts";
export * from "./model-budget.ts";
export { modelCall, modelResponseShape } from "./model-call.ts";
export * from "./models.ts";
export * from "./recorded-money.ts";
export * from "./roles.ts";
export { routingFields } from "./route-policy.ts";
export { callOverRoutes } from "./routed-call.ts";
export type { RoutingDecision } from "./routing.ts";
export type { SpendingProjection } from "./spending.ts";
export * from "./tool-probe.ts";
export type { BudgetRefusal, ModelCallOptions, ModelCallResult } from "./types.ts";
