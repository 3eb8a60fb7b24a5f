/** One or more calls of every operation: what was done before, the arguments, and what it gives. */

import type { Json } from "../../../src/effects/index.ts";
import { sha256 } from "../../../src/store/checked-text.ts";
import { emptyState, type State } from "../../support/operation-engines.ts";
import { accessSamples } from "./access-samples.ts";
import { conversationSamples } from "./conversation-samples.ts";
import { paperSamples } from "./paper-samples.ts";

export interface Sample {
  readonly operation: string;
  /** Operations that were done before. */
  readonly before?: readonly (readonly [operation: string, args: Json])[];
  readonly state?: State;
  readonly args: Json;
  /** As JSON text, or what that looks like; `fault: message` of what it throws. */
  readonly result: string | RegExp;
}

const asked = (answer: string | null): State => ({
  ...emptyState(),
  tables: {
    run: [{ id: 1, name: "r", fence: 1 }],
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

const evalSet = { name: "e1", plan: null, seed: "7", spec: "{}", state: "running", program: "d", began: 5 };
const piece = { hash: sha256('{"a":1}'), text: '{"a":1}' };
const draw = { key: "k", result: piece.hash, made: 5 };
const drawn: readonly [string, Json] = [
  "evals.write",
  { writes: [{ table: "eval_draw", row: draw }], pieces: [piece] },
];

const daemonStart = {
  script: "/d.harn",
  args: [],
  cwd: "/",
  flags: {},
  limits: { memoryMb: 100, totalMs: 1000 },
  started: 5,
};
const daemonBegun: readonly [string, Json] = ["daemon.begin", { name: "d", start: daemonStart }];
const daemon = {
  turns: 0,
  turn: null,
  idle: null,
  wakeAt: null,
  watched: null,
  last: null,
  name: "d",
  ...daemonStart,
  state: "idle",
  reason: null,
};

export const samples: readonly Sample[] = [
  { operation: "daemon.begin", args: daemonBegun[1], result: text(daemon) },
  {
    operation: "daemon.begin",
    before: [daemonBegun, ["daemon.change", { name: "d", changes: { state: "stopped", turns: 3 } }]],
    args: { name: "d", start: { ...daemonStart, script: "/e.harn" } },
    result: /"turns":3,.*"script":"\/e\.harn".*"state":"idle"/,
  },
  {
    operation: "daemon.change",
    before: [daemonBegun],
    args: { name: "d", changes: { state: "working", reason: null } },
    result: text({ ...daemon, state: "working" }),
  },
  {
    operation: "daemon.change",
    args: { name: "d", changes: { state: "working" } },
    result: "missing: there is no daemon d",
  },
  { operation: "daemon.forget", before: [daemonBegun], args: { name: "d" }, result: "null" },
  { operation: "daemon.find", args: { name: "d" }, result: "null" },
  { operation: "daemon.must_find", before: [daemonBegun], args: { name: "d" }, result: text(daemon) },
  { operation: "daemon.list", before: [daemonBegun], args: {}, result: text([daemon]) },
  ...accessSamples,
  ...conversationSamples,
  ...paperSamples,
  {
    operation: "evals.insert",
    args: { table: "eval_set", rows: [evalSet, { ...evalSet, name: "e2" }], pieces: [] },
    result: "[1,2]",
  },
  {
    operation: "evals.insert",
    args: { table: "run", rows: [], pieces: [] },
    result: "invalid: there is no table of evaluations run",
  },
  { operation: "evals.write", args: drawn[1], result: "null" },
  {
    operation: "evals.write",
    args: { writes: [{ table: "eval_draw", row: draw }], pieces: [] },
    result: `invalid: eval_draw.result: no piece ${piece.hash} came with it`,
  },
  {
    operation: "evals.write",
    args: { writes: [{ table: "run", row: { id: 1, name: "r" } }], pieces: [] },
    result: "invalid: there is no table of evaluations run",
  },
  {
    operation: "evals.rows",
    before: [drawn],
    args: { table: "eval_draw", where: { key: "k" } },
    result: '[{"key":"k","result":1,"made":5}]',
  },
  {
    operation: "evals.cells",
    before: [drawn],
    args: {
      table: "eval_draw",
      where: { key: "k" },
      columns: ["made", "key"],
      after: null,
      up_to: null,
      limit: 9,
    },
    result: '[[5,"k"]]',
  },
  {
    operation: "evals.cells",
    args: { table: "eval_draw", where: {}, columns: ["mad"], after: null, up_to: null, limit: 9 },
    result: "invalid: the table eval_draw has no column mad",
  },
  {
    operation: "evals.cells",
    args: { table: "run", where: {}, columns: ["id"], after: null, up_to: null, limit: 9 },
    result: "invalid: there is no table of evaluations run",
  },
  {
    operation: "evals.count",
    before: [drawn],
    args: { table: "eval_draw", where: { key: "k" } },
    result: "1",
  },
  {
    operation: "evals.count",
    before: [drawn],
    args: { table: "eval_draw", where: { key: "x" } },
    result: "0",
  },
  {
    operation: "evals.count",
    args: { table: "run", where: {} },
    result: "invalid: there is no table of evaluations run",
  },
  { operation: "evals.pieces", before: [drawn], args: { ids: [1, 7] }, result: text([piece.text, null]) },
  {
    operation: "evals.remove",
    before: [drawn],
    args: { table: "eval_draw", where: { key: "k" } },
    result: "1",
  },
  {
    operation: "evals.remove",
    args: { table: "eval_draw", where: {} },
    result: "invalid: evals.remove: name a column, not all rows",
  },
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
  ...sessionSamples(),
];

function sessionSamples(): Sample[] {
  const s = { name: "s", now: 5 };
  const create = [
    "session.create",
    { ...s, made: { agent: "a", script: null, cwd: "/w" }, message: null },
  ] as const;
  const send = ["session.send", { ...s, text: "hello" }] as const;
  const begin = ["session.begin", { ...s, token: "t", batch: { events: 10, chars: 100 } }] as const;
  const outcome = {
    text: "done",
    next: "sleep",
    wakes: [{ key: "w", due: 9, reason: "later" }],
    uses: [{ name: "tool", input: 1 }],
    problems: [],
    route: null,
    maxContinues: 3,
    digest: "d",
  };
  const learned = { agent: "a", found: [{ text: "Use tabs.", promote: true }], promoteAfter: 0 };
  const commit = [
    "session.commit",
    { ...s, token: "t", outcome, memory: { summary: "x" }, learned },
  ] as const;
  const work = ["session.begin_work", { ...s, run: "r" }] as const;
  const ran = [create, send, begin, commit];
  const one = (
    operation: string,
    before: Sample["before"],
    args: Json,
    result: Sample["result"],
  ): Sample => ({ operation: `session.${operation}`, before: before ?? [], args, result });
  return [
    one("create", [], create[1], /"status":"idle"/),
    one("create", [], { ...create[1], message: "first" }, /"pending":1/),
    one("create", [], { ...create[1], message: " " }, /^invalid: a message must say something$/),
    one("create", [create], create[1], /^exists: there is a session s already$/),
    one("send", [create], send[1], "1"),
    one("send", [], send[1], /^missing: there is no session "s"$/),
    one("send", [create], { ...s, text: " " }, /^invalid: a message must say something$/),
    one("result", ran, { ...s, use: "use_4", content: 7, isError: false }, /^\d+$/),
    one("result", ran, { ...s, use: "other", content: 7, isError: false }, /^missing: .*waits for no result/),
    one("wake", [create], { ...s, wake: { key: "k", due: 9, reason: "r", queued: 5, by: "user" } }, "null"),
    one("cancel_wake", ran, { ...s, key: "w" }, "null"),
    one("cancel_wake", [create], { ...s, key: "w" }, /^missing: the session s has no wake "w"$/),
    one("fire_wakes", ran, { ...s, now: 10 }, /"woken":true/),
    one("remind", ran, s, /"runs":1/),
    one("close", ran, s, /"status":"closed"/),
    one("begin", [create, send], begin[1], /^\{"ran":true/),
    one("begin", [create], begin[1], /"reason":"nothing is pending"/),
    one("commit", [create, send, begin], commit[1], /"promoted":\["Use tabs"\]/),
    one("commit", [create, send], commit[1], /^taken: /),
    one("fail", [create, send, begin], { ...s, token: "t", message: "m" }, /"failures":1/),
    one("begin_work", [create], work[1], /"work":\{"run":"r","parked":false,"before":0\}/),
    one("suspend_work", [create, work], { ...s, run: "r" }, /"parked":true/),
    one(
      "resume_work",
      [create, work, ["session.suspend_work", { ...s, run: "r" }]],
      { ...s, run: "r" },
      /"parked":false/,
    ),
    one("abandon_work", [create, send, work, begin], s, /"work":null/),
    one("crashed_work", [create, work], { ...s, message: "m" }, /"failures":1/),
    one("end_work", [create, work], { ...s, run: "r", end: { ok: true } }, /without calling session_run/),
    one("find", [create], { name: "s" }, /"name":"s"/),
    one("find", [], { name: "s" }, "null"),
    one("names", [create], {}, '["s"]'),
    one("events", ran, { name: "s", after: 1, limit: 1 }, /^\[\{"n":2/),
    one("wakes", ran, { name: "s" }, /^\[\{"key":"w"/),
    one("memory", ran, { name: "s" }, '{"run":1,"summary":"x"}'),
    one("learnings", ran, { agent: "a" }, /^\[\{"text":"Use tabs"/),
    one("promotions", ran, { agent: "a" }, '["Use tabs"]'),
    one("promoted", ran, { agent: "a", texts: ["Use tabs"] }, "null"),
  ];
}
