/** Webhooks: whether they come from whom they say, and what event they carry. Senders differ; this is what they publish. */
import type { Crypto } from "../../../host/index.ts";
import {
  Dict,
  fromBase64,
  hexText,
  jsonParse,
  ScriptError,
  toBase64,
  type Value,
} from "../../../values/index.ts";
import { option, textOf, utf8 } from "../../arguments.ts";
import { shortIsoTime } from "../../time/iso-time.ts";
import { type Provider, providers } from "./providers.ts";

export interface WebhookRequest {
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export type SignatureState = "verified" | "missing" | "invalid" | "stale" | "unsigned";

export const providerNamed = (name: string): Provider => {
  const found = providers.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no provider ${name}`);
  return found;
};

/** What is signed, how it is written, and when it was sent (seconds; `undefined` when the sender does not say). */
interface Signing {
  readonly signed: string;
  readonly expected: (mac: Uint8Array) => string;
  readonly sentAt: number | undefined;
  readonly key: Uint8Array;
}

function signingOf(provider: Provider, request: WebhookRequest, secret: string): Signing {
  const { headers, body } = request;
  const at = (name: string | undefined): string => headers.get((name ?? "").toLowerCase()) ?? "";
  const scheme = provider.signature;
  const seconds = Number(at(scheme?.timestampHeader));
  const key = utf8(secret);
  switch (scheme?.variant) {
    case "standard":
      return {
        signed: `${at(scheme.idHeader)}.${at(scheme.timestampHeader)}.${body}`,
        expected: (mac) => `v1,${toBase64(mac)}`,
        sentAt: seconds,
        key: fromBase64(secret.replace(/^whsec_/, "")),
      };
    case "slack":
      return {
        signed: `v0:${at(scheme.timestampHeader)}:${body}`,
        expected: (mac) => `v0=${hexText(mac)}`,
        sentAt: seconds,
        key,
      };
    case "linear": {
      const stamp = option(payloadOf(body), "webhookTimestamp");
      return { signed: body, expected: hexText, sentAt: Number(stamp) / 1000, key };
    }
    default:
      return { signed: body, expected: (mac) => `sha256=${hexText(mac)}`, sentAt: undefined, key };
  }
}

/** Checks a request against the secret that it should be signed with. */
export function verifyWebhook(
  crypto: Crypto,
  provider: Provider,
  request: WebhookRequest,
  { secret, nowMs }: { readonly secret: string; readonly nowMs: number },
): SignatureState {
  const scheme = provider.signature;
  if (scheme === undefined) return "unsigned";
  const header = request.headers.get(scheme.header.toLowerCase());
  if (header === undefined) return "missing";
  const { signed, expected, sentAt, key } = signingOf(provider, request, secret);
  const right = expected(crypto.hmac("sha256", key, utf8(signed)));
  // Senders that change their key send several signatures.
  if (!header.split(" ").some((one) => sameSignature(one, right))) return "invalid";
  if (sentAt === undefined) return "verified";
  const age = Math.abs(nowMs / 1000 - sentAt);
  return age <= scheme.toleranceSeconds ? "verified" : "stale";
}

/** The signature that a request should carry: for tests, and for senders. */
export function signWebhook(
  crypto: Crypto,
  provider: Provider,
  request: WebhookRequest,
  secret: string,
): string {
  const { signed, expected, key } = signingOf(provider, request, secret);
  return expected(crypto.hmac("sha256", key, utf8(signed)));
}

/** Compares all of it, wherever the difference is. */
function sameSignature(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i % Math.max(1, b.length));
  return difference === 0;
}

function payloadOf(body: string): Value {
  try {
    return jsonParse(body);
  } catch (error) {
    if (error instanceof ScriptError) return new Dict();
    throw error;
  }
}

/** The event in a request, without what only the intake knows. */
export function webhookEvent(provider: Provider, request: WebhookRequest, nowMs: number): Dict {
  const payload = payloadOf(request.body);
  const { kind, key } = vendorFacts(provider, request, payload);
  return Dict.of({
    provider: provider.name,
    kind,
    dedupe_key: key ?? null,
    occurred_at: shortIsoTime(nowMs),
    headers: Dict.from([...request.headers]),
    provider_payload: payload,
  });
}

/** Kinds of conversations, as the names of the subscriptions to their messages call them. */
const slackChannels: ReadonlyMap<string, string> = new Map([
  ["channel", "channels"],
  ["group", "groups"],
  ["im", "im"],
  ["mpim", "mpim"],
]);

/** `message.channels` for a message in a channel, else the event's type. */
function slackKind(event: Value | undefined): string | undefined {
  const type = option(event, "type");
  if (type === undefined) return undefined;
  const channel = slackChannels.get(textOf(option(event, "channel_type")));
  return type === "message" && channel !== undefined ? `message.${channel}` : textOf(type);
}

function vendorFacts(
  provider: Provider,
  request: WebhookRequest,
  payload: Value,
): { kind: string; key: string | undefined } {
  const text = (of: Value | undefined, name: string): string | undefined => {
    const value = option(of, name);
    return value === undefined ? undefined : textOf(value);
  };
  switch (provider.name) {
    case "github":
      return {
        kind: request.headers.get("x-github-event") ?? "webhook",
        key: request.headers.get("x-github-delivery"),
      };
    case "linear": {
      const parts = [text(payload, "type")?.toLowerCase(), text(payload, "action")];
      return { kind: parts.filter((part) => part !== undefined).join("."), key: text(payload, "webhookId") };
    }
    case "slack":
      return {
        kind: slackKind(option(payload, "event")) ?? text(payload, "type") ?? "event",
        key: text(payload, "event_id"),
      };
    case "a2a-push": {
      const state = text(option(payload, "status"), "state") ?? "updated";
      return { kind: `a2a.task.${state}`, key: text(payload, "jti") };
    }
    default:
      return { kind: text(payload, "type") ?? "webhook", key: request.headers.get("webhook-id") };
  }
}
