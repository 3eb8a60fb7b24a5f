/**
 * What a person should see of tagged text while it streams: prose, without calls, done markers and reasoning.
 *
 * A small machine over deltas. It holds text back only while that may still become a tag (from `<` to `>`, at most
 * `longestTag` characters) or while it is inside a hidden block.
 */

/** Blocks whose content is hidden. */
const hidden = new Map([
  ["tool_call", "</tool_call>"],
  ["toolcall", "</toolcall>"],
  ["done", "</done>"],
  ["think", "</think>"],
  ["thinking", "</thinking>"],
  ["reasoning", "</reasoning>"],
]);
/** Tags that vanish while their content stays. */
const wrappers = new Set([
  "assistant_prose",
  "assistantprose",
  "user_response",
  "userresponse",
  "function_calls",
]);

const longestTag = 32;

export interface VisibleStream {
  /** The visible part of the next piece. */
  push(delta: string): string;
  /** What was held back: a `<` that became no tag. */
  end(): string;
}

export function createVisibleStream(): VisibleStream {
  let held = "";
  let closing: string | undefined;

  function drain(final: boolean): string {
    let shown = "";
    for (;;) {
      if (closing !== undefined) {
        const at = held.indexOf(closing);
        if (at === -1) {
          // Only what may be the beginning of the closing tag needs keeping.
          held = final ? "" : held.slice(Math.max(0, held.length - closing.length + 1));
          return shown;
        }
        held = held.slice(at + closing.length);
        closing = undefined;
        continue;
      }
      const open = held.indexOf("<");
      if (open === -1) {
        shown += held;
        held = "";
        return shown;
      }
      shown += held.slice(0, open);
      held = held.slice(open);
      const tag = /^<(\/?)([A-Za-z_]+)>/.exec(held);
      if (tag !== null) {
        const name = (tag[2] as string).toLowerCase();
        const close = tag[1] === "" ? hidden.get(name) : undefined;
        if (close !== undefined) closing = close;
        else if (!wrappers.has(name) && !(tag[1] === "/" && hidden.has(name))) shown += tag[0];
        held = held.slice(tag[0].length);
        continue;
      }
      if (!final && held.length < longestTag && /^<\/?[A-Za-z_]*$/.test(held)) return shown;
      shown += "<";
      held = held.slice(1);
    }
  }

  return {
    push(delta) {
      held += delta;
      return drain(false);
    },
    end: () => drain(true),
  };
}
