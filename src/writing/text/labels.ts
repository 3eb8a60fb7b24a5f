/** Labels of sections: what `@sec:label` names. */

export const labelPattern = /^[a-z0-9][a-z0-9-]*$/;

/** A label made from a title, which no other section has. */
export function headingLabel(title: string, isTaken: (label: string) => boolean): string {
  const stem =
    title
      .toLowerCase()
      .normalize("NFKD")
      .replaceAll(/[^a-z0-9\s-]/g, "")
      .replaceAll(/[\s-]+/g, "-")
      .replaceAll(/^-|-$/g, "")
      .slice(0, 60) || "section";
  if (!isTaken(stem)) return stem;
  for (let n = 2; ; n++) if (!isTaken(`${stem}-${n}`)) return `${stem}-${n}`;
}
