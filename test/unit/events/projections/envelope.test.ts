/** The projection of events to the wire gives exactly the types that server and page share (docs/events.md). */
import { describe, expect, expectTypeOf, it } from "vitest";
import type { EnvelopeData } from "../../../../src/events/index.ts";
import { envelopeOfEvent, outside, type Told } from "../../../../src/events/index.ts";
import type { DurableEventData, EphemeralEventData } from "../../../../src/server/protocol/index.ts";
import { Dict } from "../../../../src/values/index.ts";

type Wire = DurableEventData & EphemeralEventData;

describe("the envelope of an event", () => {
  it("has the fields of the wire, type by type", () => {
    type Common = keyof EnvelopeData & keyof Wire;
    expectTypeOf<Pick<EnvelopeData, Common>>().toExtend<Pick<Wire, Common>>();
    expectTypeOf<Exclude<keyof EnvelopeData, keyof Wire>>().toEqualTypeOf<never>();
    expectTypeOf<Exclude<keyof DurableEventData, keyof EnvelopeData>>().toEqualTypeOf<never>();
  });

  it("addresses a message through its loop, and holds no value of a script", () => {
    const place = { ...outside("s"), loop: "l2", parent: { loop: "l1", call: "l1.1.0" }, turn: 3 };
    const end = {
      ...place,
      type: "message.end",
      data: { message: "msg_4", role: "assistant", text: "Hi" },
    } as const;
    expect(envelopeOfEvent(end as Told)).toEqual({
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
    expect(envelopeOfEvent(trace as Told)?.data).toEqual({
      name: "custom",
      fields: { n: 1, d: { x: true } },
    });
  });

  it("leaves out the events of the loop contract, which have a log of their own", () => {
    const draft = { ...outside("s"), type: "plan.draft", data: { plan: null } } as const;
    expect(envelopeOfEvent(draft as Told)).toBeNull();
  });
});
