/** `eventStream()`: in our form, and in that of AI SDK, read by its own parser. */
import { parseJsonEventStream, readUIMessageStream, type UIMessage, uiMessageChunkSchema } from "ai";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";
import { z } from "zod";
import { tool } from "../../../../src/library/index.ts";
import { testHarn } from "../../../../src/library/testing.ts";
import type { Harn, HarnOptions, Run } from "../../../../src/library/types.ts";
import { type AiSdkChunk, eventStream } from "../../../../src/library/web.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const cwd = tempFolder("library-web");
const lookup = tool({
  name: "lookup",
  description: "Looks a thing up.",
  input: z.object({ q: z.string() }),
  effect: "read",
  execute: async ({ q }): Promise<unknown> => {
    if (q === "bad") throw new Error("no such thing");
    return { found: [q] };
  },
});
const calls = (q: string) => ({ tool_calls: [{ name: "lookup", arguments: { q } }] });

async function response(
  make: (h: Harn) => Run<unknown>,
  options: HarnOptions,
  format: "harn" | "ai-sdk",
): Promise<{ response: Response; text: string; run: Run<unknown> }> {
  await using h = testHarn({ cwd, ...options });
  const run = make(h);
  const streamed = eventStream(run, { format });
  const text = await streamed.text();
  return { response: streamed, text, run };
}

/** As `useChat` reads it: each chunk by AI SDK's schema, then the message that they make. */
async function message(text: string): Promise<{ chunks: AiSdkChunk[]; message: UIMessage | undefined }> {
  const chunks: AiSdkChunk[] = [];
  const parsed = parseJsonEventStream({
    stream: new Response(text).body as ReadableStream<Uint8Array<ArrayBuffer>>,
    schema: uiMessageChunkSchema,
  }).pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        if (!chunk.success) throw chunk.error;
        chunks.push(chunk.value as AiSdkChunk);
        controller.enqueue(chunk.value);
      },
    }),
  );
  let last: UIMessage | undefined;
  for await (const state of readUIMessageStream({ stream: parsed, onError: () => {} })) last = state;
  return { chunks, message: last };
}

test("ai-sdk: an agent that speaks, calls a tool, speaks again", async () => {
  const mock = [{ ...calls("a"), text: "Let me look." }, { text: "There it is." }];
  const {
    response: sent,
    text,
    run,
  } = await response((h) => h.agent({ prompt: "find a", tools: [lookup] }), { mock }, "ai-sdk");
  expect(sent.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
  expect(sent.headers.get("content-type")).toContain("text/event-stream");
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  const { chunks, message: made } = await message(text);
  expect(chunks[0]).toEqual({ type: "start", messageId: run.id });
  expect(chunks.at(-1)).toMatchObject({
    type: "finish",
    finishReason: "stop",
    messageMetadata: { run: run.id, status: "done", usage: { input: expect.any(Number) } },
  });
  expect(made?.id).toBe(run.id);
  expect(made?.parts).toMatchObject([
    { type: "step-start" },
    { type: "text", text: "Let me look.", state: "done" },
    { type: "tool-lookup", state: "output-available", input: { q: "a" }, output: { found: ["a"] } },
    { type: "step-start" },
    { type: "text", text: "There it is.", state: "done" },
  ]);
});

test("ai-sdk: a tool that fails, a run that fails, one that is stopped", async () => {
  const tooled = await response(
    (h) => h.agent({ prompt: "x", tools: [lookup] }),
    { mock: [calls("bad"), { text: "Nothing." }] },
    "ai-sdk",
  );
  expect((await message(tooled.text)).message?.parts).toContainEqual(
    expect.objectContaining({ state: "output-error", errorText: expect.stringContaining("no such thing") }),
  );
  const failed = await message((await response((h) => h.run({ text: 'throw "broken"' }), {}, "ai-sdk")).text);
  expect(failed.chunks.map(({ type }) => type)).toEqual(["start", "error", "finish"]);
  expect(failed.chunks[1]).toMatchObject({ errorText: "Thrown: broken" });
  const stopped = await message(
    (await response((h) => h.run({ text: "return 1" }, { signal: AbortSignal.abort() }), {}, "ai-sdk")).text,
  );
  expect(stopped.chunks.map(({ type }) => type)).toEqual(["start", "abort", "finish"]);
});

test("ai-sdk: a question is a part, and so is its answer", async () => {
  const { text } = await response(
    (h) => h.run({ text: 'return ask_user("Sure?")' }),
    { onQuestion: () => "yes" },
    "ai-sdk",
  );
  const { message: made } = await message(text);
  expect(made?.parts).toEqual([
    { type: "data-question", id: expect.any(String), data: expect.objectContaining({ answer: "yes" }) },
  ]);
});

function eventsIn(text: string): EventSourceMessage[] {
  const events: EventSourceMessage[] = [];
  createParser({ onEvent: (event) => void events.push(event) }).feed(text);
  return events;
}

test("harn: the events as they are, with the number of each of the log as its id", async () => {
  const { text, run } = await response((h) => h.agent({ prompt: "x" }), { mock: [{ text: "42" }] }, "harn");
  const heard = [];
  for await (const event of run) heard.push(event);
  const sent = eventsIn(text);
  expect(sent.map(({ data }) => JSON.parse(data))).toEqual(heard);
  expect(sent.map(({ event }) => event)).toEqual(heard.map(({ type }) => type));
  expect(sent.map(({ id }) => id)).toEqual(heard.map(({ seq }) => (seq === null ? undefined : String(seq))));
  const later = eventsIn(await eventStream(run, { after: 3 }).text());
  expect(later.filter(({ id }) => id !== undefined).map(({ id }) => Number(id))[0]).toBe(4);
});

test("a client that goes away stops nothing, and another one gets it all", async () => {
  await using h = testHarn({ cwd, mock: [calls("a"), { text: "done" }] });
  const run = h.agent({ prompt: "x", tools: [lookup] });
  for (const format of ["harn", "ai-sdk"] as const) {
    const reader = eventStream(run, { format }).body?.getReader();
    await reader?.read();
    await reader?.cancel();
  }
  expect(await run).toMatchObject({ text: "done" });
  expect(
    (await message(await eventStream(run, { format: "ai-sdk" }).text())).message?.parts.at(-1),
  ).toMatchObject({
    text: "done",
  });
});

test("options are checked", async () => {
  await using h = testHarn({ cwd });
  const run = h.run({ text: "return 1" });
  expect(() => eventStream(run, { format: "aisdk" as never })).toThrow("`format`");
  expect(() => eventStream(run, { form: "harn" } as never)).toThrow("did you mean `format`?");
  await run;
});

test("the entry imports nothing of Node, and little at all", async () => {
  const bundle = await rolldown({ input: "src/library/web.ts", platform: "browser", external: /^node:/ });
  const { output } = await bundle.generate({ format: "es" });
  await bundle.close();
  const [chunk] = output;
  expect(chunk.imports).toEqual([]);
  expect(chunk.code).not.toMatch(/node:|\bprocess\.|\bBuffer\b/);
  expect(chunk.code.length).toBeLessThan(40_000);
});
