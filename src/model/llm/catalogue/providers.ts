/**
 * The providers that are known without configuration (agents.md §5.1), as data.
 *
 * `protocol` says which adapter speaks to them. Vendors whose own protocol differs (gemini, ollama) are reached through
 * their OpenAI-compatible endpoint: `apiPath` is what has to follow the base URL for that.
 */
import type { JsonObject } from "../port.ts";

export interface ProviderSpec {
  name: string;
  /** `none` means that no adapter exists: the row serves look-ups only. */
  protocol: "anthropic" | "openai" | "mock" | "none";
  base_url: string | null;
  /** Variables that replace `base_url`, first set one wins. */
  base_url_env: string[];
  /** What the adapter appends unless the base URL already ends so. */
  apiPath: string;
  auth_style: string;
  auth_header: string | null;
  /** Variables that hold the key, first set one wins. Empty: no key is needed. */
  auth_env: string[];
  default_model: string | null;
  /** A variable that replaces `default_model`. */
  model_env: string | null;
  chat_endpoint: string | null;
  completion_endpoint: string | null;
  extra_headers: JsonObject;
  features: string[];
  /** Runs on the user's own machine or network: costs nothing. */
  local: boolean;
}

type ProviderRow = Partial<ProviderSpec> & { name: string };

function provider(row: ProviderRow): ProviderSpec {
  return {
    protocol: "openai",
    base_url: null,
    base_url_env: [`${row.name.toUpperCase()}_BASE_URL`],
    apiPath: "",
    auth_style: "bearer",
    auth_header: null,
    auth_env: [`${row.name.toUpperCase()}_API_KEY`],
    default_model: null,
    model_env: null,
    chat_endpoint: "/chat/completions",
    completion_endpoint: "/completions",
    extra_headers: {},
    features: [],
    local: false,
    ...row,
  };
}

function localServer(row: ProviderRow): ProviderSpec {
  return provider({
    apiPath: "/v1",
    auth_style: "none",
    auth_env: [],
    chat_endpoint: "/v1/chat/completions",
    completion_endpoint: "/v1/completions",
    local: true,
    ...row,
  });
}

/** The built-in rows; made when first asked for. */
export function builtinProviders(): ProviderSpec[] {
  return [
    provider({
      name: "anthropic",
      protocol: "anthropic",
      base_url: "https://api.anthropic.com/v1",
      auth_style: "header",
      auth_header: "x-api-key",
      default_model: "claude-sonnet-4-20250514",
      chat_endpoint: "/messages",
      completion_endpoint: null,
      extra_headers: { "anthropic-version": "2023-06-01" },
      features: ["prompt_caching", "thinking"],
    }),
    provider({
      name: "openai",
      base_url: "https://api.openai.com/v1",
      default_model: "gpt-4o",
      features: ["responses"],
    }),
    provider({
      name: "openrouter",
      base_url: "https://openrouter.ai/api/v1",
      default_model: "anthropic/claude-sonnet-4.6",
    }),
    provider({
      name: "huggingface",
      base_url: "https://router.huggingface.co/v1",
      auth_env: ["HF_TOKEN", "HUGGINGFACE_API_KEY"],
    }),
    provider({
      name: "together",
      base_url: "https://api.together.xyz/v1",
      base_url_env: ["TOGETHER_AI_BASE_URL"],
      auth_env: ["TOGETHER_AI_API_KEY"],
    }),
    provider({ name: "groq", base_url: "https://api.groq.com/openai/v1" }),
    provider({ name: "deepseek", base_url: "https://api.deepseek.com/v1", default_model: "deepseek-chat" }),
    provider({ name: "fireworks", base_url: "https://api.fireworks.ai/inference/v1" }),
    provider({ name: "mistral", base_url: "https://api.mistral.ai/v1" }),
    provider({ name: "cohere", base_url: "https://api.cohere.ai/compatibility/v1" }),
    provider({ name: "xai", base_url: "https://api.x.ai/v1" }),
    provider({ name: "dashscope", base_url: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1" }),
    provider({
      name: "gemini",
      base_url: "https://generativelanguage.googleapis.com",
      apiPath: "/v1beta/openai",
      auth_style: "header",
      auth_header: "x-goog-api-key",
      auth_env: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
      default_model: "gemini-2.5-flash",
      chat_endpoint: "/v1beta/openai/chat/completions",
      completion_endpoint: null,
    }),
    localServer({
      name: "ollama",
      base_url: "http://localhost:11434",
      base_url_env: ["OLLAMA_HOST"],
      default_model: "llama3.2",
    }),
    localServer({
      name: "local",
      base_url: "http://localhost:8000",
      base_url_env: ["LOCAL_LLM_BASE_URL"],
      model_env: "LOCAL_LLM_MODEL",
    }),
    localServer({ name: "llamacpp", base_url: "http://127.0.0.1:8001" }),
    localServer({ name: "mlx", base_url: "http://127.0.0.1:8002", model_env: "MLX_MODEL_ID" }),
    localServer({ name: "vllm", base_url: "http://localhost:8000" }),
    localServer({ name: "tgi", base_url: "http://localhost:8080" }),
    provider({ name: "bedrock", protocol: "none", auth_style: "aws_sigv4", auth_env: ["AWS_ACCESS_KEY_ID"] }),
    provider({
      name: "azure_openai",
      protocol: "none",
      auth_style: "azure_openai",
      auth_env: ["AZURE_OPENAI_API_KEY"],
    }),
    provider({ name: "vertex", protocol: "none", auth_env: ["VERTEX_AI_ACCESS_TOKEN"] }),
    provider({
      name: "mock",
      protocol: "mock",
      auth_style: "none",
      auth_env: [],
      base_url_env: [],
      chat_endpoint: null,
      completion_endpoint: null,
      local: true,
    }),
    // Answers played from a file (`--tape`): nothing is spent.
    provider({
      name: "tape",
      protocol: "mock",
      auth_style: "none",
      auth_env: [],
      base_url_env: [],
      chat_endpoint: null,
      completion_endpoint: null,
      local: true,
    }),
  ];
}
