"""The coefficient of q^n in Ramanujan's third-order mock theta function f(q)."""


def mock_theta(n: int) -> int:
    total = 0
    # 1 / ((1 + q)^2 ... (1 + q^k)^2), for one k after another.
    series = [1] + [0] * n
    k = 0
    while k * k <= n:
        total += series[n - k * k]
        k += 1
        for _ in range(2):
            for i in range(k, n + 1):
                series[i] -= series[i - k]
    return total


print(mock_theta(int(input())))
