"""The Moebius function of n."""


def moebius(n: int) -> int:
    sign, p = 1, 2
    while n > 1:
        if n % p == 0:
            n //= p
            if n % p == 0:
                return 0
            sign = -sign
        p += 1
    return sign


print(moebius(int(input())))
