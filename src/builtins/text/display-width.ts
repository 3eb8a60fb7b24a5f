/** Text as a terminal shows it: wide characters take two columns, escape sequences none (`std/ansi`, `std/table`). */
import type { Task } from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { type Argument, intOr, textOf } from "../arguments.ts";
import { graphemes } from "./text-layout.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character.
const escapes = /\x1b\[[0-9:;<=>?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g;
const reset = "\x1b[0m";

/** The text without colours, links and other escape sequences. */
function withoutEscapes(text: string): string {
  return text.replace(escapes, "");
}

/**
 * The beginning of a text that fits into so many columns, the marker included. Escape sequences on the way are kept; what
 * they switched on is switched off at the cut.
 */
function truncatedToWidth(task: Task, text: string, columns: number, marker: string): string {
  const widthOf = task.runtime.host.libraries.stringWidth();
  if (widthOf(text) <= columns) return text;
  const ending = widthOf(marker) <= columns ? marker : "";
  const room = columns - widthOf(ending);
  let shown = "";
  let used = 0;
  let styled = false;
  for (const piece of widthPieces(text)) {
    if (piece.escape) {
      styled = true;
      shown += piece.text;
      continue;
    }
    for (const cluster of graphemes(piece.text)) {
      used += widthOf(cluster);
      if (used > room) return shown + ending + (styled ? reset : "");
      shown += cluster;
    }
  }
  return shown;
}

function* widthPieces(text: string): Generator<{ text: string; escape: boolean }> {
  let at = 0;
  for (const found of text.matchAll(escapes)) {
    if (found.index > at) yield { text: text.slice(at, found.index), escape: false };
    yield { text: found[0], escape: true };
    at = found.index + found[0].length;
  }
  if (at < text.length) yield { text: text.slice(at), escape: false };
}

export const displayWidths = defineBuiltins("strings", {
  display_width: {
    doc: "The columns that a text takes in a terminal: wide characters count two, escape sequences none.",
    sig: "(text: any) -> int",
    effect: "pure",
    example: 'display_width("日本")  // 4',
    run: (task, text: Argument) => task.runtime.host.libraries.stringWidth()(textOf(text)),
  },
  display_plain: {
    doc: "The text without colours, links and other escape sequences of terminals.",
    sig: "(text: any) -> string",
    effect: "pure",
    example: 'display_plain("plain")  // plain',
    run: (_task, text: Argument) => withoutEscapes(textOf(text)),
  },
  display_truncate: {
    doc: "The beginning of a text that fits into so many columns of a terminal, with a marker where it was cut.",
    sig: '(text: any, columns: int, marker: string = "…") -> string',
    effect: "pure",
    example: 'display_truncate("a long line", 6)  // a lon…',
    run: (task, text: Argument, columns: Argument, marker: Argument) =>
      truncatedToWidth(task, textOf(text), Math.max(0, intOr(columns, 80)), textOf(marker, "…")),
  },
});
