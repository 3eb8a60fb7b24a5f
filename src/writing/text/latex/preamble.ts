/** What stands before `\begin{document}`. Everything in it is in Debian's `texlive-latex-recommended`. */
import type { CitationStyle } from "../paper.ts";
import { characterDeclaration, isControl } from "./characters.ts";

/** For `text`, all that is printed. `% !TEX program = lualatex` comes first when pdfTeX would print `?` somewhere. */
export function preambleOf(text: string, style: CitationStyle): string {
  const declarations: string[] = [];
  let isComplete = true;
  for (const character of [...new Set(text)].sort((a, b) =>
    a.codePointAt(0)! < b.codePointAt(0)! ? -1 : 1,
  )) {
    const declared = isControl(character) ? undefined : characterDeclaration(character);
    if (declared === undefined) continue;
    isComplete &&= declared !== null;
    const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
    declarations.push(`  \\DeclareUnicodeCharacter{${code}}{${declared ?? "?"}}`);
  }
  return [
    ...(isComplete ? [] : ["% !TEX program = lualatex"]),
    "\\documentclass{article}",
    "\\usepackage{iftex}",
    "\\ifPDFTeX",
    "  \\usepackage[utf8]{inputenc}",
    // T1 has to be there for guillemets, thorns and straight quotes; without lmodern its fonts are made by METAFONT.
    "  \\usepackage[T1]{fontenc}",
    "  \\IfFileExists{lmodern.sty}{\\usepackage{lmodern}}{}",
    "  \\usepackage{textcomp}",
    ...declarations,
    "\\else",
    "  \\usepackage{fontspec}",
    "\\fi",
    ...["amsmath", "amssymb", "graphicx", "array", "booktabs", "longtable"].map(
      (name) => `\\usepackage{${name}}`,
    ),
    `\\usepackage[${style === "numeric" ? "numbers,sort&compress" : "authoryear,round"}]{natbib}`,
    "\\usepackage{hyperref}",
  ].join("\n");
}
