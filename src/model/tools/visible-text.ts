/** The visible text of a whole answer (agents.md §1.2, §10.2): protocol removed, what a person reads kept. */
import { createVisibleStream, isPlainText } from "./visible-stream.ts";

const response = /<user_?response>([\s\S]*?)(?:<\/user_?response>|$)/gi;
const wrapper = /<\/?(?:user_?response|assistant_?prose|function_calls)>/gi;

/**
 * The visible text of an answer (agents.md §1.2): blocks of the protocol and lines that hold a bare sentinel removed, the
 * responses if there are any, else everything with its wrappers taken off; at most one blank line in a row, trimmed.
 */
export function cleanVisibleText(text: string): string {
  // A turn of calls alone.
  if (text === "") return "";
  if (isPlainText(text)) return squeeze(text);
  const stream = createVisibleStream({ whole: true });
  const shown = stream.push(text) + stream.end();
  const sections = [...shown.matchAll(response)].map(([, section]) => (section as string).trim());
  const said = sections.filter((section) => section !== "");
  return squeeze(said.length > 0 ? said.join("\n\n") : shown.replace(wrapper, ""));
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

/** At most one blank line where something was cut out. */
function squeeze(text: string): string {
  return text
    .split("\n")
    .filter((line, i, lines) => line.trim() !== "" || (lines[i - 1] ?? "x").trim() !== "")
    .join("\n")
    .trim();
}
