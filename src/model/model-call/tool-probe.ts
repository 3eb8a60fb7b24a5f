/** What a server of one's own says of its tools: asked once per route and run, and recorded. */
import { shape } from "../../effects/index.ts";
import type { Task } from "../../interp/index.ts";
import { type MaybePromise, ScriptError } from "../../values/index.ts";
import { isMocking, serverTakesTools } from "../llm/index.ts";
import { refusesAddress } from "./model-call.ts";
import { type Models, modelsOf } from "./models.ts";

/**
 * Asks the server of a route, where nothing says how it wants tools: no rule of the catalogue, no pin of an alias, no mock that
 * answers in its place. From then on the plans of the run know it.
 */
export async function learnToolFormat(
  task: Task,
  { provider, model, base_url: own }: { provider: string; model: string; base_url: string | null },
): Promise<void> {
  const models = modelsOf(task);
  if (!mayAsk(task, models, provider, model)) return;
  const base_url = models.addressOf(provider, models.namedFirst ? own : null);
  const refuses = refusesAddress(task);
  // A deadline that has passed and a cancelled task are no refusal.
  task.raisePending();
  let asked: MaybePromise<boolean | null>;
  try {
    asked = task.perform<boolean | null>({
      effect: "model",
      kind: "llm.tools",
      deferred: true,
      args: () => ({ provider, model, base_url }),
      run: async (signal) =>
        await serverTakesTools({ provider, model, base_url, messages: [], max_tokens: 1 }, models.parts(), {
          signal,
          refuses,
        }),
      result: shape.orNull(shape.flag),
    });
  } catch (error) {
    // A run that may not reach models: the call itself says so.
    if (!(error instanceof ScriptError)) throw error;
    return;
  }
  models.learnTools(provider, model, await asked);
}

/** Whether servers are there to be asked: nothing answers in their place. */
export function asksServers(task: Task): boolean {
  const models = modelsOf(task);
  return models.asksServers && !isMocking(models.mock);
}

function mayAsk(task: Task, models: Models, provider: string, model: string): boolean {
  if (!asksServers(task) || models.hasAsked(provider, model)) return false;
  if (models.catalogue.provider(provider)?.local !== true) return false;
  const { native_tools, preferred_tool_format } = models.catalogue.capabilities(provider, model);
  return !native_tools && preferred_tool_format === null;
}
