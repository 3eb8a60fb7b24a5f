/** Graphemes, padding and wrapping. */

const ascii = /^[\x20-\x7e]*$/;
let segmenter: Intl.Segmenter | undefined;

/** Extended grapheme clusters. */
export function graphemes(text: string): string[] {
  if (ascii.test(text)) return text.split("");
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

const widthOf = (text: string): number => (ascii.test(text) ? text.length : graphemes(text).length);

/** Padded to a width in graphemes; an empty fill counts as a blank. */
export function padToWidth(text: string, width: number, fill: string, side: string): string {
  const missing = width - widthOf(text);
  if (missing <= 0) return text;
  const left = side === "left" ? missing : side === "both" ? Math.floor(missing / 2) : 0;
  const pieces = graphemes(fill === "" ? " " : fill);
  return filling(pieces, left) + text + filling(pieces, missing - left);
}

function filling(pieces: readonly string[], count: number): string {
  if (count === 0) return "";
  let text = pieces.join("").repeat(Math.floor(count / pieces.length));
  for (let i = 0; i < count % pieces.length; i++) text += pieces[i];
  return text;
}

/** Greedy, line by line; words longer than the width stay whole. */
export function wrapText(text: string, width: number): string {
  return text
    .split("\n")
    .map((line) => wrapLine(line, width))
    .join("\n");
}

function wrapLine(line: string, width: number): string {
  const lines: string[] = [];
  let current = "";
  let used = 0;
  for (const word of line.split(/\s+/).filter((part) => part !== "")) {
    const size = widthOf(word);
    if (current !== "" && used + 1 + size > width) {
      lines.push(current);
      current = "";
      used = 0;
    }
    current = current === "" ? word : `${current} ${word}`;
    used = used === 0 ? size : used + 1 + size;
  }
  return [...lines, current].join("\n");
}
