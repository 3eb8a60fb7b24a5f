/** Finding JSON in prose: scanning once, because model answers can be long and odd. */

/** The first fence's content, else the first balanced object, else the first balanced list, else the trimmed text. */
export function extractJsonText(text: string): string {
  return fencedText(text) ?? balanced(text, "{", "}") ?? balanced(text, "[", "]") ?? text.trim();
}

function fencedText(text: string): string | undefined {
  const open = text.indexOf("```");
  if (open < 0) return undefined;
  const line = text.indexOf("\n", open);
  const sameLine = text.indexOf("```", open + 3);
  if (sameLine >= 0 && (line < 0 || sameLine < line)) {
    return text
      .slice(open + 3, sameLine)
      .replace(/^[A-Za-z]+\s/, "")
      .trim();
  }
  if (line < 0) return undefined;
  const close = text.indexOf("```", line);
  return text.slice(line + 1, close < 0 ? text.length : close).trim();
}

/** The first part between matching brackets, strings skipped. Each start is left behind when it never closes. */
function balanced(text: string, open: string, close: string): string | undefined {
  const start = text.indexOf(open);
  if (start < 0) return undefined;
  let depth = 0;
  let inString = false;
  for (let i = start; i < text.length; i++) {
    const char = text[i];
    if (inString) {
      if (char === "\\") i += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === open) depth += 1;
    else if (char === close && --depth === 0) return text.slice(start, i + 1);
  }
  return undefined;
}
