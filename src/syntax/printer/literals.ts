/** Literals as canonical text (language.md §1.4, §1.5, §26). */

const ESCAPED: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  '"': '\\"',
  "\n": "\\n",
  "\t": "\\t",
  "\r": "\\r",
  "\0": "\\0",
};

/** The inside of a `"…"` string. */
export function escapeText(text: string): string {
  return text.replace(/[\\"\n\t\r\0]/g, (char) => ESCAPED[char]!).replaceAll("${", "\\${");
}

/** A raw string with as many `#` as its text needs. */
export function rawText(text: string): string {
  let hashes = "";
  while (text.includes(`"${hashes}`)) hashes += "#";
  return `r${hashes}"${text}"${hashes}`;
}

const UNITS: readonly (readonly [ms: number, unit: string])[] = [
  [3_600_000, "h"],
  [60_000, "m"],
  [1000, "s"],
];

/** A duration in the largest exact unit up to hours. */
export function durationLiteral(ms: number): string {
  for (const [size, unit] of UNITS) if (ms > 0 && ms % size === 0) return `${ms / size}${unit}`;
  return `${ms}ms`;
}

/** A float with a point and without an exponent, which the language does not have. */
export function floatText(value: number): string {
  const [mantissa, exponent] = String(value).split("e");
  if (exponent === undefined) return mantissa!.includes(".") ? mantissa! : `${mantissa}.0`;
  const [whole, fraction = ""] = mantissa!.split(".");
  const digits = whole! + fraction;
  const point = whole!.length + Number(exponent);
  if (point <= 0) return `0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return `${digits}${"0".repeat(point - digits.length)}.0`;
  return `${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Can a text stand as a bare dict key? */
export function isBareKey(text: string): boolean {
  return /^[\p{Alphabetic}_][\p{Alphabetic}\p{N}_]*$/u.test(text);
}
