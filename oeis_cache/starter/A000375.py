"""The longest game of topswops with n cards; a card gets its number when it first comes
to the top.
"""


def longest(deck: list[int], unused: set[int]) -> int:
    top = deck[0]
    if top == 1:
        return 0
    if top:
        return 1 + longest(deck[top - 1 :: -1] + deck[top:], unused)
    return max(
        (longest([card, *deck[1:]], unused - {card}) for card in unused), default=0
    )


n = int(input())
print(longest([0] * n, set(range(1, n + 1))))
