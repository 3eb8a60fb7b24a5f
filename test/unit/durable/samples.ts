/** One or more calls of every operation: what was done before, the arguments, and what it gives. */
import type { Json } from "../../../src/effects/index.ts";
import { emptyState, type State } from "../../support/operation-engines.ts";

export interface Sample {
  readonly operation: string;
  /** Operations that were done before. */
  readonly before?: readonly (readonly [operation: string, args: Json])[];
  readonly state?: State;
  readonly args: Json;
  /** As JSON text; `fault: message` of what it throws. */
  readonly result: string;
}

const asked = (answer: string | null): State => ({
  ...emptyState(),
  tables: {
    run: [{ id: 1, name: "r" }],
    question: [{ run: 1, place: "0#1", asked: 5, body: "{}", answer, answered: null, answered_by: null }],
  },
});

const flow = { workflow: "w" };
const at = "2026-01-01T00:00:00.000Z";
const signal: Json = { ...flow, kind: "signal", name: "go", payload: "1", at, request: null };
const update: Json = { ...flow, kind: "update", name: "set", payload: "2", at, request: "u1" };
const logged = (kind: string, atMs = 7): Json => ({ kind, payload: "1", headers: "{}", atMs });
const status = (more: { readonly [name: string]: Json }): Json => ({
  generation: 1,
  paused: false,
  pending_count: 0,
  query_count: 0,
  response_count: 0,
  continue_as_new_count: 0,
  last_continue_as_new_at: null,
  ...more,
});
const text = (value: Json): string => JSON.stringify(value);

export const samples: readonly Sample[] = [
  { operation: "script_store.set", args: { key: "a", text: "1.0" }, result: "null" },
  {
    operation: "script_store.remove",
    before: [["script_store.set", { key: "a", text: "1" }]],
    args: { key: "a" },
    result: "null",
  },
  {
    operation: "script_store.replace",
    before: [["script_store.set", { key: "a", text: "1" }]],
    args: { values: { b: "2" } },
    result: "null",
  },
  {
    operation: "script_store.all",
    before: [
      ["script_store.set", { key: "b", text: "2" }],
      ["script_store.set", { key: "a", text: "1" }],
    ],
    args: {},
    result: '[["a","1"],["b","2"]]',
  },
  { operation: "projections.wrote", args: { path: "/p", digest: "d" }, result: "null" },
  { operation: "projections.digest", args: { path: "/p" }, result: "null" },
  {
    operation: "projections.digest",
    before: [["projections.wrote", { path: "/p", digest: null }]],
    args: { path: "/p" },
    result: '{"digest":null}',
  },
  { operation: "checkpoints.keep", args: { program: "p", values: { a: "1" } }, result: "null" },
  { operation: "checkpoints.get", args: { program: "p" }, result: "{}" },
  {
    operation: "checkpoints.get",
    before: [["checkpoints.keep", { program: "p", values: { a: "1" } }]],
    args: { program: "p" },
    result: '{"a":"1"}',
  },
  {
    operation: "metadata.change",
    before: [["metadata.change", { namespace: "n", set: { src: { a: "1" } }, forgotten: [] }]],
    args: { namespace: "n", set: { src: { b: "2" }, test: { c: "3" } }, forgotten: ["gone"] },
    result: "null",
  },
  { operation: "metadata.replace", args: { namespace: "n", folders: { ".": { a: "1" } } }, result: "null" },
  {
    operation: "metadata.all",
    before: [
      ["metadata.change", { namespace: "n", set: { src: { a: "1" } }, forgotten: [] }],
      ["metadata.change", { namespace: "n", set: { src: { b: "2" }, old: { c: "3" } }, forgotten: [] }],
      ["metadata.change", { namespace: "n", set: {}, forgotten: ["old"] }],
    ],
    args: { namespace: "n" },
    result: '{"src":{"a":"1","b":"2"}}',
  },
  {
    operation: "event_log.append",
    args: { topic: "t", kind: "k", payload: "1", headers: "{}", atMs: 7 },
    result: "1",
  },
  {
    operation: "event_log.replace",
    before: [["event_log.append", { topic: "t", kind: "old", payload: "1", headers: "{}", atMs: 7 }]],
    args: { topic: "t", events: [logged("a"), logged("b")] },
    result: "null",
  },
  {
    operation: "event_log.page",
    before: [["event_log.replace", { topic: "t", events: [logged("a"), logged("b"), logged("ba")] }]],
    args: { topic: "t", after: 1, limit: 1, kindPrefix: "b" },
    result: text([{ id: 2, kind: "b", payload: "1", headers: "{}", atMs: 7 }]),
  },
  {
    operation: "event_log.topics",
    before: [["event_log.replace", { topic: "t", events: [logged("a"), logged("b")] }]],
    args: {},
    result: '[["t",2]]',
  },
  {
    operation: "records.write",
    args: { writes: [{ space: "s", key: "k", value: { a: 1 } }] },
    result: "null",
  },
  {
    operation: "records.get",
    before: [["records.write", { writes: [{ space: "s", key: "k", value: { a: 1 } }] }]],
    args: { space: "s", key: "k" },
    result: '{"a":1}',
  },
  {
    operation: "records.list",
    before: [
      [
        "records.write",
        {
          writes: [
            { space: "s", key: "k", value: 1 },
            { space: "s", key: "l", value: 2 },
            { space: "s", key: "l", value: null },
          ],
        },
      ],
    ],
    args: { space: "s" },
    result: '[{"key":"k","value":1,"changed":1700000000000}]',
  },
  {
    operation: "questions.answer",
    state: asked(null),
    args: { run: "r", place: "0#1", answer: "true", by: "ann" },
    result: "null",
  },
  {
    operation: "questions.answer",
    state: asked("true"),
    args: { run: "r", place: "0#1", answer: "false", by: "bob" },
    result: "exists: the question 0#1 of r was answered already",
  },
  {
    operation: "questions.answer",
    args: { run: "r", place: "0#1", answer: "false", by: "bob" },
    result: "missing: the run r asks no question 0#1",
  },
  {
    operation: "workflow_mailboxes.enqueue",
    before: [["workflow_mailboxes.enqueue", signal]],
    args: update,
    result: text({
      message: { seq: 2, kind: "update", name: "set", payload: "2", enqueued_at: at, request_id: "u1" },
      status: status({ pending_count: 2 }),
    }),
  },
  { operation: "workflow_mailboxes.receive", args: flow, result: "null" },
  {
    operation: "workflow_mailboxes.receive",
    before: [
      ["workflow_mailboxes.enqueue", signal],
      ["workflow_mailboxes.enqueue", update],
    ],
    args: flow,
    result: text({ seq: 1, kind: "signal", name: "go", payload: "1", enqueued_at: at, request_id: null }),
  },
  {
    operation: "workflow_mailboxes.publish",
    args: { ...flow, name: "progress", value: "0.5" },
    result: text(status({ query_count: 1 })),
  },
  {
    operation: "workflow_mailboxes.respond",
    before: [["workflow_mailboxes.enqueue", update]],
    args: { ...flow, request: "u1", value: "3", name: null, at },
    result: text(status({ pending_count: 1, response_count: 1 })),
  },
  {
    operation: "workflow_mailboxes.respond",
    args: { ...flow, request: "unknown", value: "3", name: null, at },
    result: "null",
  },
  {
    operation: "workflow_mailboxes.withdraw",
    before: [
      ["workflow_mailboxes.enqueue", signal],
      ["workflow_mailboxes.enqueue", update],
    ],
    args: { ...flow, request: "u1" },
    result: text(status({ pending_count: 1 })),
  },
  {
    operation: "workflow_mailboxes.pause",
    args: { ...flow, paused: true, at },
    result: text(status({ paused: true, pending_count: 1 })),
  },
  {
    operation: "workflow_mailboxes.continue_as_new",
    before: [
      ["workflow_mailboxes.enqueue", update],
      ["workflow_mailboxes.respond", { ...flow, request: "u1", value: "3", name: "n", at }],
    ],
    args: { ...flow, at },
    result: text(
      status({ generation: 2, pending_count: 1, continue_as_new_count: 1, last_continue_as_new_at: at }),
    ),
  },
  {
    operation: "workflow_mailboxes.replace",
    before: [["workflow_mailboxes.enqueue", signal]],
    args: {
      ...flow,
      state: {
        generation: 3,
        paused: true,
        next_seq: 9,
        queries: {},
        open_updates: { u8: "set" },
        responses: {},
        continue_as_new_count: 2,
        last_continue_as_new_at: at,
        messages: [{ seq: 8, kind: "update", name: "set", payload: "1", enqueued_at: at, request_id: "u8" }],
      },
    },
    result: "null",
  },
  {
    operation: "workflow_mailboxes.whole",
    before: [["workflow_mailboxes.enqueue", signal]],
    args: flow,
    result: text({
      generation: 1,
      paused: false,
      next_seq: 2,
      queries: {},
      open_updates: {},
      responses: {},
      continue_as_new_count: 0,
      last_continue_as_new_at: null,
      messages: [{ seq: 1, kind: "signal", name: "go", payload: "1", enqueued_at: at, request_id: null }],
    }),
  },
];
