/** Questions of runs as conversations know them: an id that says where the question stands. */

/** `q_RUN.PLACE`, with the place in hexadecimal: ids stand in paths of addresses. */
export const questionId = (run: string, place: string): string =>
  `q_${run}.${[...place].map((character) => character.charCodeAt(0).toString(16).padStart(2, "0")).join("")}`;

/** Run and place of a question's id; `undefined` for what is none. */
export function questionPlace(id: string): { readonly run: string; readonly place: string } | undefined {
  const found = /^q_(.+)\.((?:[0-9a-f]{2})+)$/.exec(id);
  const [, run, hex] = found ?? [];
  if (run === undefined || hex === undefined) return undefined;
  const codes = hex.match(/../g) ?? [];
  return { run, place: String.fromCharCode(...codes.map((code) => Number.parseInt(code, 16))) };
}
