/** Exports of a paper: texts are made in the page, what needs other programs by the server. */
import { useSignal } from "@preact/signals";
import { askBytes } from "../net/api.ts";
import { save } from "../parts/save.ts";
import type { PaperRecord } from "./records.ts";

const inPage = ["md", "latex", "bib", "html"] as const;
const byServer = ["docx", "pdf"] as const;
type Format = (typeof inPage)[number] | (typeof byServer)[number];
const words: Partial<Record<Format, string>> = { md: "Markdown", latex: "LaTeX", bib: "BibTeX" };

export function ExportButtons({ paper, base }: { readonly paper: PaperRecord; readonly base: string }) {
  const failure = useSignal<string | null>(null);
  const busy = useSignal<Format | null>(null);
  const name = paper.title.replaceAll(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60) || "paper";
  const make = async (format: Format): Promise<void> => {
    const own = inPage.find((one) => one === format);
    if (own === undefined) {
      save(`${name}.${format}`, await askBytes(`${base}/export?format=${format}&version=${paper.version}`));
      return;
    }
    const { exportInPage } = await import("./exporters.ts");
    for (const file of await exportInPage(paper, own)) {
      const ending = file.path.slice(file.path.lastIndexOf("."));
      const isPaper = !file.path.includes("/") && ending !== ".bib";
      const content = typeof file.content === "string" ? file.content : new Uint8Array(file.content);
      save(isPaper ? `${name}${ending}` : file.path.replaceAll("/", "-"), content);
    }
  };
  const give = async (format: Format): Promise<void> => {
    busy.value = format;
    failure.value = null;
    try {
      await make(format);
    } catch (error) {
      failure.value = (error as Error).message;
    }
    busy.value = null;
  };
  return (
    <div class="buttons exports">
      <span class="soft small">Export</span>
      {[...inPage, ...byServer].map((format) => (
        <button key={format} type="button" disabled={busy.value !== null} onClick={() => void give(format)}>
          {words[format] ?? format.toUpperCase()}
        </button>
      ))}
      {failure.value === null ? null : <span class="failure">{failure.value}</span>}
    </div>
  );
}
