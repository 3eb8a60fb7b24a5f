/** Model calls: the one place where a model effect is performed, what it costs, and how options become a request. */
export { type CallPlan, planCall, requestOf } from "./call-plan.ts";
export { modelCall } from "./model-call.ts";
export { configureModels, type ModelConfig, Models, modelsOf, spendingOf } from "./models.ts";
export { reportOptions } from "./option-report.ts";
export { Purse } from "./purse.ts";
export { defaultMaxTokens, project, refusal, Spending } from "./spending.ts";
export type { BudgetRefusal, CallBudget, ModelCallOptions, ModelCallResult } from "./types.ts";
