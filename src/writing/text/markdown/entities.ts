/** Character references that people write. Others stay as they are. */
const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  copy: "©",
  reg: "®",
  trade: "™",
  deg: "°",
  plusmn: "±",
  times: "×",
  middot: "·",
  micro: "µ",
  para: "¶",
  sect: "§",
  laquo: "«",
  raquo: "»",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  bull: "•",
  rarr: "→",
  larr: "←",
  le: "≤",
  ge: "≥",
  ne: "≠",
  euro: "€",
};

/** A text with its named references replaced (the lexer has replaced those by number). */
export const withoutEntities = (text: string): string =>
  text.includes("&")
    ? text.replaceAll(/&([a-zA-Z]{2,8});/g, (raw, name: string) =>
        Object.hasOwn(named, name) ? (named[name] as string) : raw,
      )
    : text;
