"""Euler's totient of n, from the prime factors of n."""


def totient(n: int) -> int:
    result = rest = n
    p = 2
    while p * p <= rest:
        if rest % p == 0:
            result -= result // p
            while rest % p == 0:
                rest //= p
        p += 1
    return result - result // rest if rest > 1 else result


print(totient(int(input())))
