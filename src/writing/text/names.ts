/** Names and years of references, as citations and lists print them. */
import type { CslDate, CslItem, CslName } from "./paper.ts";

/** `van der Berg`, `Ministry of Magic`. */
export function familyName(name: CslName): string {
  if (name.literal !== undefined) return name.literal.trim();
  const particle = particleOf(name);
  const family = (name.family ?? name.given ?? "").trim();
  return particle === "" ? family : `${particle} ${family}`;
}

export const particleOf = (name: CslName): string =>
  [name["dropping-particle"], name["non-dropping-particle"]]
    .map((one) => one?.trim() ?? "")
    .filter((one) => one !== "")
    .join(" ");

/** `Doe`, `Doe and Roe`, `Doe et al.`; the title's beginning where nobody is named. */
export function citedAuthors(item: CslItem): string {
  const names = (item.author ?? []).map(familyName).filter((name) => name !== "");
  if (names.length === 0) return shortTitle(item.title ?? "") || "Anonymous";
  if (names.length > 2) return `${names[0]} et al.`;
  return names.join(" and ");
}

const shortTitle = (title: string): string => title.trim().split(/\s+/).slice(0, 4).join(" ");

/** `Doe, Jane; Roe, Richard` */
export const listedAuthors = (item: CslItem): string =>
  (item.author ?? [])
    .map((name) => {
      const given = name.literal === undefined && name.family !== undefined ? (name.given ?? "").trim() : "";
      return [familyName(name), given, name.suffix ?? ""].filter((one) => one !== "").join(", ");
    })
    .filter((one) => one !== "")
    .join("; ");

/** "" without one. */
export const yearOf = (date: CslDate | undefined): string => String(date?.["date-parts"]?.[0]?.[0] ?? "");

/** `2026-03-05`, as much of it as is known. */
export const isoDate = (date: CslDate | undefined): string =>
  (date?.["date-parts"]?.[0] ?? []).map((part, at) => String(part).padStart(at === 0 ? 4 : 2, "0")).join("-");
