"""The number of ways to pay n cents with coins of 1, 2, 5 and 10 cents."""


def ways_to_pay(amount: int) -> int:
    ways = [1] + [0] * amount
    for coin in (1, 2, 5, 10):
        for paid in range(coin, amount + 1):
            ways[paid] += ways[paid - coin]
    return ways[amount]


print(ways_to_pay(int(input())))
