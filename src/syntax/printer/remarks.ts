/** Comments as documents. */
import { type Doc, group, hardLine, line } from "./doc.ts";
import type { Remark } from "./trivia.ts";

/** A comment where it stands alone. */
export function remarkText(remark: Remark): Doc {
  if (remark.doc !== undefined) return documentation(remark.doc);
  if (!remark.text.includes("\n")) return remark.text;
  // The empty suffix: unlike a string of several lines, such a comment breaks the lists around it.
  return [
    { kind: "suffix", text: "" },
    { kind: "verbatim", text: remark.text },
  ];
}

/** A comment after code on the same line. */
export function remarkAfter(remark: Remark): Doc {
  if (remark.endsLine) return { kind: "suffix", text: ` ${remark.text}` };
  return [" ", remarkText(remark)];
}

/** Each on lines of its own, with a line break after; `blanks`: blank lines that followed them are kept as one. */
export function remarksAbove(remarks: readonly Remark[], blanks: boolean): Doc[] {
  return remarks.map((remark) => {
    if (remark.inline) return [remarkText(remark), remark.endsLine ? hardLine : " "];
    // Documentation with a blank line after belongs to nothing; without that line it would.
    const blank = remark.blankAfter && (blanks || remark.doc !== undefined);
    return [remarkText(remark), hardLine, blank ? hardLine : ""];
  });
}

/** `/** text *\/` on one line if it fits, or with a star before each line. */
export function documentation(lines: readonly string[]): Doc {
  if (lines.length > 1) return ["/**", lines.map((text) => [hardLine, ` * ${text}`]), hardLine, " */"];
  if (lines.length === 0 || lines[0] === "") return "/** */";
  const starred = (text: string): Doc => ({ kind: "whenBroken", text });
  return group(["/**", line, starred(" * "), lines[0]!, line, starred(" "), "*/"]);
}
