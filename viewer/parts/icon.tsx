/** Signs of 16 by 16, drawn as strokes in the colour of the text. Each stands beside a word that says the same. */
const paths = {
  ok: "M3 8.5l3.2 3.2L13 4.8",
  error: "M4 4l8 8M12 4l-8 8",
  rejected: "M3.8 3.8l8.4 8.4M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2",
  interrupted: "M4.5 4.5h7v7h-7z",
  running: "M8 2.2a5.8 5.8 0 1 0 5.8 5.8",
  queued: "M8 4.5V8l2.4 1.6M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2",
  question: "M5.8 6a2.2 2.2 0 1 1 3.2 2c-.7.4-1 .8-1 1.6M8 12.2v.1",
  shut: "M6 3.5L10.5 8 6 12.5",
  open: "M3.5 6L8 10.5 12.5 6",
  person: "M8 8a2.6 2.6 0 1 0 0-5.2A2.6 2.6 0 0 0 8 8M3 13.4c.6-2.4 2.5-3.6 5-3.6s4.4 1.2 5 3.6",
  agent: "M3.5 6h9v6.5h-9zM8 6V3.2M6 9v.6M10 9v.6",
  thought: "M3 8h1M7.5 8h1M12 8h1",
  compaction: "M4 2.5L8 6l4-3.5M4 13.5L8 10l4 3.5M3 8h10",
  mode: "M3 5h7M12 5h1M3 11h1M6 11h7M10.5 3.2v3.6M4.8 9.2v3.6",
  file: "M4 2h5.2L12 4.8V14H4zM9 2v3h3",
  paper: "M3.5 2.5h9v11h-9zM6 5.5h4M6 8h4M6 10.5h2.4",
  plan: "M3 4h1M6 4h7M3 8h1M6 8h7M3 12h1M6 12h7",
  warning: "M8 2.6L14 13H2zM8 6.4v3M8 11.2v.1",
  retry: "M13 3.5v3.4H9.6M12.6 6.6A5.2 5.2 0 1 0 13 9",
  doom: "M4 5.2h6.4a2.8 2.8 0 0 1 0 5.6H4M6.2 3L4 5.2l2.2 2.2M6.2 8.6L4 10.8 6.2 13",
  decision: "M8 2.5v4M8 6.5L4 10v3.5M8 6.5l4 3.5v3.5",
  stop: "M4.2 4.2h7.6v7.6H4.2z",
  send: "M2.8 8h10M8.8 4l4 4-4 4",
  fork: "M4.5 2.5v3.8c0 1.6 1.2 2.2 2.8 2.2h1.4c1.6 0 2.8.6 2.8 2.2v2.8M4.5 6v7.5M10 12l1.5 1.5L13 12",
  search: "M7 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8M10 10l3.4 3.4",
  plus: "M8 3.2v9.6M3.2 8h9.6",
  gear: "M8 5.8a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4M8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6L5 5M11 11l1.4 1.4M12.4 3.6L11 5M5 11l-1.4 1.4",
  left: "M10 3.5L5.5 8l4.5 4.5",
  end: "M8 3v9M4.2 8.4L8 12.2l3.8-3.8",
} as const;

export type IconName = keyof typeof paths;

export const Icon = ({ name, spin = false }: { readonly name: IconName; readonly spin?: boolean }) => (
  <svg class={spin ? "icon spin" : "icon"} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);
