"""Fixed polyiamonds of n triangles; a triangle is (x, y, 0) if it points up and (x, y,
1) if it points down.
"""

Cell = tuple[int, int, int]


def neighbours(cell: Cell) -> list[Cell]:
    x, y, down = cell
    side = 1 if down else -1
    return [(x, y, 1 - down), (x + side, y, 1 - down), (x, y + side, 1 - down)]


def shifted(cells: frozenset[Cell]) -> frozenset[Cell]:
    left, low = min(x for x, _, _ in cells), min(y for _, y, _ in cells)
    return frozenset((x - left, y - low, down) for x, y, down in cells)


shapes = {frozenset({(0, 0, 0)}), frozenset({(0, 0, 1)})}
for _ in range(int(input()) - 1):
    shapes = {
        shifted(cells | {cell})
        for cells in shapes
        for one in cells
        for cell in neighbours(one)
        if cell not in cells
    }
print(len(shapes))
