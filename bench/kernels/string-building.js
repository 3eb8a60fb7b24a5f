export function main() {
  let text = "";
  for (let i = 0; i < 50000; i++) {
    text += `item ${i}, `;
  }
  return text.length;
}
