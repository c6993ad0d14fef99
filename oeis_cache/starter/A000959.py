"""The n-th lucky number."""


def lucky(n: int) -> int:
    limit = 2 * n + 2
    while True:
        numbers = list(range(1, limit, 2))
        place = 1
        while place < len(numbers) and numbers[place] <= len(numbers):
            del numbers[numbers[place] - 1 :: numbers[place]]
            place += 1
        if len(numbers) >= n:
            return numbers[n - 1]
        limit *= 2


print(lucky(int(input())))
