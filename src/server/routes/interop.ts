/** Doors for other people's clients: AG-UI 1.0, and chat completions in a small form. */
import { z } from "zod";
import { aguiRun, runInput } from "../interop/agui.ts";
import { chatCompletion, chatRequest } from "../interop/chat-completions.ts";
import { ok, type Route, route } from "../route.ts";

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
    answers: { 200: [z.looseObject({}), "text/event-stream"] },
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
