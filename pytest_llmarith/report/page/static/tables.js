// Tables that are sorted by the buttons in their headers. Rows without a number come last in both directions; sorted by a
// percentage, rows that lack cells of others come before these.

const sortValue = (row, { cellIndex, dataset }) => {
  const told = row.cells[cellIndex].dataset.sort ?? "";
  if (dataset.sorts !== "number") return told;
  return told === "" ? null : Number(told);
};

const compared = (one, other) => (typeof one === "number" ? one - other : one.localeCompare(other, "en", { numeric: true }));

// Names are sorted ascending, numbers descending; a second click reverses the order.
const sortBy = (table, header) => {
  const before = header.getAttribute("aria-sort");
  const descending = before ? before === "ascending" : header.dataset.sorts === "number";
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => [sortValue(row, header), row]);
  const known = rows.filter(([value]) => value !== null).sort(([one], [other]) => (descending ? compared(other, one) : compared(one, other)));
  const unknown = rows.filter(([value]) => value === null);
  const isLast = ([, row]) => "ranks" in header.dataset && "missing" in row.dataset;
  body.append(...[...known.filter((row) => !isLast(row)), ...known.filter(isLast), ...unknown].map(([, row]) => row));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", descending ? "descending" : "ascending");
};

// The search for models: hides what belongs to other models, in all parts.
const find = document.getElementById("find-model");
if (find) {
  find.closest("p").hidden = false;
  find.addEventListener("input", () => {
    const wanted = find.value.trim().toLowerCase();
    const isFound = (name) => name.toLowerCase().includes(wanted);
    const named = [...document.querySelectorAll("[data-model]")];
    for (const one of named) one.hidden = !isFound(one.dataset.model);
    const names = [...new Set(named.map((one) => one.dataset.model))];
    document.getElementById("found-models").textContent = wanted ? `${count(names.filter(isFound).length)} of ${count(names.length)} models` : "";
  });
}

for (const table of document.querySelectorAll("table.sortable")) {
  for (const header of table.querySelectorAll("th[data-sorts]")) {
    const button = element("button", { type: "button" }, ...header.childNodes);
    header.replaceChildren(button);
    button.addEventListener("click", () => sortBy(table, header));
  }
}

// Only tables that scroll are stops of the tab key; they fade where they go on.
const fade = (one) => one.classList.toggle("more", one.scrollWidth - one.clientWidth - one.scrollLeft > 1);
const updateStops = () => {
  for (const one of document.querySelectorAll(".wide")) {
    one.tabIndex = one.scrollWidth > one.clientWidth ? 0 : -1;
    fade(one);
  }
};
updateStops();
document.addEventListener("scroll", (event) => { if (event.target.matches?.(".wide")) fade(event.target); }, true);
addEventListener("resize", updateStops);
document.addEventListener("toggle", updateStops, true);
