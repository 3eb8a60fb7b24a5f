/** Parts of the dispatcher by themselves: schedules, signatures, rates, pauses; and replay of a run with triggers. */
import { createHmac } from "node:crypto";
import * as croner from "croner";
import { describe, expect, it } from "vitest";
import { parseCron } from "../../../src/builtins/events/triggers/cron.ts";
import { RateWindow, SeenKeys } from "../../../src/builtins/events/triggers/flow-control.ts";
import { pauseAfter } from "../../../src/builtins/events/triggers/retry.ts";
import {
  providerNamed,
  signWebhook,
  verifyWebhook,
  webhookEvent,
} from "../../../src/builtins/events/triggers/webhooks.ts";
import { nodeCrypto } from "../../../src/host/index.ts";
import { display } from "../../../src/values/index.ts";
import { recordAndReplayScript } from "../../support/replay-script.ts";

function next(schedule: string, after: string, zone = "UTC", times = 1): string[] {
  const cron = parseCron(croner, schedule, zone);
  if (typeof cron === "string") return [cron];
  const found: string[] = [];
  let at: number | undefined = Date.parse(after);
  for (let i = 0; i < times && at !== undefined; i++) {
    at = cron.next(at);
    found.push(at === undefined ? "never" : new Date(at).toISOString().replace(".000Z", "Z"));
  }
  return found;
}

describe("a schedule", () => {
  it.each<[string, string, string[]]>([
    ["* * * * *", "2026-04-19T00:00:30Z", ["2026-04-19T00:01:00Z", "2026-04-19T00:02:00Z"]],
    ["* * * * *", "2026-04-19T00:01:00Z", ["2026-04-19T00:02:00Z", "2026-04-19T00:03:00Z"]],
    ["*/15 9-10 * * *", "2026-01-01T09:50:00Z", ["2026-01-01T10:00:00Z", "2026-01-01T10:15:00Z"]],
    ["0 0 29 2 *", "2026-01-01T00:00:00Z", ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"]],
    ["0 12 1 * mon", "2026-04-20T12:00:00Z", ["2026-04-27T12:00:00Z", "2026-05-01T12:00:00Z"]],
    ["0 12 * JAN sun,7", "2026-01-01T00:00:00Z", ["2026-01-04T12:00:00Z", "2026-01-11T12:00:00Z"]],
    ["59 23 31 12 *", "2026-12-31T23:59:00Z", ["2027-12-31T23:59:00Z", "2028-12-31T23:59:00Z"]],
    ["5/20 * * * *", "2026-01-01T00:00:00Z", ["2026-01-01T00:05:00Z", "2026-01-01T00:25:00Z"]],
    ["@daily", "2026-01-01T00:00:00Z", ["2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"]],
    ["0 0 31 2 *", "2026-01-01T00:00:00Z", ["never"]],
  ])("%s after %s", (schedule, after, expected) => {
    expect(next(schedule, after, "UTC", expected.length)).toEqual(expected);
  });

  it("follows the clocks of its zone", () => {
    expect(next("30 9 * * *", "2026-03-28T12:00:00Z", "Europe/Berlin", 2)).toEqual([
      "2026-03-29T07:30:00Z",
      "2026-03-30T07:30:00Z",
    ]);
    // 02:30 does not exist on 29 March, where 03:00 follows 02:00, and comes twice on 25 October.
    expect(next("30 2 * * *", "2026-03-28T12:00:00Z", "Europe/Berlin", 2)).toEqual([
      "2026-03-29T01:00:00Z",
      "2026-03-30T00:30:00Z",
    ]);
    expect(next("30 2 * * *", "2026-10-24T12:00:00Z", "Europe/Berlin", 2)).toEqual([
      "2026-10-25T00:30:00Z",
      "2026-10-26T01:30:00Z",
    ]);
    expect(next("0 23 * * *", "2026-01-01T00:00:00Z", "Pacific/Auckland")).toEqual(["2026-01-01T10:00:00Z"]);
  });

  it.each([
    ["* * * *", "must have five fields"],
    ["60 * * * *", "'60' is no minute (0-59)"],
    ["* 5-2 * * *", "'5-2' is no hour (0-23)"],
    ["*/0 * * * *", "'*/0' is no minute (0-59)"],
    ["* * 0 * *", "'0' is no day of month (1-31)"],
    ["* * * foo *", "'foo' is no month (1-12)"],
    ["1,,2 * * * *", "'' is no minute (0-59)"],
    ["1-2-3 * * * *", "'1-2-3' is no minute (0-59)"],
  ])("says what is wrong with %s", (schedule, problem) => {
    expect(parseCron(croner, schedule, "UTC")).toContain(problem);
  });
});

describe("a webhook", () => {
  const now = Date.UTC(2026, 0, 1);
  const headersOf = (name: string): Map<string, string> =>
    new Map(
      name === "slack"
        ? [["x-slack-request-timestamp", String(now / 1000)]]
        : [
            ["webhook-id", "msg_1"],
            ["webhook-timestamp", String(now / 1000)],
          ],
    );
  const body = JSON.stringify({ type: "ping", webhookTimestamp: now });

  it.each(["webhook", "github", "slack", "linear", "notion"])("of %s is checked", (name) => {
    const provider = providerNamed(name);
    const header = provider.signature?.header.toLowerCase() as string;
    const request = { headers: headersOf(name), body };
    const check = (changed: object, nowMs = now) =>
      verifyWebhook(nodeCrypto, provider, { ...request, ...changed }, { secret: "c2VjcmV0", nowMs });
    expect(check({})).toBe("missing");
    request.headers.set(header, signWebhook(nodeCrypto, provider, request, "c2VjcmV0"));
    expect(check({})).toBe("verified");
    expect(check({ body: `${body} ` })).toBe("invalid");
    expect(check({ headers: new Map([...request.headers, [header, "v1,x"]]) })).toBe("invalid");
    const timed = name === "github" || name === "notion" ? "verified" : "stale";
    expect(check({}, now + 301_000)).toBe(timed);
    expect(check({}, now - 301_000)).toBe(timed);
  });

  it("of Slack is signed over version, time and body", () => {
    const request = { headers: new Map([["x-slack-request-timestamp", "123"]]), body: "a=1&b=%20" };
    const mac = createHmac("sha256", "key").update("v0:123:a=1&b=%20").digest("hex");
    expect(signWebhook(nodeCrypto, providerNamed("slack"), request, "key")).toBe(`v0=${mac}`);
  });

  it("of the standard kind is signed with the key behind its prefix", () => {
    const headers = new Map([
      ["webhook-id", "msg"],
      ["webhook-timestamp", "123"],
    ]);
    const mac = createHmac("sha256", "key").update("msg.123.{}").digest("base64");
    const secret = `whsec_${Buffer.from("key").toString("base64")}`;
    expect(signWebhook(nodeCrypto, providerNamed("webhook"), { headers, body: "{}" }, secret)).toBe(
      `v1,${mac}`,
    );
  });

  it("without JSON is an event all the same", () => {
    const event = webhookEvent(providerNamed("webhook"), { headers: new Map(), body: "{oops" }, now);
    expect(display(event)).toContain("kind: webhook");
  });
});

describe("flow control", () => {
  it("lets so many through in any window", () => {
    const rate = new RateWindow(2, 100);
    expect([0, 10, 20, 99, 100, 101, 110].map((now) => rate.take(now))).toEqual([0, 0, 80, 1, 0, 9, 0]);
  });

  it("forgets keys after a while", () => {
    const seen = new SeenKeys(100);
    expect([seen.add("a", 0), seen.add("a", 99), seen.add("a", 100), seen.add("__proto__", 100)]).toEqual([
      true,
      false,
      true,
      true,
    ]);
  });

  it("grows exponential pauses up to ten hours", () => {
    const policy = { max: 99, backoff: "exponential", baseMs: 100 } as const;
    expect([1, 2, 3, 60].map((failed) => pauseAfter(policy, failed))).toEqual([100, 200, 400, 36_000_000]);
  });
});

it("a run with triggers is replayed", async () => {
  const both = await recordAndReplayScript(`
    let n = atomic(0)
    trigger_register({
      id: "t",
      provider: "webhook",
      retry: {max: 2, backoff: "exponential", base_ms: 5},
      when: { event -> event.provider_payload.go },
      handler: { event -> if atomic_add(n, 1) == 0 { throw "once" }; [event.id, event.received_at, uuid()] },
    })
    println(trigger_fire("t", {provider_payload: {go: true}}))
    println(trigger_inspect_lifecycle().map({ one -> one.kind }))
    println(trigger_test_harness("replay_refires_from_dlq").ok)`);
  expect(both.recorded.error).toBe("");
  expect(both.replayed.stdout).toBe(both.recorded.stdout);
});
