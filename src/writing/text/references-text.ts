/** A reference as a line of a list: the same words in Markdown, HTML and docx. */
import { oneLine } from "./document.ts";
import { isoDate, listedAuthors, yearOf } from "./names.ts";
import type { CslItem } from "./paper.ts";

export interface ReferenceLine {
  readonly text: string;
  /** Where it is to be found; "" when nobody said. */
  readonly url: string;
}

/** `Doe, Jane; Roe, Richard (2020). Title. Journal 12(3), 86–91. Publisher.` */
export function referenceLine(item: CslItem): ReferenceLine {
  const year = yearOf(item.issued);
  const head = [listedAuthors(item), year === "" ? "" : `(${year})`].filter((one) => one !== "").join(" ");
  const volume = [item.volume ?? "", item.issue === undefined ? "" : `(${item.issue})`].join("");
  const pages = oneLine(String(item.page ?? "")).replaceAll(/\s*-+\s*/g, "–");
  const inside = [[item["container-title"] ?? "", volume].filter((one) => one !== "").join(" "), pages];
  const eprint = item.archive_location === undefined ? "" : `${item.archive ?? ""} ${item.archive_location}`;
  const accessed = item.accessed === undefined ? "" : `Accessed ${isoDate(item.accessed)}`;
  const parts = [
    head,
    item.title ?? "",
    inside.filter((one) => one !== "").join(", "),
    item.publisher ?? "",
    eprint,
    item.note ?? "",
    accessed,
  ];
  const text = parts
    .map((part) => oneLine(String(part)).replace(/\.$/, ""))
    .filter((part) => part !== "")
    .map((part) => (/[.?!]$/.test(part) ? part : `${part}.`))
    .join(" ");
  const doi = oneLine(item.DOI ?? "");
  return { text, url: doi === "" ? oneLine(item.URL ?? "") : `https://doi.org/${doi}` };
}
