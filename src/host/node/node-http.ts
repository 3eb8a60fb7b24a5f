/** HTTP exchanges over Node: whole answers, and answers that are read piece by piece. */
import { Deadline } from "../deadline.ts";
import type { Network } from "../ports.ts";
import { headingOf, NodeHttpBody, wholeBody } from "./node-http-body.ts";
import { answerOf } from "./node-http-hops.ts";

export const exchange: Network["request"] = async (request, options = {}) => {
  const deadline = new Deadline(request.timeoutMs, options.signal);
  try {
    const answered = await answerOf(request, options, deadline);
    const body = await wholeBody(answered, request, options.onData, deadline.signal);
    return { ...headingOf(answered), body };
  } finally {
    deadline.clear();
  }
};

export const openAnswer: Network["open"] = async (request, options = {}) => {
  const head = new Deadline(request.timeoutMs, options.signal);
  const life = new Deadline(request.totalTimeoutMs, head.signal);
  try {
    return new NodeHttpBody(await answerOf(request, options, life), request, life);
  } catch (error) {
    life.clear();
    throw error;
  } finally {
    head.clear();
  }
};
