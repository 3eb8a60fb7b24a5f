export function main() {
  let hits = 0;
  let i = 0;
  while (i < 100000) {
    if ((i > 500 && i <= 90000) || i === 7) {
      hits = hits + 1;
    }
    if (i !== hits) {
      hits = hits + 1;
    }
    i = i + 1;
  }
  return hits;
}
