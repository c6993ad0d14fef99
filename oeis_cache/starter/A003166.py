"""The n-th integer whose square is a binary palindrome."""

from itertools import chain, count, islice


def is_palindrome(bits: str) -> bool:
    return bits == bits[::-1]


# A palindrome but 0 ends with 1, as it begins.
candidates = chain([0], count(1, 2))
print(
    next(
        islice(
            (k for k in candidates if is_palindrome(f"{k * k:b}")),
            int(input()) - 1,
            None,
        )
    )
)
