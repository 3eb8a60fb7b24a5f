/** Exports of a paper, made in the page. What needs other programs: `harn export paper ID --to pdf`. */
import { useSignal } from "@preact/signals";
import type { PaperRecord } from "../../src/server/protocol/index.ts";
import { save } from "../parts/save.ts";

const inPage = ["md", "latex", "bib", "html"] as const;
type Format = (typeof inPage)[number];
const words: Partial<Record<Format, string>> = { md: "Markdown", latex: "LaTeX", bib: "BibTeX" };

export function ExportButtons({ paper }: { readonly paper: PaperRecord }) {
  const failure = useSignal<string | null>(null);
  const busy = useSignal<Format | null>(null);
  const name = paper.title.replaceAll(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60) || "paper";
  const make = async (format: Format): Promise<void> => {
    const { exportInPage } = await import("./exporters.ts");
    for (const file of await exportInPage(paper, format)) {
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
      {inPage.map((format) => (
        <button key={format} type="button" disabled={busy.value !== null} onClick={() => void give(format)}>
          {words[format] ?? format.toUpperCase()}
        </button>
      ))}
      {failure.value === null ? null : <span class="failure">{failure.value}</span>}
    </div>
  );
}
