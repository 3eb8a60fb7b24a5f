/**
 * Which formulas may stand in a LaTeX file as they are. A formula is the one place where a text's own TeX reaches the
 * compiler: what could read or write files, run programs, change what characters mean or leave the formula does not.
 */

const refused = new Set(
  `input include includeonly endinput write openin openout newwrite newread read readline closeout closein message errmessage
  catcode lccode uccode sfcode mathcode delcode def edef gdef xdef let futurelet csname endcsname special immediate directlua
  latelua luaexec usepackage RequirePackage documentclass newcommand renewcommand providecommand DeclareRobustCommand
  newenvironment renewenvironment newif loop repeat expandafter noexpand scantokens detokenize jobname everymath everydisplay
  everypar everyjob aftergroup afterassignment global long outer par relpenalty shipout output batchmode scrollmode
  errorstopmode pdfximage pdfobj pdfliteral primitive verb verbatim verbatiminput lstinputlisting includegraphics url href
  csstring makeatletter makeatother begingroup endgroup bgroup egroup end item footnote cite citep citet label ref
  mathchardef chardef countdef dimendef skipdef toksdef newcount newdimen newtoks uppercase lowercase string meaning the`
    .split(/\s+/)
    .filter((name) => name !== "end"),
);

/** Environments that may stand in a formula. */
const environments =
  /^(?:(?:[pbBvV]|small)?matrix|cases|aligned|alignedat|gathered|split|array|subarray|[lr]?cases|dcases|multlined)\*?$/;

/** Whether a formula may stand in a LaTeX file as it is. */
export function isSafeMath(tex: string): boolean {
  if (tex.trim() === "" || tex.includes("^^") || /\n[ \t]*\n/.test(tex)) return false;
  const open: string[] = [];
  // Commands, escaped characters and the characters that mean something; everything else stands for itself.
  for (const [token, name] of tex.matchAll(/\\([a-zA-Z@]+)\*?|\\[\s\S]|\\$|[{}$%#&~]/g)) {
    if (token === "{") open.push("{");
    else if (token === "}") {
      if (open.pop() !== "{") return false;
    } else if (token === "$" || token === "%" || token === "#" || token === "\\") return false;
    // Formulas of their own, and what ends the one that we are in.
    else if (/^\\[()[\]]/.test(token)) return false;
    else if (token === "&" && !open.includes("begin")) return false;
    else if (name !== undefined && refused.has(name)) return false;
    else if (name === "begin") open.push("begin");
    else if (name === "end" && open.pop() !== "begin") return false;
  }
  return open.length === 0 && namesMatch(tex);
}

/** Environments are among those that are known, and end in the order in which they began. */
function namesMatch(tex: string): boolean {
  const open: string[] = [];
  for (const [, which, name] of tex.matchAll(/\\(begin|end)(?![a-zA-Z@])[ \t\n]*(?:\{([^{}]*)\})?/g)) {
    if (name === undefined || !environments.test(name)) return false;
    if (which === "begin") open.push(name);
    else if (open.pop() !== name) return false;
  }
  return open.length === 0;
}

/** A formula of its own as it stands between `\[` and `\]`: an environment that is a formula itself gives up its outside. */
export function displayBody(tex: string): string {
  const found = /^\s*\\begin\{(align|gather|equation)\*?\}([\s\S]*)\\end\{\1\*?\}\s*$/.exec(tex);
  if (found === null || /\\(?:begin|end)\{(?:align|gather|equation)\*?\}/.test(found[2] as string))
    return tex;
  const inside = (found[2] as string).trim();
  if (found[1] === "equation") return inside;
  const within = found[1] === "align" ? "aligned" : "gathered";
  return `\\begin{${within}}\n${inside}\n\\end{${within}}`;
}
