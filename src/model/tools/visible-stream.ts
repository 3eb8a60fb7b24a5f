/**
 * What a person should see of an answer while it streams (agents.md §1.2): prose, without calls, done markers, reasoning,
 * results and lines that hold a bare sentinel.
 *
 * Two small machines over deltas. The first takes blocks out; it holds text back while that may still become a tag and
 * while a block is open. The second takes out lines; it holds back a line that may still become a sentinel alone. What was
 * shown is never taken back.
 */

/** Blocks whose content is hidden; one that never ends hides the rest. */
const hidden = new Map([
  ["tool_call", "</tool_call>"],
  ["toolcall", "</toolcall>"],
  ["tool_result", "</tool_result>"],
  ["done", "</done>"],
  ["think", "</think>"],
  ["thinking", "</thinking>"],
  ["reasoning", "</reasoning>"],
]);
/** Tags that vanish while their content stays. */
const wrappers = new Set(["assistant_prose", "assistantprose", "function_calls"]);
/** Once there is one, nothing outside of them is seen. */
const responses = new Set(["user_response", "userresponse"]);
/** Lines that hold nothing but one of these are not shown; inside a line they are text. */
const sentinels = ["##DONE##", "DONE", "PLAN_READY"];

const maxTagLength = 32;
/** Of tags that may have attributes. */
const maxOpeningLength = 1000;
const maxHeadLength = 220;
const maxFrameLength = 100_000;

const tagAt = /^<(\/?)([A-Za-z_]+)>|^<()(tool_result)\s[^<>]*>/;
const tagBegun = /^<\/?[A-Za-z_]*$/;
const resultBegun = /^<tool_result\s[^<>]*$/;
const frameAt = /^\[result of [^\]\n]{0,200}\]/;
const frameEnd = /\[end of [^\]\n]{0,200}\]/;
const frameStart = "[result of ";

/** Nothing in such a text could be a tag, a frame or a sentinel: a person sees all of it. */
export const isPlainText = (text: string): boolean => !/[<[]|DONE|PLAN_READY/.test(text);

export interface VisibleStream {
  /** The visible part of the next piece. */
  push(delta: string): string;
  /** What was held back: a `<` that became no tag. */
  end(): string;
}

/** With `whole`, tags of prose and responses are left to `cleanVisibleText`, which sees the text to its end. */
export function createVisibleStream({ whole = false }: { whole?: boolean } = {}): VisibleStream {
  const blocks = createBlockFilter(whole);
  const lines = createLineFilter();
  return {
    push: (delta) => lines.push(blocks.push(delta)),
    end: () => lines.push(blocks.end()) + lines.end(),
  };
}

function createBlockFilter(whole: boolean): VisibleStream {
  let held = "";
  let closing: string | undefined;
  /** Frames are looked for. */
  let frames = true;
  /** Inside a response; null before there is one. */
  let responding: boolean | null = null;

  const seen = (text: string): string => (responding === false ? "" : text);

  /** A tag at the beginning of `held`: what of it is seen. */
  function readTag(text: string, closes: boolean, name: string): string {
    held = held.slice(text.length);
    if (hidden.has(name)) {
      if (!closes) closing = hidden.get(name);
      return "";
    }
    if (whole) return text;
    if (wrappers.has(name)) return "";
    if (!responses.has(name)) return seen(text);
    const another = !closes && responding === false;
    responding = !closes;
    return another ? "\n\n" : "";
  }

  /** A frame at the beginning of `held`; undefined while it may still end. */
  function readFrame(final: boolean): string | undefined {
    const open = frames ? frameAt.exec(held) : null;
    const end = open === null ? null : frameEnd.exec(held);
    if (end !== null) {
      held = held.slice(end.index + end[0].length);
      return "";
    }
    const begins = held.startsWith(frameStart.slice(0, held.length)) || held.startsWith(frameStart);
    const waits = open === null ? begins && held.length < maxHeadLength : held.length < maxFrameLength;
    if (frames && !final && waits) return undefined;
    // What never ends was no frame: a person wrote brackets. Nothing after it ends either.
    if (open !== null) frames = false;
    held = held.slice(1);
    return seen("[");
  }

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
      const open = held.search(/[<[]/);
      if (open === -1) {
        shown += seen(held);
        held = "";
        return shown;
      }
      shown += seen(held.slice(0, open));
      held = held.slice(open);
      if (held.startsWith("[")) {
        const frame = readFrame(final);
        if (frame === undefined) return shown;
        shown += frame;
        continue;
      }
      const tag = tagAt.exec(held);
      if (tag !== null) {
        const name = (tag[2] ?? tag[4] ?? "").toLowerCase();
        shown += readTag(tag[0], tag[1] === "/", name);
        continue;
      }
      const begun =
        (held.length < maxTagLength && tagBegun.test(held)) ||
        (held.length < maxOpeningLength && resultBegun.test(held));
      if (!final && begun) return shown;
      shown += seen("<");
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

function createLineFilter(): VisibleStream {
  let held = "";
  /** A part of the line was shown already. */
  let begun = false;

  const mayBecome = (part: string): boolean => {
    const word = part.trimStart();
    return sentinels.some((sentinel) => sentinel.startsWith(word) || word.trimEnd() === sentinel);
  };

  return {
    push(delta) {
      held += delta;
      let shown = "";
      for (let at = held.indexOf("\n"); at >= 0; at = held.indexOf("\n")) {
        const line = held.slice(0, at + 1);
        if (begun || !sentinels.includes(line.trim())) shown += line;
        held = held.slice(at + 1);
        begun = false;
      }
      if (held === "" || (!begun && mayBecome(held))) return shown;
      shown += held;
      held = "";
      begun = true;
      return shown;
    },
    end() {
      const rest = !begun && sentinels.includes(held.trim()) ? "" : held;
      held = "";
      return rest;
    },
  };
}
