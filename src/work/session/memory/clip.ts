/** Texts of any length in the little room that a model has for them. */

/** The beginning of a text, never half a character, with how much is missing; whole when it fits. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = /[\ud800-\udbff]/.test(text[max - 1] ?? "") ? max - 1 : max;
  return `${text.slice(0, end)}… (${(text.length - end).toLocaleString("en-US")} more characters)`;
}

/** One line of it. */
export const clippedLine = (text: string, max: number): string =>
  clip(text.replace(/\s+/gu, " ").trim(), max);
