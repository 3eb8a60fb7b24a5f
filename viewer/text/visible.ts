/** Characters that can't be seen, or that change the order of others, made visible: `U+202E`. */

// Format and control characters but blanks (soft hyphen, joiners, direction marks, tags …), line separators, fillers, and
// variation selectors.
const hidden =
  /(?![\t\n\r])[\p{Cf}\p{Cc}\p{Zl}\p{Zp}]|[\p{Default_Ignorable_Code_Point}\u115f\u1160\u3164\uffa0]/gu;

export const pieceOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

export interface Piece {
  readonly text: string;
  readonly isHidden: boolean;
}

/** The text in pieces: as it is, and what has to be named. */
export function visiblePieces(text: string): readonly Piece[] {
  if (text.search(hidden) < 0) return [{ text, isHidden: false }];
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(hidden)) {
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), isHidden: false });
    pieces.push({ text: pieceOf(match[0]), isHidden: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isHidden: false });
  return pieces;
}

/** The same in one string, for titles and attributes. */
export const visibleText = (text: string): string =>
  visiblePieces(text)
    .map((piece) => piece.text)
    .join("");
