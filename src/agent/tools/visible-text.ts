/** The visible text of a whole answer (agents.md §1.2, §10.2): protocol removed, what a person reads kept. */
import { createVisibleStream } from "./visible-stream.ts";

/** The default sentinel never reaches a person; a custom bare sentinel stays (agents.md §0.2). */
const bareSentinel = "##DONE##";

/** Calls, done blocks and reasoning removed, wrappers unwrapped, the bare default sentinel removed, trimmed. */
export function cleanVisibleText(text: string): string {
  const stream = createVisibleStream();
  const shown = stream.push(text) + stream.end();
  const clean = shown.replaceAll(bareSentinel, "");
  return clean === text ? text.trim() : squeeze(clean);
}

/** Reasoning blocks removed from an answer that owes nothing to the protocol; its other tags are content. */
export function withoutReasoning(text: string): string {
  if (!text.includes("<think") && !text.includes("<reasoning")) return text;
  let shown = "";
  let at = 0;
  const open = /<(think|thinking|reasoning)>/g;
  for (let tag = open.exec(text); tag !== null; tag = open.exec(text)) {
    const close = text.indexOf(`</${tag[1]}>`, open.lastIndex);
    if (close === -1) break;
    shown += text.slice(at, tag.index);
    at = close + (tag[1] as string).length + 3;
    open.lastIndex = at;
  }
  return squeeze(shown + text.slice(at));
}

/** True when an answer speaks the tagged protocol even though nobody asked for it. */
export function speaksProtocol(text: string): boolean {
  return text.includes("<assistant_prose>") || text.includes("<user_response>");
}

/** At most one blank line where something was cut out. */
function squeeze(text: string): string {
  return text
    .split("\n")
    .filter((line, i, lines) => line.trim() !== "" || (lines[i - 1] ?? "x").trim() !== "")
    .join("\n")
    .trim();
}
