import { isLow, label } from "./items.js";

const list = document.querySelector("#items");

async function load() {
  const answer = await fetch("/items.json");
  if (!answer.ok) throw new Error(`items.json: ${answer.status}`);
  return answer.json();
}

function draw(items) {
  list.replaceChildren(
    ...items.map((item) => {
      const row = document.createElement("li");
      row.className = isLow(item) ? "low" : "";
      row.textContent = label(item);
      return row;
    }),
  );
}

draw(await load());
