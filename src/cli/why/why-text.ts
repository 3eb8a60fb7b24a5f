/** An answer for people: a tree of short sentences. Text of models and tools passes `showText`. */
import type { WhyAnswer } from "../../agent/index.ts";
import { showText } from "../../diagnostics/index.ts";

export function whyText(answer: WhyAnswer): string {
  return `${drawnAnswer(answer, "", "").join("\n")}\n`;
}

function drawnAnswer({ claim, because, certainty, more }: WhyAnswer, first: string, rest: string): string[] {
  const mark = certainty === "found" && because.length === 0 ? "  [found by text]" : "";
  const below = because.flatMap((part, at) => {
    const last = at === because.length - 1 && more === 0;
    return drawnAnswer(part, `${rest}${last ? "└─ " : "├─ "}`, `${rest}${last ? "   " : "│  "}`);
  });
  const left = more === 0 ? [] : [`${rest}└─ … ${more} more (--depth, --json)`];
  return [`${first}${showText(claim.replaceAll(/\s+/g, " "))}${mark}`, ...below, ...left];
}
