/** Exports of a paper. */
import { useSignal } from "@preact/signals";
import { askBytes } from "../net/api.ts";
import { save } from "../parts/save.ts";
import type { PaperRecord } from "./records.ts";

const formats = ["md", "latex", "bib", "html", "docx", "pdf"] as const;

export function ExportButtons({ paper, base }: { readonly paper: PaperRecord; readonly base: string }) {
  const failure = useSignal<string | null>(null);
  const busy = useSignal<string | null>(null);
  const give = async (format: (typeof formats)[number]): Promise<void> => {
    busy.value = format;
    failure.value = null;
    try {
      const blob = await askBytes(`${base}/export?format=${format}&version=${paper.version}`);
      const name = paper.title.replaceAll(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60) || "paper";
      save(`${name}.${blob.type.includes("zip") ? "zip" : format === "latex" ? "tex" : format}`, blob);
    } catch (error) {
      failure.value = (error as Error).message;
    }
    busy.value = null;
  };
  return (
    <div class="buttons exports">
      <span class="soft small">Export</span>
      {formats.map((format) => (
        <button key={format} type="button" disabled={busy.value !== null} onClick={() => void give(format)}>
          {format === "md"
            ? "Markdown"
            : format === "latex"
              ? "LaTeX"
              : format === "bib"
                ? "BibTeX"
                : format.toUpperCase()}
        </button>
      ))}
      {failure.value === null ? null : <span class="failure">{failure.value}</span>}
    </div>
  );
}
