/** Judges whose models nobody knows the price of: with a limit of money they are found before anything is asked. */
import type { Task } from "../../interp/index.ts";
import { callRoles, isMocking, modelsOf, routeOfCall } from "../../model/index.ts";
import type { RegisteredTask } from "../plan/index.ts";

/** In a sentence; undefined when every judge has a price. */
export function unpricedJudge(task: Task, { spec, code }: RegisteredTask): string | undefined {
  const models = modelsOf(task);
  if (isMocking(models.mock)) return undefined;
  const leave = callRoles.enter(task, "judge");
  try {
    for (const [at, { calls }] of code.scorers.entries())
      for (const options of calls) {
        const { provider, model } = routeOfCall(task, options);
        if (models.catalogue.priceAt(provider, model) !== null) continue;
        return `scorer ${spec.scorers[at]?.name} of ${spec.name}: ${model} of ${provider} has no price, so the limit of the set can't be kept; name a model with one, or its \`pricing\` under [llm.models] in harn.toml`;
      }
    return undefined;
  } finally {
    leave();
  }
}
