/** How a Word document looks: its styles are there to be changed by whoever opens it. */
import type { IPropertiesOptions } from "docx";

export const codeFont = "Courier New";

const plain = { basedOn: "Normal", next: "Normal", quickFormat: true } as const;

export const docxStyles: NonNullable<IPropertiesOptions["styles"]> = {
  default: {
    document: {
      run: { font: "Times New Roman", size: 22 },
      paragraph: { spacing: { after: 120, line: 276 } },
    },
    title: { run: { size: 40, bold: true }, paragraph: { spacing: { after: 240 } } },
  },
  paragraphStyles: [
    { id: "Authors", name: "Authors", ...plain, run: { italics: true } },
    { id: "Abstract", name: "Abstract", ...plain, paragraph: { indent: { left: 567, right: 567 } } },
    { id: "Quotation", name: "Quotation", ...plain, run: { italics: true } },
    { id: "CodeBlock", name: "Code Block", ...plain, run: { font: codeFont, size: 18 } },
    { id: "Figure", name: "Figure", ...plain, paragraph: { alignment: "center" } },
    {
      id: "FigureText",
      name: "Figure Text",
      ...plain,
      run: { size: 20 },
      paragraph: { alignment: "center" },
    },
    { id: "Reference", name: "Reference", ...plain, paragraph: { indent: { left: 567, hanging: 567 } } },
  ],
};
