"use strict";

const make = (name, attributes = {}, ...children) => {
  const svg = ["svg", "line", "circle", "text"].includes(name);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

// Sorting: a press on a heading sorts its table, a second one turns it round. What has no value is last.
const keyOf = (row, column) => {
  const cell = row.cells[column];
  return cell.dataset.value !== undefined ? Number(cell.dataset.value)
    : cell.classList.contains("number") ? NaN : cell.textContent.trim();
};
const compare = (a, b) =>
  typeof a === "number" && typeof b === "number" ? (a === b ? 0 : a - b)
    : String(a).localeCompare(String(b), "en", { numeric: true });

function sort(heading, ascending) {
  const table = heading.closest("table");
  const column = heading.cellIndex;
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
    const heading = event.target.closest("button")?.closest("th");
    if (!heading) return;
    sort(heading, heading.getAttribute("aria-sort") !== "ascending");
    table.dispatchEvent(new Event("sorted", { bubbles: true }));
  });

// The address is #place?selection: where the reader is, and what the table of scores shows.
const address = () => {
  const [place, ...rest] = location.hash.slice(1).split("?");
  return [decodeURIComponent(place), rest.join("?")];
};
function keep(selection) {
  const [place, old] = address();
  if (selection === old) return;
  const hash = place || selection ? `#${place}${selection ? `?${selection}` : ""}` : "";
  history.replaceState(null, "", hash || location.pathname + location.search);
}

// Ranks of some losses, 1 for the lowest; equal ones share their mean rank.
const ranks = (losses) => losses.map((mine) =>
  losses.filter((other) => other < mine).length
    + (losses.filter((other) => other === mine).length + 1) / 2);

const lossOf = (cell) => Number(cell.dataset.loss ?? cell.dataset.value ?? NaN);

// The lowest loss among the columns that are shown is bold. A star stays only while no method is
// shown that its test did not cover. The last row has the mean ranks over the rows that are shown.
function rank(table) {
  const shown = [...table.tHead.rows[0].cells].filter(
    (th) => th.dataset.method !== undefined && !th.hidden && th.dataset.reference === undefined);
  const covered = shown.every((th) => th.dataset.rival !== undefined);
  const sums = shown.map(() => 0);
  let count = 0;
  for (const row of table.tBodies[0].rows) {
    const cells = shown.map((th) => row.cells[th.cellIndex]);
    const losses = cells.map(lossOf);
    const lowest = Math.min(...losses.filter(Number.isFinite));
    for (const cell of row.querySelectorAll("td.number")) {
      const place = cells.indexOf(cell);
      const best = place >= 0 && losses[place] === lowest;
      cell.classList.toggle("best", best);
      cell.classList.toggle("alone", best && covered && cell.dataset.alone !== undefined);
    }
    if (row.hidden || losses.length === 0 || losses.some(Number.isNaN)) continue;
    count += 1;
    ranks(losses).forEach((value, place) => { sums[place] += value; });
  }
  const foot = table.tFoot.rows[0];
  foot.cells[0].textContent = `Mean rank (${count} dataset${count === 1 ? "" : "s"})`;
  for (const cell of foot.querySelectorAll("td.number")) {
    const place = shown.findIndex((th) => th.cellIndex === cell.cellIndex);
    cell.textContent = place < 0 || count === 0 ? "–" : (sums[place] / count).toFixed(2);
  }
}

// The explorer: one score at a time; rows by name and category, columns by method.
for (const explorer of document.querySelectorAll(".explorer")) {
  const find = (selector) => explorer.querySelector(selector);
  const tables = [...explorer.querySelectorAll("table")];
  const boxes = [...explorer.querySelectorAll("input.method")];
  const picks = [...explorer.querySelectorAll("input.picked")];
  const menus = { metric: find(".metric"), category: find(".category") };
  const names = (some) => some.map((box) => box.value).join(",");
  const usual = { metric: menus.metric.value, category: "", text: "", without: "", beside: true,
    sort: "", methods: names(boxes.filter((box) => box.defaultChecked)) };
  let order = "";

  const current = () => tables.find((table) => table.dataset.metric === menus.metric.value);
  const state = () => ({
    metric: menus.metric.value, category: menus.category.value, text: find(".text").value,
    beside: find(".beside").checked, sort: order,
    without: names(picks.filter((box) => !box.checked)),
    methods: names(boxes.filter((box) => box.checked)),
  });
  const remember = () => {
    const changed = Object.entries(state()).filter(([key, value]) => value !== usual[key]);
    keep(new URLSearchParams(changed).toString());
  };
  const restore = () => {
    const wanted = { ...usual, ...Object.fromEntries(new URLSearchParams(address()[1])) };
    for (const [key, menu] of Object.entries(menus)) {
      menu.value = wanted[key];
      if (menu.selectedIndex < 0) menu.value = usual[key];
    }
    find(".text").value = wanted.text;
    find(".beside").checked = String(wanted.beside) === "true";
    const methods = wanted.methods.split(",");
    for (const box of boxes) box.checked = methods.includes(box.value);
    const without = wanted.without.split(",");
    for (const box of picks) box.checked = !without.includes(box.value);
    if (wanted.without) find(".choice").open = true;
    order = wanted.sort;
  };
  const arrange = (table) => {
    const [column, way] = order.split(":");
    const heading = way && table.tHead.rows[0].cells[Number(column)];
    const wanted = way === "down" ? "descending" : "ascending";
    if (heading && heading.getAttribute("aria-sort") !== wanted)
      sort(heading, wanted === "ascending");
  };
  const update = () => {
    const words = find(".text").value.toLowerCase().split(",").map((word) => word.trim());
    const wanted = words.filter((word) => word !== "");
    const category = menus.category.value;
    const ticked = (some) => new Set(some.filter((box) => box.checked).map((box) => box.value));
    const [methods, picked] = [ticked(boxes), ticked(picks)];
    for (const table of tables) table.parentElement.hidden = table !== current();
    const table = current();
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const text = row.dataset.text.toLowerCase();
      row.hidden = !((wanted.length === 0 || wanted.some((word) => text.includes(word)))
        && (category === "" || row.dataset.category === category)
        && picked.has(row.dataset.dataset));
      if (!row.hidden) shown += 1;
    }
    for (const cell of table.querySelectorAll("[data-method]"))
      cell.hidden = !methods.has(cell.dataset.method);
    find(".count").textContent = `${shown} of ${table.tBodies[0].rows.length} datasets`;
    explorer.classList.toggle("unpublished", !find(".beside").checked);
    arrange(table);
    rank(table);
  };
  if (tables.length) {
    explorer.addEventListener("input", () => { update(); remember(); });
    explorer.addEventListener("sorted", (event) => {
      const heading = event.target.querySelector("thead th:not([aria-sort=none])");
      const way = heading.getAttribute("aria-sort") === "descending" ? "down" : "up";
      order = `${heading.cellIndex}:${way}`;
      remember();
    });
    addEventListener("hashchange", () => {
      if (address()[1]) { restore(); update(); } else remember();
    });
    restore();
    update();
  }
}

// What is behind a cell: its seeds, tuned values, settings, files and the command that makes them.
const stored = document.getElementById("details");
const known = stored ? JSON.parse(stored.content.textContent) : { cells: {} };
const behind = document.getElementById("behind");
const fill = (template, place) =>
  template.replace(/\{(\w+)\}/g, (whole, key) => place[key] ?? whole);
const quoted = (word) =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
const short = (value) => {
  if (value === null || value === undefined) return "–";
  return String(Number(Number(value).toPrecision(4))).replace("-", "−");
};

function points(values, [middle, low, high], title) {
  const finite = values.filter((value) => value !== null);
  const all = [...finite, middle, low, high].filter((value) => value !== null);
  if (all.length === 0) return "";
  const wide = Math.max(...all.map(Math.abs)) > 30 * Math.max(1, Math.abs(middle ?? 1));
  const bend = (v) => (wide && Math.abs(v) > 1 ? Math.sign(v) * (1 + Math.log10(Math.abs(v))) : v);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const span = bend(most) - bend(least) || 1;
  const x = (v) => (20 + 360 * (bend(v) - bend(least)) / span).toFixed(1);
  const parts = [make("line", { x1: 20, x2: 380, y1: 34, y2: 34, class: "grid" })];
  if (low !== null && high !== null)
    parts.push(make("line", { x1: x(low), x2: x(high), y1: 34, y2: 34, class: "range" }));
  if (middle !== null)
    parts.push(make("line", { x1: x(middle), x2: x(middle), y1: 22, y2: 46, class: "middle" }));
  finite.forEach((value, k) =>
    parts.push(make("circle", { cx: x(value), cy: 29 + 5 * (k % 3), r: 4 })));
  parts.push(make("text", { x: 20, y: 62 }, short(least)));
  if (most > least)
    parts.push(make("text", { x: 380, y: 62, "text-anchor": "end" }, short(most)));
  if (wide) parts.push(make("text", { x: 200, y: 62, "text-anchor": "middle" }, "logarithmic beyond ± 1"));
  return make("svg", { viewBox: "0 0 400 68", class: "seeds", role: "img", "aria-label": title }, ...parts);
}

function seedTable(cell, metric) {
  const names = Object.keys(cell.tuned);
  const hashes = Object.keys(cell.hashes).filter((name) => cell.hashes[name].some(Boolean));
  const head = ["Seed", known.metrics[metric], ...names.map((name) => `Tuned: ${name}`),
    ...hashes.map((name) => `${name} (SHA-256)`)];
  const row = (seed, k) => make("tr", {},
    make("th", { scope: "row" }, String(seed)),
    make("td", { class: "number" },
      cell.status[k] === "ok" ? short(cell.scores[metric][k]) : cell.status[k]),
    ...names.map((name) => make("td", { class: "number" }, short(cell.tuned[name][k]))),
    ...hashes.map((name) => make("td", {}, make("code", {}, cell.hashes[name][k] || "–"))));
  return make("div", { class: "scroll", tabindex: "0" }, make("table", {},
    make("thead", {}, make("tr", {}, ...head.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...cell.seeds.map(row))));
}

function details(dataset, method, metric) {
  const cell = known.cells[dataset][method];
  const place = { experiment: cell.experiment, method, dataset };
  const seeds = `seed-{${cell.seeds.join(",")}}`;
  const all = (template) => fill(template, place).replace("seed-{seed}", seeds);
  const facts = Object.entries(known.files).map(([name, template]) => [name, all(template)]);
  const hash = known.hashes[dataset];
  if (hash) facts.push(["SHA-256 of the dataset's file", hash]);
  const target = fill(known.target, { ...place, seed: cell.seeds[0] });
  const settings = known.settings[cell.settings] ?? "";
  const title = `${known.methods[method]} on ${known.datasets[dataset]}: ${known.metrics[metric]}`;
  return [title,
    ...cell.words[metric].map((line) => make("p", {}, line)),
    points(cell.scores[metric], cell.summary[metric], `${title}, every seed`),
    make("p", { class: "muted" }, "Dots: one run each; line and bar: median and its 95 % interval."),
    seedTable(cell, metric),
    make("h4", {}, "Files"),
    make("dl", { class: "facts" }, ...facts.map(([name, path]) =>
      make("div", {}, make("dt", {}, name), make("dd", {}, make("code", {}, path))))),
    make("h4", {}, "Command"),
    make("p", {}, "Trains and scores these runs again where they are missing or out of date:"),
    make("pre", { tabindex: "0", class: "command" }, `snakemake --cores all ${quoted(target)}`),
    ...(settings ? [make("h4", {}, "Settings"), make("pre", { tabindex: "0" }, settings)] : []),
  ];
}
addEventListener("click", (event) => {
  const button = event.target.closest?.("button.cell");
  if (!button) return;
  const cell = button.closest("td");
  const metric = cell.dataset.metric ?? cell.closest("table").dataset.metric;
  const dataset = cell.dataset.dataset ?? cell.closest("tr").dataset.dataset;
  const [title, ...parts] = details(dataset, cell.dataset.method, metric);
  behind.querySelector("h3").textContent = title;
  behind.querySelector("div").replaceChildren(...parts);
  behind.showModal();
  behind.querySelector("div").scrollTop = 0;
});

// Figures in full size: as wide as the window, and well beyond what the page shows.
const large = document.getElementById("large");
for (const button of document.querySelectorAll(".enlarge"))
  button.addEventListener("click", () => {
    const image = button.querySelector("img");
    const copy = large.querySelector("img");
    copy.src = image.src;
    copy.alt = image.alt;
    large.querySelector("p").textContent = image.alt;
    large.showModal();
    copy.style.width = `${Math.max(copy.parentElement.clientWidth, 1.6 * image.clientWidth, 800)}px`;
  });
for (const dialog of [large, behind])
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });

// Downloads: a figure as it is, a table as it is shown, with its exact numbers.
for (const link of document.querySelectorAll("figure a[download]"))
  link.href = link.closest("figure").querySelector("img").src;
const field = (cell) => {
  const text = cell.dataset.value ?? cell.textContent.trim();
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
function save(table) {
  const lines = [...table.rows].filter((row) => !row.hidden).map((row) =>
    [...row.cells].filter((cell) => !cell.hidden).map(field).join(","));
  const content = new Blob([lines.join("\n"), "\n"], { type: "text/csv" });
  const link = make("a", { href: URL.createObjectURL(content),
    download: `${table.dataset.metric ?? table.closest("[id]").id}.csv` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
for (const frame of document.querySelectorAll(".scroll")) {
  if (frame.nextElementSibling?.classList.contains("downloads")) continue;
  const button = make("button", { type: "button" }, "Download CSV");
  button.addEventListener("click", () => save(frame.querySelector("table")));
  frame.after(make("p", { class: "downloads" }, button));
}

// A link to something folded unfolds it; the browser cannot go to a place before a "?" by itself.
function unfold() {
  const [place, selection] = address();
  const target = place && document.getElementById(place);
  if (!target) return;
  const folded = target.closest("details");
  if (folded) folded.open = true;
  if (folded || selection) target.scrollIntoView();
}
addEventListener("hashchange", unfold);
unfold();

// Paper has nothing to unfold or to scroll to: everything is open while it is printed.
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  for (const part of folded) part.open = true;
  for (const image of document.querySelectorAll("img[loading]")) image.loading = "eager";
});
addEventListener("afterprint", () => {
  for (const part of folded) part.open = false;
});

// Light or dark: as the system has it, until the button is pressed; from then on as it was left.
const theme = document.getElementById("theme");
const root = document.documentElement;
const isDark = () => root.dataset.theme === "dark"
  || (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
const show = () => theme.setAttribute("aria-pressed", String(isDark()));
try {
  const left = localStorage.getItem("rafs-theme");
  if (left === "light" || left === "dark") root.dataset.theme = left;
} catch { /* a browser may refuse to keep anything */ }
theme.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  try { localStorage.setItem("rafs-theme", root.dataset.theme); } catch { /* as above */ }
  show();
});
show();
