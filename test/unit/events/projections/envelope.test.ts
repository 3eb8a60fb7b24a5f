/** The projection of events to the wire (docs/events.md); that its data has the wire's types follows from `events/wire/`. */
import { describe, expect, it } from "vitest";
import { type EmittedEvent, envelopeOfEvent, outside } from "../../../../src/events/index.ts";
import { Dict } from "../../../../src/values/index.ts";

describe("the envelope of an event", () => {
  it("addresses a message through its loop, and holds no value of a script", () => {
    const place = { ...outside("s"), loop: "l2", parent: { loop: "l1", call: "l1.1.0" }, turn: 3 };
    const end = {
      ...place,
      type: "message.end",
      data: { message: "msg_4", role: "assistant", text: "Hi" },
    } as const;
    expect(envelopeOfEvent(end as EmittedEvent)).toEqual({
      v: 1,
      type: "message.end",
      loop: "l2",
      parent: { loop: "l1", call: "l1.1.0" },
      turn: 3,
      call: null,
      data: { message: "l2/msg_4", role: "assistant", text: "Hi" },
    });
    const named = {
      name: "custom",
      fields: Dict.of({ n: 1, d: Dict.of({ x: true }) }),
      live: true,
      listed: null,
    };
    const trace = { ...place, type: "trace", data: named } as const;
    expect(envelopeOfEvent(trace as EmittedEvent)?.data).toEqual({
      name: "custom",
      fields: { n: 1, d: { x: true } },
    });
  });

  it("leaves out the events of the loop contract, which have a log of their own", () => {
    const draft = { ...outside("s"), type: "plan.draft", data: { plan: null } } as const;
    expect(envelopeOfEvent(draft as EmittedEvent)).toBeNull();
  });
});
