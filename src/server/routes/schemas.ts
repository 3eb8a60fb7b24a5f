/** What routes take and give, in zod: validated, described in OpenAPI, and held to the types that client and page have. */
import { z } from "zod";
import { agentConfigOf } from "../../agent/index.ts";
import { conversationStateNames } from "../../durable/index.ts";
import { fromJson, ScriptError } from "../../values/index.ts";
import type {
  AnswerBody,
  ConversationRecord,
  ConversationSummary,
  FileRecord,
  MessageRecord,
  NewMessage,
  PrincipalRecord,
  QuestionRecord,
  RunSummary,
} from "../protocol/index.ts";
import { serverLimits } from "../server-limits.ts";

/** A schema that gives exactly a record of the protocol: the compiler refuses a field more, less or of another type. */
export const typedSchema =
  <T>() =>
  <S extends z.ZodType<T>>(schema: S & (keyof z.output<S> extends keyof T ? unknown : never)): S =>
    schema;
/** What nobody changes: lists of clients are read only. */
type DeepReadonly<T> = T extends readonly (infer I)[]
  ? readonly DeepReadonly<I>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/** A schema that takes what clients of the protocol send. */
export const taken =
  <T>() =>
  <S extends z.ZodType>(schema: S & (T extends DeepReadonly<z.input<S>> ? unknown : never)): S =>
    schema;

const time = z.number().describe("Milliseconds since the epoch.");
const text = z.union([
  z.string(),
  z
    .object({ ref: z.string(), bytes: z.number(), head: z.string() })
    .describe("A long text: `…/blobs/{ref}`."),
]);

export const conversationState = z.enum(conversationStateNames);
export const delivery = z.enum(["queue", "step", "now"]);

const configWords = "config";

export const config = z
  .record(z.string().max(serverLimits.query), z.json())
  .refine((value) => Object.keys(value).length <= serverLimits.configKeys, {
    message: `has more than ${serverLimits.configKeys} keys`,
  })
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= serverLimits.configBytes, {
    message: `has more than ${serverLimits.configBytes} bytes`,
  })
  .superRefine((value, { addIssue }) => {
    try {
      agentConfigOf(fromJson(value), configWords);
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      // The place is told with the issue.
      addIssue(String(error.value).replace(`${configWords}: `, ""));
    }
  });

export const title = z.string().trim().min(1).max(serverLimits.title);
export const mode = z.enum(["plan", "execute"]);

export const newMessage = taken<NewMessage>()(
  z.strictObject({
    text: z
      .string()
      .min(1)
      .refine((said) => said.trim() !== "", { message: "must say something" })
      .refine((said) => Buffer.byteLength(said) <= serverLimits.message, {
        message: `has more than ${serverLimits.message} bytes`,
      }),
    attachments: z
      .array(
        z.strictObject({
          path: z
            .string()
            .min(1)
            .max(1000)
            .describe("A file of the workspace: a text up to 256 KiB, or a picture up to 5 MiB."),
        }),
      )
      .max(serverLimits.attachments)
      .default([])
      .describe(
        "Files that come with it: texts stand after the words, pictures are shown to models that see.",
      ),
    delivery: delivery.default("queue").describe("When a run that works hears it."),
  }),
);

const gauge = z.object({ used: z.number(), window: z.number().nullable(), ratio: z.number().nullable() });
const totals = z.object({ input: z.number(), output: z.number(), cost_usd: z.number().nullable() });

const badOutcome = z.enum(["failed", "stalled"]);

export const conversationSummary = typedSchema<ConversationSummary>()(
  z.object({
    id: z.string(),
    agent: z.string(),
    title: z.string(),
    owner: z.string(),
    state: conversationState,
    why: z.string().describe("Why it is in this state; the error of one that failed."),
    outcome: badOutcome.nullable().describe("How the agent of its last run ended that did not do its work."),
    mode: z.string().nullable(),
    archived: z.boolean(),
    created: time,
    changed: time,
    turns: z.number(),
    totals,
    gauge: gauge.nullable(),
    open_questions: z.number(),
  }),
);

export const questionRecord = typedSchema<QuestionRecord>()(
  z.object({
    id: z.string(),
    conversation: z.string().nullable(),
    run: z.string().nullable(),
    kind: z.string().describe("`approval`, `plan`, `question`, `doubt` …"),
    prompt: z.string(),
    schema: z.json().describe("JSON Schema of an answer; null when any text does."),
    choices: z.array(z.string()).describe("The answers there are; empty: any."),
    tool: z.string().nullable(),
    arguments: z.json(),
    asked: time,
    deadline: time.nullable(),
    answer: z.json().describe("null while it is open."),
    by: z.string().nullable(),
  }),
);

export const conversationRecord = typedSchema<ConversationRecord>()(
  conversationSummary.omit({ open_questions: true }).extend({
    config: z.record(z.string(), z.json()),
    parent: z.string().nullable().describe("The conversation that it was forked from."),
    run: z.string().nullable().describe("The run at work, else the last one."),
    questions: z.array(questionRecord).describe("Those that are open."),
    queued: z.number().describe("Messages that wait."),
    head: z.number().describe("Number of the last event."),
    version: z.number(),
  }),
);

export const messageRecord = typedSchema<MessageRecord>()(
  z.object({
    id: z.string(),
    role: z.enum(["user", "assistant"]),
    text,
    attachments: z.array(z.json()),
    by: z.string().nullable(),
    state: z.enum(["queued", "taken", "said", "withdrawn"]),
    delivery: delivery.nullable(),
    run: z.string().nullable(),
    seq: z.number().describe("Number of its event."),
    at: time,
  }),
);

export const runSummary = typedSchema<RunSummary>()(
  z.object({
    run: z.string(),
    script: z.string(),
    conversation: z.string().nullable(),
    status: z.string().describe("`running`, `interrupted`, `stopped`, `waiting`, `failed`, `done`."),
    outcome: z
      .object({ status: badOutcome, why: z.string() })
      .nullable()
      .describe("How its agent ended that did not do its work, whatever its program made of it."),
    started: time,
    ended: time.nullable(),
    exit_code: z.number().nullable(),
    parent: z.string().nullable().describe("The run that it was forked from."),
  }),
);

export const eventEnvelope = z
  .looseObject({
    v: z.literal(1),
    seq: z.number(),
    at: time,
    type: z.string(),
    conversation: z.string().nullable(),
    run: z.string().nullable(),
    loop: z.string().nullable(),
    parent: z.object({ loop: z.string(), call: z.string().nullable() }).nullable(),
    turn: z.number(),
    call: z.string().nullable(),
    data: z.record(z.string(), z.json()),
  })
  .describe("An event; its data by type: docs/events.md.");

export const eventPage = z.object({
  items: z.array(eventEnvelope),
  next: z.number().nullable().describe("For `after`; null at the end."),
  head: z.number().describe("Number of the last event."),
});

export const answerBody = taken<AnswerBody>()(
  z.union([
    z.strictObject({
      decision: z.enum(["approve", "deny"]),
      always: z
        .boolean()
        .optional()
        .describe("With `approve`, of a tool: for every further call with these arguments."),
      arguments: z
        .record(z.string(), z.json())
        .optional()
        .describe("With `approve`, of a tool: instead of those of the call."),
      reason: z.string().max(10_000).optional(),
      feedback: z
        .string()
        .max(100_000)
        .optional()
        .describe("Of a plan, instead of `reason`: what the agent is told."),
    }),
    z.strictObject({ answer: z.json() }),
  ]),
);

export const principalRecord = typedSchema<PrincipalRecord>()(
  z.object({
    name: z.string(),
    role: z.enum(["read", "write", "admin"]),
    created: time,
    revoked: time.nullable(),
  }),
);

export const fileRecord = typedSchema<FileRecord>()(
  z.object({
    path: z.string(),
    bytes: z.number(),
    changed: time,
  }),
);

export const cslItem = z.record(z.string(), z.json()).describe("CSL-JSON.");
