/** Forks: conversations that go like another one up to a place, and live from there on. */
import { z } from "zod";
import { StoreError } from "../../store/index.ts";
import { canBeAnswered } from "../../threads/index.ts";
import { uuid7 } from "../clock.ts";
import type { RequestContext } from "../context.ts";
import { HttpProblem } from "../problems.ts";
import {
  asCreated,
  emitChanged,
  isAdmin,
  mayHaveAnother,
  mustBeServed,
  ownConversation,
  ownRun,
} from "../records.ts";
import { type HttpAnswerBody, type Route, route } from "../route.ts";
import { serverLimits } from "../server-limits.ts";
import { conversationRecord, title } from "./schemas.ts";

const forkBody = z
  .strictObject({
    event: z.int().min(1).optional().describe("Number of the last event that both share."),
    step: z
      .int()
      .min(1)
      .optional()
      .describe("Instead: the first step that is done anew, as `harn runs show` numbers them."),
    title: title.optional(),
    set: z
      .record(
        z.string().regex(/^[A-Za-z_]\w{0,199}$/, "must be the name of a variable"),
        z
          .string()
          .max(32_768)
          .refine((value) => !value.includes("\0"), { message: "has a NUL character: no variable can" }),
      )
      .refine((input) => Object.keys(input).length <= serverLimits.configKeys, {
        message: `has more than ${serverLimits.configKeys} variables`,
      })
      .optional()
      .describe("Variables of the environment from there on; for admins."),
    result: z
      .json()
      .optional()
      .describe(
        "What the first step gives, instead of doing it; of a model call its text, or the fields that differ.",
      ),
    model: z.string().trim().min(1).max(200).optional().describe("From there on."),
    provider: z.string().trim().min(1).max(200).optional().describe("From there on."),
  })
  .refine(({ event, step }) => (event === undefined) !== (step === undefined), {
    message: "must have `event` or `step`, one of them",
  });

type ForkRequest = z.output<typeof forkBody>;

const ownStep = ({ step, kind }: ReturnType<typeof forkPoint>): HttpProblem =>
  new HttpProblem("invalid", `step ${step} (${kind}) is of the run itself: what it gives can't be made up`, {
    errors: [{ path: "body.result", message: "goes with a step that asks a model, a tool or the world" }],
  });

/** `run`: the one that is forked; without one, the one at work at the event, or the last one. */
function fork(
  context: RequestContext,
  from: string,
  run: string | undefined,
  wish: ForkRequest,
): HttpAnswerBody {
  const { services, principal } = context;
  const { conversations, clock } = services;
  const { agent } = ownConversation(context, from);
  mustBeServed(services, agent);
  // They reach programs, proxies and addresses of vendors: whoever may set them may do everything.
  if (wish.set !== undefined && !isAdmin(context))
    throw new HttpProblem("forbidden", `\`set\` needs the role admin, yours is ${principal.role}`);
  mayHaveAnother(context);
  const id = `c_${uuid7(clock)}`;
  const answer = context.commit(() => {
    const point = forkPoint(context, from, run, wish);
    if (wish.result !== undefined && !canBeAnswered(point)) throw ownStep(point);
    const record = conversations.fork({
      id,
      from,
      event: point.event,
      step: point.step,
      run: `${id}-1`,
      owner: principal.name,
      title: wish.title ?? null,
      // What the run did to files it does not do again: the fork works in the same folder.
      workspace: null,
      provider: wish.provider ?? null,
      model: wish.model ?? null,
      set: wish.set ?? {},
      result: wish.result === undefined ? null : JSON.stringify(wish.result),
      now: clock.now(),
    });
    return asCreated(context, record);
  });
  emitChanged(services, id);
  return answer;
}

function forkPoint(
  { services }: RequestContext,
  from: string,
  run: string | undefined,
  { event, step, result }: ForkRequest,
) {
  const { conversations } = services;
  try {
    if (event !== undefined) {
      const point = conversations.forkPoint(from, { event, hasAnswer: result !== undefined });
      if (run === undefined || point.run === run) return point;
      throw new HttpProblem("no-such-step", `event ${event} is of the run ${point.run}, not of ${run}`);
    }
    const forked = run ?? conversations.runs({ id: from }).at(-1)?.run;
    if (forked === undefined)
      throw new HttpProblem(
        "no-such-step",
        "no run has begun in this conversation: there is nothing to fork",
      );
    return conversations.forkPoint(from, { run: forked, step: step ?? 0 });
  } catch (error) {
    if (error instanceof StoreError && (error.fault === "invalid" || error.fault === "missing"))
      throw new HttpProblem("no-such-step", error.message);
    throw error;
  }
}

/** What both rows have in common. */
const forks = {
  method: "POST",
  role: "write",
  body: forkBody,
  answers: { 201: conversationRecord },
  problems: ["not-found", "busy", "no-such-step", "invalid", "forbidden"],
} as const;

export const forkRoutes: readonly Route[] = [
  route({
    ...forks,
    path: "/api/conversations/{id}/forks",
    doc: "A new conversation whose run goes like this one's up to the first step after the event, then lives, in the same folder; with another model, result of its first step or variables.",
    handler: (context, { params, body }) => fork(context, params.id, undefined, body),
  }),
  route({
    ...forks,
    path: "/api/runs/{run}/forks",
    doc: "The same for a run of a conversation.",
    handler: (context, { params, body }) => {
      const run = ownRun(context, params.run);
      const conversation = context.services.conversations.ofRun({ run })?.conversation;
      if (conversation === undefined)
        throw new HttpProblem(
          "no-such-step",
          `the run works for no conversation: \`harn fork ${run} --at N\` in a terminal forks it`,
        );
      return fork(context, conversation, run, body);
    },
  }),
];
