"""Free polyominoes of n cells, grown cell by cell."""

Cells = tuple[tuple[int, int], ...]


def shifted(cells: list[tuple[int, int]]) -> Cells:
    left, low = min(x for x, _ in cells), min(y for _, y in cells)
    return tuple(sorted((x - left, y - low) for x, y in cells))


def normal(cells: Cells) -> Cells:
    """The least of the eight positions of a shape."""
    positions = []
    turned = list(cells)
    for _ in range(4):
        turned = [(y, -x) for x, y in turned]
        positions += [shifted(turned), shifted([(-x, y) for x, y in turned])]
    return min(positions)


def polyominoes(n: int) -> int:
    shapes: set[Cells] = {()} if n == 0 else {((0, 0),)}
    for _ in range(n - 1):
        shapes = {
            normal((*cells, cell))
            for cells in shapes
            for cell in {
                (x + dx, y + dy)
                for x, y in cells
                for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))
            }
            if cell not in cells
        }
    return len(shapes)


print(polyominoes(int(input())))
