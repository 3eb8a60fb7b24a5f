/** The providers of trigger events that are known, as data (agents.md §21). */
import { Dict, List, type Value } from "../../../values/index.ts";

/** How a provider signs what it sends. */
export interface SignatureScheme {
  readonly variant: string;
  readonly header: string;
  readonly timestampHeader?: string;
  readonly idHeader?: string;
  readonly toleranceSeconds: number;
}

export interface Provider {
  readonly name: string;
  readonly kinds: readonly string[];
  readonly schema: string;
  readonly connector: string;
  readonly signature?: SignatureScheme;
  readonly secrets?: readonly { readonly name: string; readonly required: boolean }[];
  readonly outbound?: readonly string[];
}

const fiveMinutes = 300;
const signing = [{ name: "signing_secret", required: true }];

const streamProvider = (name: string): Provider => ({
  name,
  kinds: [name, "stream"],
  schema: "StreamEventPayload",
  connector: "stream",
});

/** Sorted by name. */
export const providers: readonly Provider[] = [
  { name: "a2a-push", kinds: ["a2a-push"], schema: "A2aPushPayload", connector: "a2a-push" },
  { name: "cron", kinds: ["cron"], schema: "CronEventPayload", connector: "cron" },
  streamProvider("email"),
  {
    name: "github",
    kinds: ["webhook"],
    schema: "GitHubEventPayload",
    connector: "webhook",
    signature: {
      variant: "github",
      header: "X-Hub-Signature-256",
      idHeader: "X-GitHub-Delivery",
      toleranceSeconds: fiveMinutes,
    },
    secrets: signing,
  },
  streamProvider("kafka"),
  {
    name: "linear",
    kinds: ["webhook"],
    schema: "LinearEventPayload",
    connector: "linear",
    signature: { variant: "linear", header: "Linear-Signature", toleranceSeconds: 75 },
    secrets: [...signing, { name: "access_token", required: false }],
    outbound: ["list_issues", "update_issue", "create_comment", "search", "graphql"],
  },
  streamProvider("nats"),
  {
    name: "notion",
    kinds: ["webhook", "poll"],
    schema: "NotionEventPayload",
    connector: "notion",
    signature: { variant: "notion", header: "X-Notion-Signature", toleranceSeconds: fiveMinutes },
    secrets: [{ name: "verification_token", required: true }],
    outbound: [
      "get_page",
      "update_page",
      "append_blocks",
      "query_database",
      "search",
      "create_comment",
      "api_call",
    ],
  },
  streamProvider("postgres-cdc"),
  streamProvider("pulsar"),
  {
    name: "slack",
    kinds: ["webhook"],
    schema: "SlackEventPayload",
    connector: "slack",
    signature: {
      variant: "slack",
      header: "X-Slack-Signature",
      timestampHeader: "X-Slack-Request-Timestamp",
      toleranceSeconds: fiveMinutes,
    },
    secrets: signing,
    outbound: [
      "post_message",
      "update_message",
      "add_reaction",
      "open_view",
      "user_info",
      "api_call",
      "upload_file",
    ],
  },
  {
    name: "webhook",
    kinds: ["webhook"],
    schema: "GenericWebhookPayload",
    connector: "webhook",
    signature: {
      variant: "standard",
      header: "webhook-signature",
      timestampHeader: "webhook-timestamp",
      idHeader: "webhook-id",
      toleranceSeconds: fiveMinutes,
    },
    secrets: signing,
  },
  streamProvider("websocket"),
];

function signatureDict(scheme: SignatureScheme | undefined): Dict {
  if (scheme === undefined) return Dict.of({ kind: "none" });
  return Dict.of({
    kind: "hmac",
    variant: scheme.variant,
    signature_header: scheme.header,
    timestamp_header: scheme.timestampHeader ?? null,
    id_header: scheme.idHeader ?? null,
    default_tolerance_secs: scheme.toleranceSeconds,
  });
}

const namedProvider = (name: string): Value => Dict.of({ name });

/** A row of `list_providers()`. */
export const providerDict = (provider: Provider): Dict =>
  Dict.of({
    provider: provider.name,
    kinds: new List([...provider.kinds]),
    schema_name: provider.schema,
    signature_verification: signatureDict(provider.signature),
    secret_requirements: new List(
      (provider.secrets ?? []).map(({ name, required }) =>
        Dict.of({ name, required, namespace: provider.name }),
      ),
    ),
    outbound_methods: new List((provider.outbound ?? []).map(namedProvider)),
    runtime: Dict.of({
      kind: "builtin",
      connector: provider.connector,
      default_signature_variant: provider.signature?.variant ?? null,
    }),
  });
