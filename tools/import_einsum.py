"""import_einsum.py -- products that are written as einsum of two tensors, as the matrix products that they are. Both
importers call this.
"""
from import_layers import origin
from import_network import Fixed, Value, need
from import_views import simplest, view_of

WHY = "that is no product of matrices"


def letters_of(equation):
    """Of both tensors and of the result."""
    need(isinstance(equation, str) and "." not in equation and equation.count("->") == 1, WHY)
    given, _, out = equation.replace(" ", "").partition("->")
    parts = given.split(",")
    need(len(parts) == 2 and all(len(set(part)) == len(part) for part in parts + [out]), WHY)
    return parts[0], parts[1], out


def only(a, b, out):
    """What one has that the other has not; it has to come out, alone."""
    own = [letter for letter in a if letter not in b]
    need(len(own) == 1 and own[0] in out, WHY)
    return own[0]


def moved(network, call, value, letters, order):
    return view_of(network, value).moved([letters.index(letter) for letter in order], origin(call, WHY))


def of_two(network, call, equation, a, b, product_of):
    """Of two tensors that depend on the input: batches, rows of one, columns of the other."""
    one, two, out = letters_of(equation)
    summed = [letter for letter in one if letter in two and letter not in out]
    batch = [letter for letter in out if letter in one and letter in two]
    need(len(summed) == 1, WHY)
    row, column = only(one, two, out), only(two, one, out)
    left = moved(network, call, a, one, batch + [row] + summed)
    right = moved(network, call, b, two, batch + summed + [column])
    made = product_of(network, call, left, right)
    return simplest(network, moved(network, call, made, "".join(batch) + row + column, out))


def with_weights(network, call, equation, x, weight, product_with):
    """Of a tensor that depends on the input, whose last axis is summed, and a matrix of weights. product_with:
    (turned) makes the product, turned where the weights have outputs first."""
    one, two, out = letters_of(equation)
    need(isinstance(x, Value) and isinstance(weight, Fixed) and len(two) == 2, WHY)
    need(one[-1] in two and out[:-1] == one[:-1] and out[-1:] == only(two, one, out), WHY)
    return product_with(two[0] != one[-1])
