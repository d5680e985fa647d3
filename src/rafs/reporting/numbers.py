"""Numbers as text: every way in which reports write them.

`number` is the rule of tables and page. The others differ from it on purpose: `compact` and `tick`
for figures, `effect` for verdicts, and `rounded` for JSON. Published numbers are written as they
are printed (`rafs.reporting.published.printed`).
"""

import math

NONE = "–"
DIGITS = 3  # significant digits of a number
LARGE, SMALL = 5, -4  # powers of ten from which, and below which, a number is written as one


def number(value: float, decimals: int | None = 2) -> str:
    """Show three significant digits, with at most so many decimals (None: as many as it takes).

    All numbers of a table follow this one rule, so that a column can be read across orders of
    magnitude; only from 100,000 on, and below 0.0001 where decimals are not limited, is a power of
    ten shorter.

    >>> number(2.214), number(-0.001), number(5464.42), number(1.234e6)
    ('2.21', '0.00', '5460', '1.23e6')
    >>> number(0.00123), number(0.00123, None), number(22.136, None), number(0.0000123, None)
    ('0.00', '0.00123', '22.1', '1.23e−5')
    """
    if math.isnan(value):
        return NONE
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    digits, _, power = f"{value:.{DIGITS - 1}e}".partition("e")
    exponent = int(power)
    if exponent >= LARGE or (decimals is None and value != 0 and exponent < SMALL):
        return f"{digits}e{exponent}".replace("-", "−")
    places = max(0, DIGITS - 1 - exponent)
    if decimals is not None or value == 0:
        places = min(places, 2 if decimals is None else decimals)
    # a value too small to show keeps its own digits: rounding twice could make it larger
    rounded = float(f"{digits}e{exponent}") if places + exponent >= DIGITS - 1 else value
    text = f"{rounded:.{places}f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")


def interval(value: float, low: float, high: float, decimals: int | None = 2) -> str:
    """Show an estimate with the ends of its interval, if it has one."""
    shown = number(value, decimals)
    if math.isnan(low):
        return shown
    return f"{shown} [{number(low, decimals)}, {number(high, decimals)}]"


def p_value(p: float) -> str:
    """Show a probability of the test."""
    return NONE if math.isnan(p) else "< 0.001" if p < 0.001 else f"{p:.3f}"


def p_equals(p: float) -> str:
    """Show a probability of the test in a sentence: p = 0.012, or p < 0.001."""
    shown = p_value(p)
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def effect(value: float, signed: bool) -> str:
    """Return an effect size with two or three digits, and with its sign if it is a difference.

    >>> effect(0.0123, True), effect(-12.34, True), effect(1.234, False)
    ('+0.012', '−12.3', '1.23')
    """
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞"
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 0.1 else 3
    return f"{value:{'+' if signed else ''}.{digits}f}".replace("-", "−")


def tick(value: float) -> str:
    """Return a tick label: plain below 10,000, a power of ten beyond."""
    if abs(value) < 10_000:
        return f"{value:g}".replace("-", "−")
    exponent = math.log10(abs(value))
    sign = "−" if value < 0 else ""
    if abs(exponent - round(exponent)) < 1e-9:
        return f"{sign}$10^{{{round(exponent)}}}$"
    return compact(value)


def compact(value: float, signed: bool = False) -> str:
    """Return a number in at most five characters or so, for a crowded place.

    >>> [compact(v) for v in (0.123, -4.56, 78.9, 12345.0, -6.7e8)]
    ['0.12', '−4.6', '79', '1e4', '−7e8']
    """
    size = abs(value)
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        text = "∞"
    elif size < 0.995:
        text = f"{size:.2f}"
    elif size < 9.95:
        text = f"{size:.1f}"
    elif size < 9999.5:
        text = f"{size:.0f}"
    else:
        text = f"{size:.0e}".replace("e+0", "e").replace("e+", "e")
    sign = "−" if value < 0 else "+" if signed else ""
    return text if text == "0.00" else sign + text


def rounded(value: float, digits: int) -> float | None:
    """Return a number with so many significant digits for JSON; what is not finite is None."""
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None
