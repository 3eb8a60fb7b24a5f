/** Forks: conversations that go like another one up to a place, and live from there on. */
import { z } from "zod";
import { StoreError } from "../../store/index.ts";
import { uuid7 } from "../clock.ts";
import type { RequestContext } from "../context.ts";
import { Problem } from "../problems.ts";
import { asCreated, mayHaveAnother, mustBeServed, ownConversation, ownRun, tellChanged } from "../records.ts";
import { type Answer, type Route, route } from "../route.ts";
import { conversationRecord, title } from "./schemas.ts";

const inTerminal = (flag: string) =>
  z.never({ error: `a fork takes none here: \`harn fork RUN --at N ${flag}\` does` }).optional();

const forkBody = z
  .strictObject({
    event: z.int().min(1).optional().describe("Number of the last event that both share."),
    step: z
      .int()
      .min(1)
      .optional()
      .describe("Instead: the first step that is done anew, as `harn runs show` numbers them."),
    title: title.optional(),
    set: inTerminal("--set NAME=VALUE"),
    result: inTerminal("--result JSON"),
    model: inTerminal("--model NAME"),
    provider: inTerminal("--provider NAME"),
  })
  .refine(({ event, step }) => (event === undefined) !== (step === undefined), {
    message: "must have `event` or `step`, one of them",
  });

type Wish = z.output<typeof forkBody>;

/** `run`: the one that is forked; without one, the one at work at the event, or the last one. */
function fork(context: RequestContext, from: string, run: string | undefined, wish: Wish): Answer {
  const { services, principal } = context;
  const { conversations, clock } = services;
  const { agent } = ownConversation(context, from);
  mustBeServed(services, agent);
  mayHaveAnother(context);
  const id = `c_${uuid7(clock)}`;
  const answer = context.commit(() => {
    const point = pointOf(context, from, run, wish);
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
      provider: null,
      model: null,
      set: {},
      result: null,
      now: clock.now(),
    });
    return asCreated(context, record);
  });
  tellChanged(services, id);
  return answer;
}

function pointOf({ services }: RequestContext, from: string, run: string | undefined, { event, step }: Wish) {
  const { conversations } = services;
  try {
    if (event !== undefined) {
      const point = conversations.forkPoint(from, { event });
      if (run === undefined || point.run === run) return point;
      throw new Problem("no-such-step", `event ${event} is of the run ${point.run}, not of ${run}`);
    }
    const forked = run ?? conversations.runs(from).at(-1)?.run;
    if (forked === undefined)
      throw new Problem("no-such-step", "no run has begun in this conversation: there is nothing to fork");
    return conversations.forkPoint(from, { run: forked, step: step ?? 0 });
  } catch (error) {
    if (error instanceof StoreError && (error.fault === "invalid" || error.fault === "missing"))
      throw new Problem("no-such-step", error.message);
    throw error;
  }
}

export const forkRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/api/conversations/{id}/forks",
    role: "write",
    doc: "A new conversation whose run goes like this one's up to the first step behind the event, then lives, in the same folder.",
    body: forkBody,
    answers: { 201: conversationRecord },
    problems: ["not-found", "busy", "no-such-step"],
    handler: (context, { params, body }) => fork(context, params.id, undefined, body),
  }),
  route({
    method: "POST",
    path: "/api/runs/{run}/forks",
    role: "write",
    doc: "The same for a run of a conversation.",
    body: forkBody,
    answers: { 201: conversationRecord },
    problems: ["not-found", "busy", "no-such-step"],
    handler: (context, { params, body }) => {
      const run = ownRun(context, params.run);
      const conversation = context.services.conversations.ofRun(run)?.conversation;
      if (conversation === undefined)
        throw new Problem(
          "no-such-step",
          `the run works for no conversation: \`harn fork ${run} --at N\` in a terminal forks it`,
        );
      return fork(context, conversation, run, body);
    },
  }),
];
