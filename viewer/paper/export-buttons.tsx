/**
 * Exports of a paper. The texts are made in the page; Word and PDF by the server, which has the library, the images of the
 * workspace and, where one is installed, an engine for PDF.
 */
import { useSignal } from "@preact/signals";
import type { FindingRecord, PaperRecord } from "../../src/server/protocol/index.ts";
import { client } from "../net/api.ts";
import { Failure } from "../parts/failure.tsx";
import { save } from "../parts/save.ts";

const inPage = ["md", "latex", "bib", "html"] as const;
const byServer = ["docx", "pdf"] as const;
type Format = (typeof inPage)[number] | (typeof byServer)[number];
const words: Partial<Record<Format, string>> = {
  md: "Markdown",
  latex: "LaTeX",
  bib: "BibTeX",
  docx: "Word",
};

export function ExportButtons({ paper }: { readonly paper: PaperRecord }) {
  const failure = useSignal<unknown>(null);
  const busy = useSignal<Format | null>(null);
  const missing = useSignal("");
  const name = paper.title.replaceAll(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60) || "paper";
  const make = async (format: Format): Promise<void> => {
    if (format === "docx" || format === "pdf") {
      // The version that the reader sees, whatever is written meanwhile.
      const onFindings = (findings: readonly FindingRecord[]): void => {
        missing.value = findings
          .flatMap(({ kind, text }) => (kind === "unmapped-character" ? [text] : []))
          .join(" ");
      };
      const asked = { format, version: paper.version, ...(format === "pdf" ? { onFindings } : {}) };
      save(`${name}.${format}`, await client.exportPaper(paper.id, asked));
      return;
    }
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
    missing.value = "";
    try {
      await make(format);
    } catch (error) {
      failure.value = error;
    }
    busy.value = null;
  };
  return (
    <div class="buttons exports">
      <span class="soft small">Export</span>
      {[...inPage, ...byServer].map((format) => (
        <button
          key={format}
          type="button"
          disabled={busy.value !== null}
          aria-busy={busy.value === format}
          onClick={() => void give(format)}
        >
          {words[format] ?? format.toUpperCase()}
          {busy.value === format ? "…" : ""}
        </button>
      ))}
      {missing.value === "" ? null : (
        <p class="soft" role="status">
          The PDF does not show these characters; the server has no font for them: {missing.value}
        </p>
      )}
      {failure.value === null ? null : <Failure error={failure.value} />}
    </div>
  );
}
