/** `llm_healthcheck`: whether a provider answers, found out by the smallest possible call (agents.md §5.2). */
import type { Task } from "../../interp/index.ts";
import { Dict } from "../../values/index.ts";
import { modelCall, modelsOf } from "../model-call/index.ts";

export async function healthCheck(task: Task, provider: string, options: Dict): Promise<Dict> {
  const models = modelsOf(task);
  const spec = models.catalogue.provider(provider);
  const result = (valid: boolean, message: string, reason: string, status?: string): Dict =>
    Dict.of({ provider, valid, message, status, metadata: Dict.of({ reason }) });
  if (spec === undefined) return result(false, `Unknown provider: ${provider}`, "unknown_provider");
  if (provider === "mock") return result(true, "The mock always answers", "ok", "ok");
  const wanted = options.get("model");
  if (options.get("warm") === true && typeof wanted !== "string") {
    return result(false, `warming ${provider} up needs a \`model\``, "invalid_request", "invalid_request");
  }
  if (!models.catalogue.hasKey(provider, models.env)) {
    return result(false, `No key: set ${spec.auth_env.join(" or ")}`, "missing_key");
  }
  const model = typeof wanted === "string" ? wanted : models.catalogue.defaultModel(provider, models.env);
  if (model === undefined)
    return result(false, `${provider} has no default model: name one with \`model\``, "no_model");
  const answer = await modelCall(task, {
    provider,
    model,
    messages: [{ role: "user", content: "ping" }],
    max_tokens: 16,
    timeout_ms: 20_000,
  });
  if (answer.ok) return result(true, `${provider} answered with ${answer.response.model}`, "ok", "ok");
  return result(false, answer.error.message, answer.error.reason, answer.error.category);
}
