/**
 * What the page does in a browser: the list of trials with filter, sort and pages, and a trial with its conversation. It
 * only ever sets text (`textContent`), so nothing of a trial is taken for markup. It holds no `</`.
 */
export const pageScript = `
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const packed = JSON.parse(document.getElementById("conversations").textContent);
  const byId = (id) => document.getElementById(id);
  const el = (tag, text, className) => {
    const node = document.createElement(tag);
    if (text !== undefined && text !== null) node.textContent = text;
    if (className) node.className = className;
    return node;
  };
  const states = data.states;
  const trials = [];
  data.tasks.forEach((task) => {
    for (const row of task.rows) {
      trials.push({
        task, row,
        sample: task.samples[row[0]], variant: task.variants[row[1]], epoch: row[2], state: states[row[3]],
        success: row[4], cost: row[5], turns: row[6], ms: row[7], blame: row[8], error: row[9], limit: row[10],
        faults: row[11], scores: row[12], key: row[13], input: row[14], output: row[15],
      });
    }
  });
  const outcomeOf = (t) => t.state !== "done" ? t.state : t.success === null ? "unscored" : t.success === 1 ? "success" : "failure";
  // What went wrong stands first; within that the planned order.
  const rank = { failure: 0, errored: 1, unscored: 2 };
  trials.sort((a, b) => (rank[outcomeOf(a)] ?? 3) - (rank[outcomeOf(b)] ?? 3));
  const columns = [
    ["task", (t) => t.task.name, "name"], ["variant", (t) => t.variant, "name"], ["sample", (t) => t.sample, "name"],
    ["epoch", (t) => t.epoch, "number"], ["outcome", outcomeOf], ["blame", (t) => t.blame ?? ""],
    ["$", (t) => t.cost, "number"], ["turns", (t) => t.turns, "number"],
    ["seconds", (t) => Math.round(t.ms / 100) / 10, "number"], ["why", whyOf, "why"],
  ];
  function whyOf(t) {
    if (t.error) return t.error;
    const failed = t.scores.find((s) => s[1] === 0 && s[2]);
    return failed ? failed[2] : t.limit ?? "";
  }
  const pageSize = 100;
  let shown = trials, page = 0, sortBy = -1, descending = false;

  const head = byId("trial-head");
  columns.forEach(([name, , kind], at) => {
    const cell = el("th", undefined, kind), button = el("button", name);
    cell.scope = "col";
    button.type = "button";
    button.addEventListener("click", () => {
      descending = sortBy === at && !descending;
      sortBy = at;
      update();
    });
    cell.append(button);
    head.append(cell);
  });

  for (const name of new Set(trials.map((t) => t.task.name))) byId("filter-task").append(el("option", name));
  for (const name of new Set(trials.map((t) => t.variant))) byId("filter-variant").append(el("option", name));
  for (const name of new Set(trials.map(outcomeOf))) byId("filter-outcome").append(el("option", name));

  function update() {
    const text = byId("filter-text").value.toLowerCase();
    const [task, variant, outcome] = ["filter-task", "filter-variant", "filter-outcome"].map((id) => byId(id).selectedIndex === 0 ? null : byId(id).value);
    shown = trials.filter((t) =>
      (task === null || t.task.name === task) && (variant === null || t.variant === variant) &&
      (outcome === null || outcomeOf(t) === outcome) &&
      (text === "" || (t.sample + " " + whyOf(t) + " " + (t.faults ?? "")).toLowerCase().includes(text)));
    if (sortBy >= 0) {
      const value = columns[sortBy][1];
      shown = [...shown].sort((x, y) => {
        const [a, b] = [value(x), value(y)];
        const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
        return descending ? -order : order;
      });
    }
    [...head.children].forEach((cell, at) => cell.setAttribute("aria-sort", at !== sortBy ? "none" : descending ? "descending" : "ascending"));
    page = 0;
    draw();
  }

  function draw() {
    const body = byId("trial-rows");
    const from = page * pageSize;
    body.replaceChildren(...shown.slice(from, from + pageSize).map((t) => {
      const row = el("tr");
      row.tabIndex = 0;
      for (const [name, value, kind] of columns) {
        const text = value(t);
        const cell = el("td", text === null || text === undefined ? "" : String(text).slice(0, 200), kind);
        if (kind === "name") cell.title = cell.textContent;
        if (kind === "number") cell.dataset.name = name;
        row.append(cell);
      }
      row.addEventListener("click", () => open(t));
      row.addEventListener("keydown", (event) => {
        if (event.key === "Enter") { open(t); event.preventDefault(); }
        const next = event.key === "ArrowDown" ? row.nextElementSibling : event.key === "ArrowUp" ? row.previousElementSibling : null;
        if (next) { next.focus(); event.preventDefault(); }
      });
      return row;
    }));
    const pages = Math.max(1, Math.ceil(shown.length / pageSize));
    byId("count").textContent = shown.length + " of " + trials.length + " trials, page " + (page + 1) + " of " + pages;
    byId("before").disabled = page === 0;
    byId("after").disabled = page + 1 >= pages;
  }

  const line = (parent, name, value) => {
    if (value === null || value === undefined || value === "") return;
    const p = el("p");
    p.append(el("b", name + ": "), document.createTextNode(String(value)));
    parent.append(p);
  };
  const long = 20000;
  function textBlock(text) {
    const box = el("div"), pre = el("pre", text.slice(0, long));
    box.append(pre);
    if (text.length > long) {
      const more = el("button", "all " + text.length + " characters");
      more.type = "button";
      more.addEventListener("click", () => { pre.textContent = text; more.remove(); });
      box.append(more);
    }
    return box;
  }

  // As src/eval/plan/trial-key.ts encodes parts of addresses.
  const part = (text) => text.replace(/[/:.~%\\s]/g, (char) =>
    char.charCodeAt(0) < 128 ? "%" + char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0") : encodeURIComponent(char));
  const addressOf = (t) => data.set + ":" + part(t.task.name) + "/" + part(t.variant) + "/" + part(t.sample) + "." + t.epoch;
  const yes = (pass) => pass === null ? "unscored" : pass === 1 ? "yes" : "no";

  let opened = 0, at = -1;
  function step(by) {
    const next = shown[at + by];
    if (next) open(next);
  }
  async function open(t) {
    const mine = ++opened;
    at = shown.indexOf(t);
    byId("previous").disabled = at <= 0;
    byId("next").disabled = at < 0 || at + 1 >= shown.length;
    byId("place").textContent = at < 0 ? "" : at + 1 + " of " + shown.length;
    const box = byId("trial-body");
    box.replaceChildren(el("h2", t.task.name + "/" + t.variant + "/" + t.sample + "." + t.epoch));
    line(box, "outcome", outcomeOf(t));
    line(box, "error", t.error);
    line(box, "blame", t.blame);
    line(box, "limit", t.limit);
    line(box, "faults of the user", t.faults);
    line(box, "used", t.turns + (t.turns === 1 ? " turn, " : " turns, ") + t.ms / 1000 + " s" + (t.cost === null ? "" : ", $" + t.cost));
    line(box, "tokens", t.input + " in, " + t.output + " out");
    if (data.set !== null && t.state !== "pending" && t.state !== "skipped") {
      const trace = el("p");
      trace.append(el("b", "trace: "), el("code", "harn trace '" + addressOf(t).replace(/'/g, "'\\\\''") + "'"));
      box.append(trace);
    }
    const table = el("table"), header = el("tr");
    for (const name of ["scorer", "value", "passes", "why"]) header.append(el("th", name));
    table.append(header);
    const scoreRow = (name, value, pass, why, kind) => {
      const row = el("tr", undefined, kind), reason = el("td");
      row.append(el("td", name), el("td", value), el("td", yes(pass)));
      if (why) reason.append(textBlock(why));
      row.append(reason);
      table.append(row);
    };
    t.scores.forEach((score, index) => {
      const draws = score[3] ?? [];
      scoreRow(t.task.scorers[index], score[0], score[1], draws.length ? null : score[2]);
      for (const [draw, value, pass, label, why] of draws)
        scoreRow("draw " + draw, label ?? value, pass, why, "draws");
    });
    box.append(table);
    if (!byId("trial").open) byId("trial").showModal();
    byId("trial").scrollTop = 0;
    if (t.key === null) return;
    if (typeof t.key === "string") {
      const link = el("a", "conversation");
      link.href = t.key;
      box.append(link);
      return;
    }
    const messages = JSON.parse(await unpacked(packed[t.key]));
    if (mine !== opened) return;
    for (const [role, name, text] of messages) {
      const message = el("div", undefined, "message " + (["user", "tool", "system"].includes(role) ? role : "other"));
      message.append(el("b", name === null ? role : role + " " + name), textBlock(text));
      box.append(message);
    }
  }

  async function unpacked(base64) {
    const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
    return await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }

  byId("previous").addEventListener("click", () => step(-1));
  byId("next").addEventListener("click", () => step(1));
  byId("trial").addEventListener("keydown", (event) => {
    if (event.key === "j") step(1);
    if (event.key === "k") step(-1);
  });
  byId("close").addEventListener("click", () => byId("trial").close());
  for (const id of ["filter-task", "filter-variant", "filter-outcome"]) byId(id).addEventListener("change", update);
  byId("filter-text").addEventListener("input", update);
  byId("before").addEventListener("click", () => { page--; draw(); });
  byId("after").addEventListener("click", () => { page++; draw(); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && event.target === document.body) { byId("filter-text").focus(); event.preventDefault(); }
  });
  update();
  document.documentElement.dataset.ready = "yes";
})();
`;
