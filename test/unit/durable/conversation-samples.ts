/** One or more calls of every operation of conversations. */

import type { Json } from "../../../src/effects/index.ts";
import { sha256 } from "../../../src/store/checked-text.ts";
import { emptyState } from "../../support/operation-engines.ts";
import type { Sample } from "./samples.ts";

const now = 50;
const c: Json = { id: "c_1", now };
const made: Json = { agent: "a", owner: "ann", title: "", mode: null, config: {}, workspace: "/w" };
const message: Json = { message: "m_1", text: "Hello\nyou", attachments: [], delivery: "queue", by: "ann" };
const create: readonly [string, Json] = ["conversation.create", { id: "c_1", made, message: null, now }];
const say: readonly [string, Json] = ["conversation.say", { ...c, ...message }];
const take: readonly [string, Json] = ["conversation.take", { ...c, run: "run-1", records: 0, died: false }];
const ended = { ...c, run: "run-1", status: "done", exitCode: 0, error: null, how: null };
const asked = { interrupt: "i_1", by: "ann", reason: null };
const interrupt: readonly [string, Json] = ["conversation.interrupt", { ...c, ...asked }];
const event: Json = {
  at: 60,
  type: "turn.start",
  origin: "run-1:l1:1",
  body: { loop: "l1", turn: 1, data: {} },
};
const appended: Json = { stream: "c_1", owner: null, events: [event, event], pieces: [] };
const piece: Json = { hash: sha256('"long"'), text: '"long"' };
const entry: Json = { id: "msg_1", message: { role: "user", content: "Hello" } };
const said: Json = { ...c, owner: null, after: 0, entries: [entry], kept: null, said: ["m_1"] };
const interruptRun: readonly [string, Json] = ["conversation.interrupt_run", { run: "r", ...asked, now }];

const step = { step: 3, provider: null, model: "m", set: {}, result: null };

const withQuestion = {
  ...emptyState(),
  tables: {
    run: [{ id: 1, name: "run-1", fence: 2 }],
    question: [
      { run: 1, place: "0#1", asked: 5, body: "{}", answer: null, answered: null, answered_by: null },
    ],
  },
};
const questionOne = "q_run-1.302331";

/** Has all of these, in any order. */
const all = (...parts: readonly string[]): RegExp =>
  new RegExp(`^${parts.map((part) => `(?=.*${part})`).join("")}`);

export const conversationSamples: readonly Sample[] = [
  {
    operation: "conversation.create",
    args: { id: "c_1", made, message, now },
    result: all('"id":"c_1"', '"title":"Hello"', '"state":"queued"', '"queued":1', '"head":4'),
  },
  {
    operation: "conversation.create",
    before: [create],
    args: { id: "c_1", made, message: null, now },
    result: "exists: there is a conversation c_1 already",
  },
  { operation: "conversation.count", before: [create], args: { owner: "ann", limit: 9 }, result: "1" },
  { operation: "conversation.count", before: [create], args: { owner: "eve", limit: 9 }, result: "0" },
  { operation: "conversation.get", args: { id: "c_1" }, result: "null" },
  { operation: "conversation.get", before: [create], args: { id: "c_1" }, result: /^\{.*"id":"c_1"/ },
  {
    operation: "conversation.list",
    before: [
      create,
      [
        "conversation.create",
        { id: "c_2", made: { ...(made as object), title: "Other" }, message: null, now },
      ],
    ],
    args: { owner: "ann", agent: null, state: "idle", archived: false, q: "", after: null, limit: 1 },
    result: /^\{"items":\[\{.*"id":"c_2".*\}\],"next":"c_2"\}$/,
  },
  {
    operation: "conversation.list",
    before: [create],
    args: { owner: null, agent: "a", state: null, archived: null, q: "nothing", after: null, limit: 5 },
    result: '{"items":[],"next":null}',
  },
  {
    operation: "conversation.change",
    before: [create],
    args: { ...c, changes: { title: "New", mode: null }, version: 1, by: "ann" },
    result: all('"title":"New"', '"head":2', '"version":2'),
  },
  {
    operation: "conversation.change",
    before: [create],
    args: { ...c, changes: { title: "New" }, version: 7, by: "ann" },
    result: "taken: the conversation was changed: it has version 1",
  },
  {
    operation: "conversation.remove",
    before: [create, say],
    args: { id: "c_1" },
    result: '{"workspace":"/w","runs":[]}',
  },
  {
    operation: "conversation.remove",
    before: [create, say, take],
    args: { id: "c_1" },
    result: "taken: the conversation c_1 is being worked on",
  },
  {
    operation: "conversation.say",
    before: [create, say],
    args: { ...c, ...message, message: "m_2" },
    result: /^\{"message":\{"id":"m_2","n":2,.*"state":"queued".*\},"position":1\}$/,
  },
  {
    operation: "conversation.say",
    before: [create],
    args: { ...c, ...message, text: " " },
    result: "invalid: a message must say something",
  },
  {
    operation: "conversation.withdraw",
    before: [create, say],
    args: { ...c, message: "m_1" },
    result: all('"state":"idle"', '"queued":0'),
  },
  {
    operation: "conversation.withdraw",
    before: [create, say, take],
    args: { ...c, message: "m_1" },
    result: "taken: the message m_1 waits no longer",
  },
  {
    operation: "conversation.messages",
    before: [create, say],
    args: { id: "c_1", after: 0, limit: 10 },
    result: /^\[\{"id":"m_1","n":1,"text":"Hello\\nyou"/,
  },
  {
    operation: "conversation.history",
    before: [create],
    args: { id: "c_1" },
    result: '{"entries":[],"kept":null}',
  },
  {
    operation: "conversation.history",
    before: [create, ["conversation.said", said]],
    args: { id: "c_1" },
    result: /^\{"entries":\[\{"n":1,"id":"msg_1","run":null,"at":50,"message":\{"role":"user"/,
  },
  { operation: "conversation.said", before: [create, say, take], args: said, result: "1" },
  {
    operation: "conversation.said",
    before: [create, ["conversation.said", said]],
    args: { ...(said as object), entries: [entry, { id: "msg_2", message: {} }], kept: { plan: 1 } },
    result: "2",
  },
  {
    operation: "conversation.said",
    before: [create],
    state: withQuestion,
    args: { ...(said as object), owner: { run: "run-1", fence: 1 } },
    result: "taken: the run run-1 was taken over by another process",
  },
  { operation: "conversation.message", args: { message: "m_1" }, result: "null" },
  {
    operation: "conversation.message",
    before: [create, say],
    args: { message: "m_1" },
    result: /^\{"id":"m_1"/,
  },
  {
    operation: "conversation.waiting",
    before: [create, say],
    args: { id: "c_1" },
    result: /^\[\{"id":"m_1".*"state":"queued"/,
  },
  {
    operation: "conversation.receive",
    before: [create, say, take, ["conversation.say", { ...c, ...message, message: "m_2", delivery: "step" }]],
    state: withQuestion,
    args: { ...c, owner: { run: "run-1", fence: 2 }, messages: ["m_2", "m_2", "m_9"] },
    result: "0",
  },
  {
    operation: "conversation.take",
    before: [create, say],
    args: take[1],
    result:
      /^\{"kind":"start","run":"run-1","message":\{"id":"m_1".*"state":"taken","run":"run-1".*"state":"processing"/,
  },
  {
    operation: "conversation.take",
    before: [create, say, take],
    args: { ...c, run: "run-2", records: 3, died: true },
    result: /^\{"kind":"resume","run":"run-1","because":"crash","message":\{"id":"m_1"/,
  },
  { operation: "conversation.take", args: take[1], result: '{"kind":"none","record":null}' },
  {
    operation: "conversation.end",
    before: [
      create,
      say,
      take,
      [
        "conversation.append_events",
        {
          ...(appended as object),
          events: [
            {
              at: 51,
              type: "loop.start",
              origin: "run-1:l1:1",
              body: { run: "run-1", loop: "l1", data: {} },
            },
          ],
        },
      ],
    ],
    args: { ...ended, status: "failed", error: "bad" },
    result: all('"state":"failed"', '"why":"bad"', '"head":11'),
  },
  {
    operation: "conversation.end",
    before: [create, say, take],
    args: ended,
    result: all('"state":"idle"', '"work":null'),
  },
  {
    operation: "conversation.end",
    before: [create],
    args: ended,
    result: "taken: the conversation c_1 is not working on the run run-1",
  },
  {
    operation: "conversation.resume",
    before: [create, say, take, ["conversation.end", { ...ended, status: "interrupted", how: "killed" }]],
    args: c,
    result: all('"state":"queued"', '"because":"asked"'),
  },
  {
    operation: "conversation.resume",
    before: [create],
    args: c,
    result: "taken: the conversation is idle: nothing was stopped; a message begins a run",
  },
  {
    operation: "conversation.interrupt",
    before: [create, say, take],
    args: { ...c, ...asked },
    result:
      /^\{"interrupt":\{"id":"i_1","run":"run-1",.*"done":null,"how":null\},"record":\{.*"state":"processing"/,
  },
  {
    operation: "conversation.interrupt",
    before: [create, say],
    args: { ...c, ...asked },
    result: /^\{"interrupt":\{"id":"i_1".*"how":"idle"\},"record":\{.*"state":"interrupted"/,
  },
  {
    operation: "conversation.interrupt",
    before: [create],
    args: { ...c, ...asked },
    result: /^\{"interrupt":null,"record":/,
  },
  {
    operation: "conversation.pause",
    before: [create, say],
    args: { ...c, ...asked, reason: "revoked" },
    result: all('"state":"paused"', '"why":"revoked"', '"queued":1'),
  },
  {
    operation: "conversation.pause",
    before: [create, say, take],
    args: { ...c, ...asked, reason: "revoked" },
    result: all('"state":"processing"'),
  },
  {
    operation: "conversation.end",
    before: [create, say, take, ["conversation.pause", { ...c, ...asked, reason: "revoked" }]],
    args: { ...ended, status: "resumable" },
    result: all('"state":"paused"', '"why":"revoked"', '"run":"run-1"'),
  },
  {
    operation: "conversation.fork",
    before: [create, say, take, ["conversation.said", said]],
    args: {
      id: "c_2",
      from: "c_1",
      event: 7,
      run: "run-9",
      ...step,
      owner: "bob",
      title: null,
      workspace: null,
      now,
    },
    result: all(
      '"id":"c_2"',
      '"owner":"bob"',
      '"state":"queued"',
      '"parent":{"conversation":"c_1","run":"run-1","event":7,"history":1}',
    ),
  },
  {
    operation: "conversation.fork",
    before: [create],
    args: {
      id: "c_2",
      from: "c_1",
      event: 1,
      run: "run-9",
      ...step,
      owner: "bob",
      title: null,
      workspace: null,
      now,
    },
    result: "invalid: no run had begun at event 1: there is nothing to fork",
  },
  { operation: "conversation.append_events", before: [create], args: appended, result: "2" },
  {
    operation: "conversation.append_events",
    args: { ...(appended as object), stream: "run:r", pieces: [piece] },
    result: "1",
  },
  {
    operation: "conversation.partial",
    args: { stream: "c_1", message: "l1/1", body: { text: "Hel" }, now },
    result: "null",
  },
  {
    operation: "conversation.partials",
    before: [["conversation.partial", { stream: "c_1", message: "l1/1", body: { text: "Hel" }, now }]],
    args: { stream: "c_1" },
    result: '[{"stream":"c_1","message":"l1/1","body":"{\\"text\\":\\"Hel\\"}","at":50}]',
  },
  {
    operation: "conversation.piece",
    before: [["conversation.append_events", { ...(appended as object), pieces: [piece] }]],
    args: { stream: "c_1", ref: sha256('"long"') },
    result: '"\\"long\\""',
  },
  { operation: "conversation.piece", args: { stream: "c_1", ref: "x" }, result: "null" },
  { operation: "conversation.note_look", args: { run: "r", now }, result: "null" },
  {
    operation: "conversation.sweep_logs",
    before: [
      ["conversation.append_events", { ...(appended as object), stream: "run:r" }],
      ["conversation.note_look", { run: "r", now }],
      ["conversation.note_look", { run: "s", now: now + 1 }],
    ],
    args: { before: now + 1 },
    result: '["run:r"]',
  },
  { operation: "conversation.interrupts", args: {}, result: "[]" },
  {
    operation: "conversation.interrupts",
    before: [create, say, take, interrupt],
    args: {},
    result: /^\[\{"id":"i_1"/,
  },
  { operation: "conversation.interrupt_run", args: interruptRun[1], result: /^\{"id":"i_1","run":"r"/ },
  {
    operation: "conversation.interrupted_run",
    before: [interruptRun],
    args: { interrupt: "i_1", how: "killed", now },
    result: "null",
  },
  {
    operation: "conversation.questions",
    before: [create, say, take],
    state: withQuestion,
    args: { id: "c_1" },
    result: new RegExp(`^\\[\\{"id":"${questionOne}","conversation":"c_1","run":"run-1","place":"0#1"`),
  },
  { operation: "conversation.withdrawn_question", args: { question: questionOne }, result: "null" },
  {
    operation: "conversation.withdrawn_question",
    before: [create, say, take, ["conversation.end", { ...ended, status: "waiting" }], interrupt],
    state: withQuestion,
    args: { question: questionOne },
    result: "50",
  },
  { operation: "conversation.of_run", args: { run: "r" }, result: "null" },
  {
    operation: "conversation.of_run",
    before: [create, say, take],
    args: { run: "run-1" },
    result: '{"run":"run-1","conversation":"c_1","message":"m_1","began":50,"ended":null,"status":null}',
  },
  {
    operation: "conversation.runs",
    before: [create, say, take],
    args: { id: "c_1" },
    result: /^\[\{"run":"run-1"/,
  },
  {
    operation: "questions.answer",
    before: [create, say, take, ["conversation.end", { ...ended, status: "waiting" }]],
    state: withQuestion,
    args: { run: "run-1", place: "0#1", answer: '"yes"', by: "ann" },
    result: "null",
  },
];
