/** The network over Node: HTTP here, sockets in node-sockets.ts. */
import { Deadline } from "./deadline.ts";
import { headingOf, NodeHttpBody, wholeBody } from "./node-http-body.ts";
import { answerOf } from "./node-http-hops.ts";
import { nodeServing } from "./node-http-server.ts";
import { nodeSockets } from "./node-sockets.ts";
import type { Network } from "./ports.ts";

export const nodeNetwork: Network = {
  async request(request, options = {}) {
    const deadline = new Deadline(request.timeoutMs, options.signal);
    try {
      const answered = await answerOf(request, options, deadline);
      const body = await wholeBody(answered, request, options.onData, deadline.signal);
      return { ...headingOf(answered), body };
    } finally {
      deadline.clear();
    }
  },

  async open(request, options = {}) {
    const head = new Deadline(request.timeoutMs, options.signal);
    const life = new Deadline(request.totalTimeoutMs, head.signal);
    try {
      const answered = await answerOf(request, options, life);
      return new NodeHttpBody(answered, request, life);
    } catch (error) {
      life.clear();
      throw error;
    } finally {
      head.clear();
    }
  },

  sockets: nodeSockets,
  serving: nodeServing,
};
