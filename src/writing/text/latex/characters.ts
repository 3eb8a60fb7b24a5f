/**
 * Characters beyond ASCII under pdfTeX: which `inputenc` knows by itself, and what the others are declared as. Characters
 * that nobody can print are declared as `?`; LuaTeX and XeTeX take all of them as they are.
 */

/** With T1 and `textcomp`: Latin-1 and the usual punctuation. */
const known =
  /[\u00a1-\u00ac\u00ae-\u00ff\u2013\u2014\u2018-\u201a\u201c-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]/;

const math = (pairs: string): [string, string][] =>
  pairs
    .trim()
    .split(/\s+/)
    .map((pair): [string, string] => {
      const [character] = pair;
      return [character as string, `\\ensuremath{${pair.slice((character as string).length)}}`];
    });

const declared: ReadonlyMap<string, string> = new Map([
  ...math(String.raw`
    α\alpha β\beta γ\gamma δ\delta ε\varepsilon ϵ\epsilon ζ\zeta η\eta θ\theta ϑ\vartheta ι\iota κ\kappa λ\lambda μ\mu ν\nu
    ξ\xi ο{o} π\pi ϖ\varpi ρ\rho ϱ\varrho σ\sigma ς\varsigma τ\tau υ\upsilon φ\varphi ϕ\phi χ\chi ψ\psi ω\omega
    Α{A} Β{B} Γ\Gamma Δ\Delta Ε{E} Ζ{Z} Η{H} Θ\Theta Ι{I} Κ{K} Λ\Lambda Μ{M} Ν{N} Ξ\Xi Ο{O} Π\Pi Ρ{P} Σ\Sigma Τ{T}
    Υ\Upsilon Φ\Phi Χ{X} Ψ\Psi Ω\Omega
    ≤\leq ≥\geq ≠\neq ≈\approx ≡\equiv ∼\sim ≃\simeq ≅\cong ∝\propto ≪\ll ≫\gg ≺\prec ≻\succ ∞\infty ∂\partial ∇\nabla
    ∑\sum ∏\prod ∫\int ∮\oint √\surd ∈\in ∉\notin ∋\ni ⊂\subset ⊃\supset ⊆\subseteq ⊇\supseteq ∪\cup ∩\cap ∅\emptyset
    ∖\setminus ∀\forall ∃\exists ∄\nexists ∧\wedge ∨\vee ⊕\oplus ⊗\otimes ⊥\perp ∥\parallel ∠\angle ∴\therefore ∵\because
    ⊢\vdash ⊨\models ⊤\top −{-} ∗{*} ∘\circ ∙\bullet ⋅\cdot ⋯\cdots ⋮\vdots ⋱\ddots ′' ″'' ‴''' ℓ\ell ℏ\hbar ℜ\Re ℑ\Im ℵ\aleph ℘\wp
    ℝ\mathbb{R} ℂ\mathbb{C} ℕ\mathbb{N} ℤ\mathbb{Z} ℚ\mathbb{Q} ℙ\mathbb{P} 𝔼\mathbb{E} 𝟙\mathbf{1}
    ←\leftarrow →\rightarrow ↑\uparrow ↓\downarrow ↔\leftrightarrow ⇐\Leftarrow ⇒\Rightarrow ⇑\Uparrow ⇓\Downarrow
    ⇔\Leftrightarrow ↦\mapsto ↪\hookrightarrow ↩\hookleftarrow ⟶\longrightarrow ⟵\longleftarrow ⟹\Longrightarrow ⟺\Longleftrightarrow
    ⟨\langle ⟩\rangle ⌈\lceil ⌉\rceil ⌊\lfloor ⌋\rfloor ‖\Vert
    ⁰^{0} ⁴^{4} ⁵^{5} ⁶^{6} ⁷^{7} ⁸^{8} ⁹^{9} ⁺^{+} ⁻^{-} ⁿ^{n} ⁱ^{i}
    ₀_{0} ₁_{1} ₂_{2} ₃_{3} ₄_{4} ₅_{5} ₆_{6} ₇_{7} ₈_{8} ₉_{9} ₊_{+} ₋_{-}
    ✓\checkmark ✔\checkmark ✗\times ✘\times ✕\times □\square ☐\square ■\blacksquare ☑\boxtimes ☒\boxtimes ▲\blacktriangle
    △\triangle ▼\blacktriangledown ◆\blacklozenge ◇\lozenge ○\circ ●\bullet ◦\circ ★\bigstar ☆\star ♠\spadesuit ♣\clubsuit
    ♥\heartsuit ♦\diamondsuit ♭\flat ♮\natural ♯\sharp ▪\blacksquare ▶\blacktriangleright ◀\blacktriangleleft ►\blacktriangleright`),
  ["Œ", "\\OE{}"],
  ["œ", "\\oe{}"],
  ["Ł", "\\L{}"],
  ["ł", "\\l{}"],
  ["Đ", "\\DJ{}"],
  ["đ", "\\dj{}"],
  ["Ŋ", "\\NG{}"],
  ["ŋ", "\\ng{}"],
  ["ı", "\\i{}"],
  ["ȷ", "\\j{}"],
  ["ẞ", "SS"],
  ["‐", "-"],
  ["‑", "\\mbox{-}"],
  ["‒", "\\textendash{}"],
  ["―", "\\textemdash{}"],
  ["‚", "\\quotesinglbase{}"],
  ["⁄", "/"],
  ["ﬀ", "ff"],
  ["ﬁ", "fi"],
  ["ﬂ", "fl"],
  ["ﬃ", "ffi"],
  ["ﬄ", "ffl"],
  // Blanks of other widths.
  ...["\u2000", "\u2002"].map((one): [string, string] => [one, "\\enspace{}"]),
  ...["\u2001", "\u2003"].map((one): [string, string] => [one, "\\quad{}"]),
  ...["\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a", "\u202f", "\u205f"].map(
    (one): [string, string] => [one, "\\,"],
  ),
  ["\u3000", "\\quad{}"],
  // What is not to be seen: joiners, marks of direction, the byte order mark.
  ["\u00ad", "\\-"],
  ["\u200b", "\\hspace{0pt}"],
  ...["\u200c", "\u200d", "\u200e", "\u200f", "\u2060", "\ufe0e", "\ufe0f", "\ufeff"].map(
    (one): [string, string] => [one, "{}"],
  ),
  ...[0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069].map((one): [string, string] => [
    String.fromCharCode(one),
    "{}",
  ]),
]);

/** Accents that LaTeX sets by a command of their own. */
const accents: Readonly<Record<string, string>> = {
  "\u0300": "\\`",
  "\u0301": "\\'",
  "\u0302": "\\^",
  "\u0303": "\\~",
  "\u0304": "\\=",
  "\u0306": "\\u",
  "\u0307": "\\.",
  "\u0308": '\\"',
  "\u030a": "\\r",
  "\u030b": "\\H",
  "\u030c": "\\v",
  "\u0323": "\\d",
  "\u0327": "\\c",
  "\u0328": "\\k",
  "\u0331": "\\b",
};

/** A letter with accents, taken apart: ṣ ▸ `\d{s}`. */
function accented(character: string): string | undefined {
  const [base, ...marks] = character.normalize("NFD");
  if (marks.length === 0 || base === undefined || !/[A-Za-z]/.test(base)) return undefined;
  // An i or j under an accent above it has no dot.
  const above = marks.some((mark) => !/[\u0323\u0327\u0328\u0331]/.test(mark));
  let tex = above && (base === "i" || base === "j") ? `\\${base}` : base;
  for (const mark of marks) {
    const command = accents[mark];
    if (command === undefined) return undefined;
    tex = `${command}{${tex}}`;
  }
  return tex;
}

/** What a character is declared as; undefined when it needs no declaration, null when nobody can print it. */
export function characterDeclaration(character: string): string | null | undefined {
  if ((character.codePointAt(0) as number) < 0x80 || known.test(character) || character === "\u00a0")
    return undefined;
  return declared.get(character) ?? accented(character) ?? null;
}

/** Whether a character of a text is printed as it is meant. Control characters count: they are dropped. */
export const isMapped = (character: string): boolean =>
  isControl(character) || characterDeclaration(character) !== null;

export const isControl = (character: string): boolean => {
  const code = character.codePointAt(0) as number;
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code === 0x2028 || code === 0x2029;
};
