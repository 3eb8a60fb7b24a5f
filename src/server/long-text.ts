/** A text of a log that stands in its events as a reference, as an answer. */
import type { RequestContext } from "./context.ts";
import { notFound } from "./problems.ts";

/** `stream`: the log. Throws 404 for what it does not have. */
export function longText(context: RequestContext, stream: string, ref: string): Response {
  const text = /^[0-9a-f]{64}$/.test(ref) ? context.services.conversations.text(stream, ref) : undefined;
  if (text === undefined) throw notFound("text");
  return new Response(text, {
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "private, max-age=31536000, immutable",
    },
  });
}
