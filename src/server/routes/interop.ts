/** Doors for other people's clients: AG-UI 1.0, and chat completions in a small form. */
import { z } from "zod";
import { aguiRun, runInput } from "../interop/agui.ts";
import { chatCompletion, chatRequest } from "../interop/chat-completions.ts";
import { ok, type Route, route } from "../route.ts";

const openAiProblem = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
  })
  .describe("In OpenAI's form.");

export const interopRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/api/agui/{agent}",
    role: "write",
    doc: "A run of AG-UI 1.0: `RunAgentInput` in, its events out. Closing the connection interrupts the run.",
    body: runInput,
    answers: { 200: "text/event-stream" },
    problems: ["not-found", "invalid"],
    handler: (context, { params, body }) => aguiRun(context, params.agent, body),
  }),
  route({
    method: "POST",
    path: "/v1/chat/completions",
    role: "write",
    doc: "An agent as a model, in OpenAI's form; a new conversation each time, or `metadata.conversation`.",
    body: chatRequest,
    answers: {
      200: [z.looseObject({}), "text/event-stream"],
      400: openAiProblem,
      404: openAiProblem,
      500: openAiProblem,
    },
    handler: (context, { body }) => chatCompletion(context, body),
  }),
  route({
    method: "GET",
    path: "/v1/models",
    role: "read",
    doc: "The agents, as models.",
    answers: { 200: z.looseObject({}) },
    handler: ({ services }) =>
      ok({
        object: "list",
        data: services.supervisor.agents.map(({ name }) => ({
          id: name,
          object: "model",
          created: 0,
          owned_by: "harn",
        })),
      }),
  }),
];
