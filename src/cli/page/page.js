"use strict";
// Tables sort by the column whose head is clicked: numbers by their value, words by the alphabet.
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.classList.contains("n") ? parseFloat(cell.dataset.v) : cell.textContent;
  };
  const compare = (a, b) => {
    if (typeof a === "string") return a.localeCompare(b);
    return (isNaN(a) - isNaN(b)) || a - b || 0;
  };
  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    const rows = [...body.rows].sort((a, b) => {
      const x = value(a, column), y = value(b, column);
      if (typeof x === "number" && (isNaN(x) || isNaN(y))) return compare(x, y); // absent ones last
      return down ? compare(y, x) : compare(x, y);
    });
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    body.append(...rows);
  }));
}
// Marks of pictures say what they are at once; without this script the browser shows their titles.
const tip = document.createElement("div");
tip.id = "tip";
document.body.append(tip);
for (const mark of document.querySelectorAll("svg .mark")) {
  const title = mark.querySelector("title"), words = title.textContent;
  title.remove();
  mark.setAttribute("aria-label", words);
  mark.addEventListener("mousemove", (event) => {
    tip.textContent = words;
    tip.style.display = "block";
    const x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
    const y = event.clientY + 18 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : event.clientY + 18;
    tip.style.left = Math.max(4, x) + "px";
    tip.style.top = y + "px";
  });
  mark.addEventListener("mouseleave", () => { tip.style.display = "none"; });
}
