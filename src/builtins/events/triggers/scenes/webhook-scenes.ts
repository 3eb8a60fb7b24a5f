/** Scenarios of what comes in over HTTP: signatures, repeats, the peculiarities of senders. */
import { Dict, jsonParse, jsonStringify, List, toBase64, type Value } from "../../../../values/index.ts";
import { option, utf8 } from "../../../arguments.ts";
import { shortIsoTime } from "../../../time/iso-time.ts";
import { SeenKeys } from "../flow-control.ts";
import { Intake } from "../intake.ts";
import {
  providerNamed,
  type SignatureState,
  signWebhook,
  verifyWebhook,
  type WebhookRequest,
  webhookEvent,
} from "../webhooks.ts";
import type { Play } from "./dispatching.ts";
import { handler, type Stage } from "./stage.ts";

const secret = "not-a-secret";

/** Two requests of one sender: what was sent, and what a stranger would make of it. */
interface WebhookSender {
  readonly provider: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, Value>>;
}

/** A request as its sender would send it. */
function signed(stage: Stage, sender: WebhookSender, key = secret): WebhookRequest {
  const provider = providerNamed(sender.provider);
  const headers = new Map(Object.entries(sender.headers));
  const request = { headers, body: jsonStringify(Dict.of(sender.body)) };
  if (provider.signature !== undefined) {
    const { crypto } = stage.task.runtime.host;
    headers.set(provider.signature.header.toLowerCase(), signWebhook(crypto, provider, request, key));
  }
  return request;
}

function verifyScene(stage: Stage, name: string, request: WebhookRequest, key = secret): SignatureState {
  const { crypto } = stage.task.runtime.host;
  return verifyWebhook(crypto, providerNamed(name), request, { secret: key, nowMs: stage.now });
}

/** A binding whose handler notes what reaches it. */
const listeningWebhook = (stage: Stage, provider: string, more: Readonly<Record<string, Value>> = {}) =>
  stage.bind({
    provider,
    handler: handler((event) => {
      stage.emit(event, more);
      return null;
    }),
  });

const secondsText = (ms: number): string => String(Math.floor(ms / 1000));

const verifiesHmac: Play = async (stage) => {
  const key = `whsec_${toBase64(utf8(secret))}`;
  const headers = { "webhook-id": "delivery-1", "webhook-timestamp": secondsText(stage.now) };
  const request = signed(stage, { provider: "webhook", headers, body: { type: "ping" } }, key);
  const state = verifyScene(stage, "webhook", request, key);
  const tampered = verifyScene(stage, "webhook", { ...request, body: `${request.body} ` }, key);
  const binding = listeningWebhook(stage, "webhook", { signature_state: state });
  if (state === "verified")
    await stage.fire(binding, webhookEvent(providerNamed("webhook"), request, stage.now));
  return {
    ok: state === "verified" && tampered === "invalid" && stage.emitted.length === 1,
    details: { tampered_state: tampered },
  };
};

const blocksDuplicates: Play = async (stage) => {
  const intake = new Intake();
  const binding = listeningWebhook(stage, "github", { signature_state: "verified" });
  const headers = { "x-github-event": "ping", "x-github-delivery": "delivery-123" };
  const request = signed(stage, { provider: "github", headers, body: { zen: "one thing" } });
  const appended: boolean[] = [];
  for (let sent = 0; sent < 2; sent++) {
    if (verifyScene(stage, "github", request) !== "verified") continue;
    const event = webhookEvent(providerNamed("github"), request, stage.now);
    const answer = intake.admit(String(event.get("dedupe_key")), stage.now);
    appended.push(answer.appended);
    if (answer.appended) await stage.fire(binding, event);
  }
  const [first = false, second = false] = appended;
  return {
    ok: first && !second && stage.emitted.length === 1,
    details: { first_appended: first, second_appended: second },
  };
};

const taskCompleted: Play = async (stage) => {
  const body = { taskId: "task-123", status: Dict.of({ state: "completed" }), jti: "a2a-jti-1" };
  const request = signed(stage, { provider: "a2a-push", headers: {}, body });
  const binding = listeningWebhook(stage, "a2a-push");
  const event = webhookEvent(providerNamed("a2a-push"), request, stage.now);
  await stage.fire(binding, event);
  const payload = event.get("provider_payload");
  const status = payload instanceof Dict ? payload.get("status") : null;
  return {
    ok: stage.emitted[0]?.get("kind") === "a2a.task.completed",
    details: {
      task_id: payload instanceof Dict ? (payload.get("taskId") ?? null) : null,
      task_state: status instanceof Dict ? (status.get("state") ?? null) : null,
    },
  };
};

const rejectsReplay: Play = async (stage) => {
  const jti = "a2a-jti-replay";
  const tokens = new SeenKeys(3_600_000);
  const binding = listeningWebhook(stage, "a2a-push");
  const body = { taskId: "task-123", status: Dict.of({ state: "completed" }), jti };
  const request = signed(stage, { provider: "a2a-push", headers: {}, body });
  const taken: boolean[] = [];
  for (let sent = 0; sent < 2; sent++) {
    const fresh = tokens.add(jti, stage.now);
    taken.push(fresh);
    if (fresh) await stage.fire(binding, webhookEvent(providerNamed("a2a-push"), request, stage.now));
  }
  const rejected = taken[0] === true && taken[1] === false;
  return { ok: rejected && stage.emitted.length === 1, details: { jti, replay_rejected: rejected } };
};

const linearIssue = (sentAt: number): WebhookSender => ({
  provider: "linear",
  headers: { "linear-event": "Issue" },
  body: {
    type: "Issue",
    action: "update",
    webhookId: "linear-1",
    webhookTimestamp: sentAt,
    data: Dict.of({ id: "issue-1", title: "A new title", priority: 1, estimate: 3 }),
    updatedFrom: Dict.of({ title: "A title", priority: 3, estimate: null }),
  },
});

/** `[{field, from, to}]`: what an update says of the values before it, beside those after it. */
function linearChanges({ body }: WebhookRequest): List {
  const payload = jsonParse(body);
  const after = option(payload, "data");
  const before = option(payload, "updatedFrom");
  const fields = before instanceof Dict ? [...before.entries()] : [];
  return new List(fields.map(([field, from]) => Dict.of({ field, from, to: option(after, field) ?? null })));
}

const linearUpdate: Play = async (stage) => {
  const request = signed(stage, linearIssue(stage.now));
  const state = verifyScene(stage, "linear", request);
  const binding = listeningWebhook(stage, "linear", { signature_state: state });
  if (state === "verified")
    await stage.fire(binding, webhookEvent(providerNamed("linear"), request, stage.now));
  return {
    ok: stage.emitted[0]?.get("kind") === "issue.update",
    details: { action: "update", type: "Issue", changes: linearChanges(request) },
  };
};

const linearWindow: Play = async (stage) => {
  const tolerance = providerNamed("linear").signature?.toleranceSeconds ?? 0;
  const binding = listeningWebhook(stage, "linear", { signature_state: "verified" });
  const states: SignatureState[] = [];
  for (const age of [tolerance, tolerance + 1]) {
    const request = signed(stage, linearIssue(stage.now - age * 1000));
    const state = verifyScene(stage, "linear", request);
    states.push(state);
    if (state === "verified")
      await stage.fire(binding, webhookEvent(providerNamed("linear"), request, stage.now));
  }
  const [inside, outside] = states;
  return {
    ok: inside === "verified" && outside === "stale",
    details: {
      tolerance_secs: tolerance,
      inside_state: inside ?? null,
      outside_state: outside ?? null,
      timestamp_rejected: outside === "stale",
      linear_timestamp_rejections_total: states.filter((state) => state === "stale").length,
      error:
        outside === "stale"
          ? `linear webhook timestamp is outside the allowed verification window of ${tolerance} s`
          : null,
    },
  };
};

const slackMessage = (stage: Stage): WebhookRequest =>
  signed(stage, {
    provider: "slack",
    headers: { "x-slack-request-timestamp": secondsText(stage.now) },
    body: {
      type: "event_callback",
      event_id: "Ev123",
      event: Dict.of({ type: "message", channel: "C1", channel_type: "channel", text: "hello" }),
    },
  });

const slackEvents: Play = async (stage) => {
  const request = slackMessage(stage);
  const state = verifyScene(stage, "slack", request);
  const binding = listeningWebhook(stage, "slack", { signature_state: state });
  if (state === "verified")
    await stage.fire(binding, webhookEvent(providerNamed("slack"), request, stage.now));
  return { ok: stage.emitted[0]?.get("kind") === "message.channels", details: { event_type: "message" } };
};

/** Slack gives a server three seconds: the intake answers before the handler has begun. */
const slackAck: Play = async (stage) => {
  const received = stage.now;
  const binding = stage.bind({
    provider: "slack",
    handler: handler((event) => {
      stage.advance(10_000);
      stage.emit(event, { signature_state: "verified" });
      return null;
    }),
  });
  const request = slackMessage(stage);
  const state = verifyScene(stage, "slack", request);
  const event = webhookEvent(providerNamed("slack"), request, stage.now);
  const answer = new Intake().admit(String(event.get("dedupe_key")), stage.now);
  const acknowledged = stage.now - received;
  if (answer.appended) await stage.fire(binding, event);
  const handled = stage.now - received;
  return {
    ok: state === "verified" && answer.status === 202 && acknowledged <= 3000 && handled > 3000,
    details: {
      ack_ms: acknowledged,
      elapsed_ms: acknowledged,
      ack_within_ms: 3000,
      handled_ms: handled,
      acknowledged_at: shortIsoTime(received + acknowledged),
    },
  };
};

export const webhookScenes: readonly (readonly [string, Play])[] = [
  ["webhook_verifies_hmac", verifiesHmac],
  ["webhook_dedupe_blocks_duplicates", blocksDuplicates],
  ["a2a_push_completed", taskCompleted],
  ["a2a_push_rejects_replay", rejectsReplay],
  ["webhook_linear_issue_update", linearUpdate],
  ["webhook_linear_timestamp_window", linearWindow],
  ["slack_events_message", slackEvents],
  ["slack_events_3s_ack", slackAck],
];
