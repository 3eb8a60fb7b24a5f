/** Texts of the network are read back as they were written, wherever they are cut, and junk is an error of the script. */
import "../support/property-seed.ts";
import * as library from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { frameText, SseReader } from "../../src/builtins/sockets/sse-frames.ts";
import { Bytes, Dict, List, ScriptError, toJson, type Value } from "../../src/values/index.ts";
import { machine } from "../support/builtin-call.ts";

const run = machine();
const call = (name: string, ...args: unknown[]): Value => run.call(name, ...args) as Value;

const text = fc.string({ unit: "grapheme", maxLength: 30 });
const bytes = fc.uint8Array({ maxLength: 40 }).map((data): Value => new Bytes(data));
const line = fc.string({ maxLength: 12 }).map((one) => one.replace(/[\r\n\0]/g, ""));

describe("multipart", () => {
  it("gives back every field", () => {
    const name = text.filter((one) => one !== "" && !/[%\\]/.test(one));
    const field = fc.record({
      name,
      value: fc.oneof(
        text.map((one): Value => one),
        bytes,
      ),
    });
    fc.assert(
      fc.property(fc.array(field, { maxLength: 5 }), (fields) => {
        const parts = new List(fields.map((one) => Dict.of(one)));
        const form = call("multipart_form_data", parts) as Dict;
        const read = call("multipart_parse", form.get("body"), form.get("content_type")) as Dict;
        const got = (read.get("fields") as List).toArray() as Dict[];
        expect(got.map((one) => one.get("name"))).toEqual(fields.map((one) => one.name));
        expect(got.map((one) => (one.get("bytes") as Bytes).data)).toEqual(
          fields.map(({ value }) =>
            value instanceof Bytes ? Uint8Array.from(value.data) : new TextEncoder().encode(String(value)),
          ),
        );
      }),
    );
  });
});

describe("server-sent events", () => {
  it("come out as they went in, wherever the network cuts them", () => {
    const event = fc.record({
      data: fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join("\n")),
      event: fc.option(
        line.filter((one) => one !== ""),
        { nil: undefined },
      ),
      id: fc.option(line, { nil: undefined }),
      retryMs: fc.option(fc.nat(99_999), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(event), fc.array(fc.nat(300)), (events, places) => {
        const data = new TextEncoder().encode(
          events.map((event) => frameText({ event, comment: undefined })).join(""),
        );
        const edges = [0, ...places.map((at) => at % (data.length + 1)).sort((a, b) => a - b), data.length];
        const reader = new SseReader(library, 10_000, undefined);
        const read = edges.slice(1).flatMap((end, i) => reader.push(data.slice(edges[i], end)));
        let last: string | undefined;
        const expected = events.map((one) => {
          last = one.id ?? last;
          return { ...one, id: last };
        });
        expect(read).toEqual(expected);
      }),
    );
  });
});

describe("XML", () => {
  const name = fc.stringMatching(/^[a-z_][a-z0-9_.-]{0,6}$/);
  // What XML has no form for, and blanks at the ends, which are layout beside children.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no form for these.
  const content = text.map((one) => one.replace(/[\x00-\x1f\ufffe\uffff\ud800-\udfff]/g, "").trim());
  const { value } = fc.letrec<{ value: unknown; element: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constant(null),
      content.filter((one) => one !== ""),
      tie("element"),
    ),
    element: fc
      .tuple(
        fc.dictionary(name, tie("value"), { minKeys: 1, maxKeys: 3 }),
        fc.dictionary(name, content, { maxKeys: 2 }),
        fc.dictionary(name, fc.array(tie("value"), { minLength: 2, maxLength: 3 }), { maxKeys: 1 }),
      )
      .map(([children, attributes, lists]) => ({
        ...children,
        ...lists,
        ...Object.fromEntries(Object.entries(attributes).map(([key, one]) => [`@${key}`, one])),
      })),
  }));

  it("is read back as it was written", () => {
    fc.assert(
      fc.property(value, fc.constantFrom(0, 2), (input, indent) => {
        const written = call("xml_stringify", { root: input }, { indent });
        expect(toJson(call("xml_parse", written))).toEqual({ root: input });
      }),
    );
  });
});

describe("junk", () => {
  it("is an error of the script or a result, never another error", () => {
    const junk = fc.oneof(text, fc.string({ unit: fc.constantFrom(..."<>/=\"'&;!-[]?ab \n") }), bytes);
    const readers: readonly ((input: unknown) => unknown)[] = [
      (input) => call("xml_parse", input),
      (input) => call("cookie_parse", input),
      (input) => call("cookie_round_trip", input, new List([input as Value])),
      (input) => call("multipart_parse", input, "multipart/form-data; boundary=a"),
      (input) => call("multipart_parse", "--a\r\n", input),
      (input) => call("session_verify", input, "secret"),
      (input) => call("egress_policy", { deny: [input as never] }),
      (input) => call("sse_event", input),
      (input) => call("http_response", input, input, input),
    ];
    fc.assert(
      fc.property(junk, fc.nat(readers.length - 1), (input, at) => {
        try {
          readers[at]?.(input);
        } catch (error) {
          expect(error).toBeInstanceOf(ScriptError);
        }
      }),
      { numRuns: 500 },
    );
  });
});
