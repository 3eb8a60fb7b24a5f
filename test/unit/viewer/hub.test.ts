/** What a page receives of its server without asking: how the connection is, and why everything stands still. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { type HubMessage, StreamHub } from "../../../viewer/net/hub.ts";

/** A server whose stream says what is fed to it. */
function served(): { say(data: unknown): void } {
  const encoder = new TextEncoder();
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  vi.stubGlobal("fetch", async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        stream = controller;
      },
    });
    return new Response(body, { status: 200 });
  });
  return {
    say: (data) => stream?.enqueue(encoder.encode(`event: x\ndata: ${JSON.stringify(data)}\n\n`)),
  };
}

const ping = (data: object): object => ({
  topic: null,
  event: { v: 1, type: "ping", data: { at: 1, head: 2, ...data } },
});

const trouble = (found: string | null): object => ({ kind: "trouble", trouble: found });

afterEach(() => vi.unstubAllGlobals());

describe("a disk that is full", () => {
  it("is told once, to those who come later too, until a heartbeat lacks it", async () => {
    const server = served();
    const received: HubMessage[] = [];
    const hub = new StreamHub((message) => received.push(message));
    const receives = (...all: object[]) => expect.poll(() => received).toEqual(all);
    hub.setTopics(["conversations"]);
    await receives({ kind: "open" });
    server.say(ping({}));
    server.say(ping({ trouble: "disk-full" }));
    server.say(ping({ trouble: "disk-full" }));
    await receives({ kind: "open" }, trouble("disk-full"));
    expect(hub.standing).toEqual([{ kind: "open" }, trouble("disk-full")]);
    // What a later server may say: nothing that this page could explain.
    server.say(ping({ trouble: "moon-full" }));
    await receives({ kind: "open" }, trouble("disk-full"), trouble(null));
    expect(hub.standing).toEqual([{ kind: "open" }]);
    hub.setTopics([]);
  });

  it("is nobody's when an event of a conversation only looks like a heartbeat", async () => {
    const server = served();
    const received: HubMessage[] = [];
    const hub = new StreamHub((message) => received.push(message));
    hub.setTopics(["c_1"]);
    await expect.poll(() => received.length).toBe(1);
    const event = { type: "ping", data: { trouble: "disk-full" } };
    server.say({ topic: "c_1", event });
    await expect.poll(() => received).toEqual([{ kind: "open" }, { kind: "event", topic: "c_1", event }]);
    expect(hub.standing).toEqual([{ kind: "open" }]);
    hub.setTopics([]);
  });
});
