// Tables that are sorted by the buttons in their headers. A row without a number comes last, whichever the way.

const sortValue = (row, column, kind) => {
  const told = row.cells[column].dataset.sort ?? "";
  return kind === "number" ? (told === "" ? null : Number(told)) : told;
};

const compared = (one, other) => {
  if (one === null || other === null) return 0;
  return typeof one === "number" ? one - other : one.localeCompare(other, "en", { numeric: true });
};

const sortBy = (table, header) => {
  const descending = header.getAttribute("aria-sort") !== "descending" && (header.dataset.sorts === "number" || header.ariaSort === "ascending");
  const column = header.cellIndex;
  const rows = [...table.tBodies[0].rows].map((row) => [sortValue(row, column, header.dataset.sorts), row]);
  const known = rows.filter(([value]) => value !== null).sort(([one], [other]) => (descending ? compared(other, one) : compared(one, other)));
  table.tBodies[0].append(...[...known, ...rows.filter(([value]) => value === null)].map(([, row]) => row));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", descending ? "descending" : "ascending");
};

for (const table of document.querySelectorAll("table.sortable")) {
  for (const header of table.querySelectorAll("th[data-sorts]")) {
    const button = element("button", { type: "button" }, ...header.childNodes);
    header.replaceChildren(button);
    button.addEventListener("click", () => sortBy(table, header));
  }
}
