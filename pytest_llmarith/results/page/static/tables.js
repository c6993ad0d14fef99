// Tables that are sorted by the buttons in their headers. A row without a number comes last, whichever the way; before
// these, where a percentage sorts, rows that lack cells of others.

const sortValue = (row, { cellIndex, dataset }) => {
  const told = row.cells[cellIndex].dataset.sort ?? "";
  if (dataset.sorts !== "number") return told;
  return told === "" ? null : Number(told);
};

const compared = (one, other) => (typeof one === "number" ? one - other : one.localeCompare(other, "en", { numeric: true }));

// Names begin with the first, numbers with the largest; pressed again it is the other way round.
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

for (const table of document.querySelectorAll("table.sortable")) {
  for (const header of table.querySelectorAll("th[data-sorts]")) {
    const button = element("button", { type: "button" }, ...header.childNodes);
    header.replaceChildren(button);
    button.addEventListener("click", () => sortBy(table, header));
  }
}
