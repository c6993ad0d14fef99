"""Closed meanders with 2n crossings, swept along the road; cut curves pair up like
brackets.
"""

Picture = tuple[str, str]


def crossings(above: str, below: str) -> list[Picture]:
    """All ways to go on over one crossing: the curves above and below the road, the
    nearest ones at the road.
    """
    pictures = [(above + "(", ")" + below)]
    if above:
        pictures.append((above[:-1], above[-1] + below))
    if below:
        pictures.append((above + below[0], below[1:]))
    if above and below and (above[-1], below[0]) != ("(", ")"):
        pictures.append(joined(above, below))
    return pictures


def joined(above: str, below: str) -> Picture:
    """The nearest ends are joined to each other, so that their partners become
    partners.
    """
    ends = above[-1] + below[0]
    above, below = above[:-1], below[1:]
    if ends == "((":
        at = partner(below, "(", ")")
        below = below[:at] + "(" + below[at + 1 :]
    elif ends == "))":
        at = len(above) - 1 - partner(above[::-1], ")", "(")
        above = above[:at] + ")" + above[at + 1 :]
    return above, below


def partner(text: str, opening: str, closing: str) -> int:
    """Where the bracket closes that was opened just before the text."""
    depth = 1
    for at, bracket in enumerate(text):
        depth += (bracket == opening) - (bracket == closing)
        if depth == 0:
            return at


def meanders(n: int) -> int:
    pictures: dict[Picture, int] = {("", ""): 1}
    for left in range(2 * n - 1, 0, -1):
        after: dict[Picture, int] = {}
        for picture, ways in pictures.items():
            for above, below in crossings(*picture):
                if 0 < len(above + below) <= 2 * left:
                    after[above, below] = after.get((above, below), 0) + ways
        pictures = after
    return pictures["(", ")"] if n else 1


print(meanders(int(input())))
