"use strict";

// Sorting: a press on a heading sorts its table, a second one turns it round. What has no value is last.
const keyOf = (row, column) => {
  const cell = row.cells[column];
  return cell.dataset.value !== undefined ? Number(cell.dataset.value)
    : cell.classList.contains("number") ? NaN : cell.textContent.trim();
};
const compare = (a, b) =>
  typeof a === "number" && typeof b === "number" ? a - b
    : String(a).localeCompare(String(b), "en", { numeric: true });

function sort(heading) {
  const table = heading.closest("table");
  const column = heading.cellIndex;
  const ascending = heading.getAttribute("aria-sort") !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
  heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const rows = [...table.tBodies[0].rows].map((row) => [keyOf(row, column), row]);
  const known = rows.filter(([key]) => !Number.isNaN(key));
  const unknown = rows.filter(([key]) => Number.isNaN(key));
  known.sort(([a], [b]) => (ascending ? compare(a, b) : compare(b, a)));
  table.tBodies[0].append(...[...known, ...unknown].map(([, row]) => row));
}
for (const table of document.querySelectorAll("table.sortable"))
  table.tHead.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) sort(button.closest("th"));
  });

// The explorer: one score at a time; rows by name and category, columns by method.
for (const explorer of document.querySelectorAll(".explorer")) {
  const find = (selector) => explorer.querySelector(selector);
  const tables = [...explorer.querySelectorAll("table")];
  const update = () => {
    const text = find(".text").value.trim().toLowerCase();
    const category = find(".category").value;
    const methods = new Set(
      [...explorer.querySelectorAll("input.method:checked")].map((box) => box.value));
    for (const table of tables) {
      const current = table.dataset.metric === find(".metric").value;
      table.parentElement.hidden = !current;
      let shown = 0;
      for (const row of table.tBodies[0].rows) {
        row.hidden = !(row.dataset.text.toLowerCase().includes(text)
          && (category === "" || row.dataset.category === category));
        if (!row.hidden) shown += 1;
      }
      for (const cell of table.querySelectorAll("[data-method]"))
        cell.hidden = !methods.has(cell.dataset.method);
      if (current)
        find(".count").textContent = `${shown} of ${table.tBodies[0].rows.length} datasets`;
    }
    explorer.classList.toggle("unpublished", !find(".beside").checked);
  };
  explorer.addEventListener("input", update);
  update();
}

// Figures in full size.
const large = document.getElementById("large");
for (const button of document.querySelectorAll(".enlarge"))
  button.addEventListener("click", () => {
    const image = button.querySelector("img");
    large.querySelector("img").src = image.src;
    large.querySelector("img").alt = image.alt;
    large.querySelector("p").textContent = image.alt;
    large.showModal();
  });
large.addEventListener("click", (event) => {
  if (event.target === large) large.close();
});

// A link to something folded unfolds it.
function unfold() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const details = target && target.closest("details");
  if (details) {
    details.open = true;
    details.scrollIntoView();
  }
}
addEventListener("hashchange", unfold);
unfold();

// Light or dark: as the system has it, until the button is pressed.
const theme = document.getElementById("theme");
const root = document.documentElement;
const isDark = () => root.dataset.theme === "dark"
  || (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
const show = () => theme.setAttribute("aria-pressed", String(isDark()));
theme.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  show();
});
show();
