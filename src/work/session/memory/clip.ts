/** Texts of any length in the little room that a model has for them. */

/** The beginning of a text, never half a character, with how much is missing; whole when it fits. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text[most - 1] ?? "") ? most - 1 : most;
  return `${text.slice(0, end)}… (${(text.length - end).toLocaleString("en-US")} more characters)`;
}

/** One line of it. */
export const clippedLine = (text: string, most: number): string =>
  clip(text.replace(/\s+/gu, " ").trim(), most);
