"""test_import_onnx_made.py -- ONNX files made by hand through tools/import_torch.py: constants that nodes make, what
is said of a file with something that is missing, and sizes of the command line. It needs no PyTorch
(import_check.py has what is called how)."""
import os
import sys

try:
    import onnx
    from onnx import TensorProto
except ImportError as error:
    print("SKIPPED: %s (Debian: python3-onnx)" % error)
    sys.exit(77)

import import_check
from import_check import check, describe, run_import
from onnx_graphs import graph, node, save

INT64, FLOAT = TensorProto.INT64, TensorProto.FLOAT


def whole(name, *values):
    """A list of whole numbers, or one."""
    return (name, INT64, [len(values)], values)


def one(name, value):
    return (name, INT64, [], [value])


def number(name, value):
    return (name, FLOAT, [], [value])


def zeros(name, *shape):
    count = 1
    for size in shape:
        count *= size
    return (name, FLOAT, shape, [0.0] * count)


FILTERS = whole("s", 8, 3, 3, 3)
IMAGE = (1, 3, 16, 16)
CONV = node("Conv", "x w", "y")
NORMED = [node("ReduceL2", "v", "n", axes=[1, 2, 3]), node("Div", "v n", "u"), node("Mul", "u g", "w"), CONV]
SIZES = [node("Conv", "x w", "c"), node("Shape", "c", "t"), node("Gather", "t zero", "b"),
         node("Unsqueeze", "b first", "b1"), node("Concat", "b1 rest", "to", axis=0), node("Reshape", "c to", "r"),
         node("MatMul", "r m", "y")]
SIZES_OF = [("w", FLOAT, (2, 3, 3, 3), [0.0] * 54), one("zero", 0), whole("first", 0), whole("rest", -1),
            zeros("m", 392, 5)]
POSITIONS = [node("Range", "zero end one", "p"), node("Mul", "p one", "q"), node("Gather", "table q", "rows"),
             node("MatMul", "x m", "h"), node("Add", "h rows", "y")]

# name: nodes, the shape of x, what is stored, and the parameters that there are
CONSTANTS = {
    "ConstantOfShape": ([node("ConstantOfShape", "s", "w"), CONV], IMAGE, [FILTERS], 216),
    "Expand": ([node("Expand", "half s", "w"), CONV], IMAGE, [FILTERS, number("half", 0.5)], 216),
    "RandomNormal": ([node("RandomNormal", "", "w", shape=[8, 3, 3, 3]), CONV], IMAGE, [], 216),
    "arithmetic on a filled one": (
        [node("ConstantOfShape", "s", "z"), node("Add", "z half", "w"), CONV], IMAGE,
        [FILTERS, number("half", 0.5)], 216),
    "a shape that is put together": (
        [node("Shape", "x", "t"), node("Gather", "t at", "c"), node("Concat", "k c k3 k3", "s", axis=0),
         node("ConstantOfShape", "s", "w"), CONV], IMAGE, [whole("at", 1), whole("k", 8), whole("k3", 3)], 216),
    "a matrix that is turned": (
        [node("ConstantOfShape", "s", "z"), node("Transpose", "z", "w"), node("MatMul", "x w", "y")], (2, 7),
        [whole("s", 5, 7)], 35),
    "a norm of weights": (NORMED, IMAGE, [("v", FLOAT, (8, 3, 3, 3), [1.0] * 216), zeros("g", 8, 1, 1, 1)], 216),
    "sizes out of Shape": (SIZES, IMAGE, SIZES_OF, 54 + 392 * 5),
    "positions": (POSITIONS, (2, 4, 6), [one("zero", 0), one("end", 4), one("one", 1), zeros("table", 9, 5),
                                         zeros("m", 6, 5)], 45 + 30),
    "a bias that is filled": (
        [node("ConstantOfShape", "s", "b"), node("Gemm", "x w b", "y")], (2, 3), [whole("s", 4), zeros("w", 3, 4)], 16),
    "4.3e9 values": (
        [node("ConstantOfShape", "s", "z"), node("Mul", "z half", "w"), node("MatMul", "x w", "y")], (2, 65536),
        [whole("s", 65536, 65536), number("half", 0.5)], 65536 ** 2),
    "a cast like the input": ([node("CastLike", "v x", "w"), CONV], IMAGE, [zeros("v", 8, 3, 3, 3)], 216),
    "vectors that are one in the file": (  # as exporters write what normalizations begin with
        [node("LayerNormalization", "x one nil", "a"), node("LayerNormalization", "a one nil", "y")], (2, 5, 4),
        [("one", FLOAT, (4,), [1.0] * 4), zeros("nil", 4)], 16),
    "one for two layers": (
        [node("ConstantOfShape", "s", "w"), node("MatMul", "x w", "h"), node("MatMul", "h w", "y")], (2, 6),
        [whole("s", 6, 6)], 36),
}


def constants_come_from_nodes_too(folder):
    for name, (nodes, shape, stored, count) in CONSTANTS.items():
        path, status, said = run_import(folder, save(folder, graph(nodes, shape, stored)), None, "--memory", "0.5")
        if check(status == 0, "%s: %s" % (name, said)):
            check(describe(path)[0][0].startswith("parameters %d " % count), "%s: %s" % (name, describe(path)[0]))


def values_may_be_beside_the_file(folder):
    """Where a mask or an axis needs them; nowhere else than in its folder."""
    model = graph([node("Reshape", "x to", "y")], (2, 3, 4), [("to", INT64, (12, ), list(range(12)))])
    for place, good in (("values.bin", True), ("../values.bin", False), ("/etc/passwd", False), ("missing.bin", False)):
        stored = model.graph.initializer[0]
        stored.ClearField("int64_data")
        del stored.dims[:], stored.external_data[:]
        stored.dims.append(2)
        stored.data_location = TensorProto.EXTERNAL
        for key, value in (("location", place), ("offset", "8"), ("length", "16")):
            stored.external_data.add(key=key, value=value)
        with open(os.path.join(folder, "values.bin"), "wb") as out:
            out.write(b"".join(size.to_bytes(8, "little") for size in (77, 2, 12)))
        source = os.path.join(folder, "beside.onnx")
        with open(source, "wb") as out:
            out.write(model.SerializeToString())
        path, status, said = run_import(folder, source, None)
        want = "import_torch.py: %s: dtsim has no layer for:\n    Reshape: that needs the values of to, which are in " \
            "another file, in node 0\n" % source
        check(status == 0 if good else (status, said) == (2, want), "%s: %d %s" % (place, status, said))


SLICED = [node("Expand", "x to", "a"), node("Slice", "a s e axes st", "y")]
SLICED_BY = [whole("to", 4, 2, 16), whole("s", 0, 0), whole("e", 1, 2), whole("axes", 2, 1), whole("st", 1, 1)]
GEMM = node("Gemm", "f w", "y")

# name: nodes, the shape of x, what is stored, and all lines that are said
MISSING = {
    "Slice behind Expand": (SLICED, (1, 16), SLICED_BY, ["Expand, in node 0"]),
    "Gemm behind Flatten of LRN": (
        [node("LRN", "x", "l", size=3), node("Flatten", "l", "f"), GEMM], (2, 3, 4, 4), [zeros("w", 48, 5)],
        ["LRN, in node 0"]),
    "Gemm of a convolution that is refused": (
        [node("Conv", "x k", "c", auto_pad="SAME_UPPER"), node("Flatten", "c", "f"), GEMM], (2, 3, 8, 8),
        [zeros("k", 2, 3, 3, 3), zeros("w", 128, 5)], ["Conv: auto_pad SAME_UPPER, in node 0"]),
    "a shape that nobody knows": (
        [node("NonZero", "x", "n"), node("Cast", "n", "m", to=1), node("Transpose", "m", "t", perm=[1, 0]),
         node("MatMul", "t w", "h"), node("Reshape", "h to", "f"), node("Gemm", "f w", "g"), node("Softmax", "g", "y")],
        (2, 2), [zeros("w", 2, 2), whole("to", -1, 2)], ["NonZero, in node 0"]),
    "sizes of it": (
        [node("NonZero", "x", "n"), node("Shape", "n", "t"), node("Gather", "t at", "i"), node("Mul", "i i", "j"),
         node("Reshape", "x j", "y")], (2, 2), [whole("at", 0)], ["NonZero, in node 0"]),
    "both outputs": (
        [node("TopK", "x k", "v i"), node("Add", "v v", "a"), node("Cast", "i", "c", to=1), node("Mul", "a c", "y")],
        (2, 4), [whole("k", 2)], ["TopK, in node 0"]),
    "two kinds, each once": (
        [node("LRN", "x", "l", size=3), node("Relu", "l", "r"), node("LRN", "r", "m", size=3), node("Elu", "m", "e"),
         node("Conv", "e k", "y")], (2, 3, 4, 4), [zeros("k", 3, 3, 1, 1)],
        ["LRN, in node 0, 1 more times", "Elu, in node 3"]),
    "what is behind is looked at": (
        [node("LRN", "x", "l", size=3), node("LeakyRelu", "l", "y", alpha=1.5)], (2, 3, 4, 4), [],
        ["LRN, in node 0", "LeakyRelu: slope 1.5, dtsim takes 0 to 1, in node 1"]),
    "a step of nothing": (  # at which ONNX itself divides by it
        [node("Conv", "x k", "c", strides=[0, 0]), node("Relu", "c", "y")], (2, 3, 4, 4), [zeros("k", 3, 3, 1, 1)],
        ["Conv: with sizes below 1, in node 0"]),
    "weights that nobody knows": (
        [node("NonZero", "v", "n"), node("Cast", "n", "w", to=1), node("MatMul", "x w", "h"), node("Relu", "h", "y")],
        (2, 1), [zeros("v", 3)], ["NonZero: of fixed tensors, in node 0"]),
}
MISSING["weights that nobody knows"][2][0] = ("v", FLOAT, [70000], [0.0] * 70000)


def only_what_is_missing_is_named(folder):
    """Once, and nothing of what follows from it; each file is a sound one."""
    for name, (nodes, shape, stored, lines) in MISSING.items():
        source = save(folder, graph(nodes, shape, stored))
        path, status, said = run_import(folder, source, None)
        want = "import_torch.py: %s: dtsim has no layer for:\n%s" % (source, "".join("    %s\n" % l for l in lines))
        check(status == 2 and said == want, "%s: %d %s" % (name, status, said))


def a_file_that_is_malformed_is_called_so(folder):
    """By ONNX's own words."""
    wrong = graph([node("Transpose", "x", "t", perm=[0, 2, 1]), node("Slice", "t s s axes", "y")], (2, 3, 4),
                  [whole("s", 0), whole("axes", 7)])
    source = os.path.join(folder, "wrong.onnx")
    onnx.save(wrong, source)
    path, status, said = run_import(folder, source, None)
    check(status == 2 and "node 1 (Slice): is malformed: " in said and said.count("\n") == 1, said)


def made(shape, nodes=(CONV,), stored=(("w", FLOAT, (8, 3, 3, 3), [0.0] * 216),)):
    return graph(list(nodes), shape, stored)


# the shape in the file, --input, and the layer that comes of it; or the line that is said
TAKEN, LAYER = 0, "conv2d 8 x %d x %d parameters 216 "
WORDS = (
    ((-1, 3, 16, 16), None, LAYER % (14, 14)),
    ((-1, 3, 16, 16), "3,20,24", LAYER % (18, 22)),
    ((-1, 3, -1, -1), "3,20,24", LAYER % (18, 22)),
    (("N", 3, "H", "W"), "3,20,24", LAYER % (18, 22)),
    ((1, 3, 16, 16), "3,20,24", LAYER % (18, 22)),
    ((0, 3, 16, 16), None, LAYER % (14, 14)),
    (None, "3,20,24", LAYER % (18, 22)),
    (("N", 3, "H", -1), None, "--input must say the sizes that the file only names: [3, None, None]\n"),
    (None, None, "--input must say the shape of a sample: the file has none for x\n"),
    ((1, 3, 16, 16), "1,3,16,16",
     "--input must be the 3 sizes of one sample, as in the file's [3, 16, 16], got [1, 3, 16, 16]\n"),
    ((1, 3, 16, 16), "4,16,16", "dtsim has no layer for:\n    Conv: with weights of another shape, in node 0\n"),
)


def the_command_line_wins(folder):
    for shape, given, want in WORDS:
        source = os.path.join(folder, "sizes.onnx")
        onnx.save(made(shape), source)
        path, status, said = run_import(folder, source, given)
        if want.startswith("conv"):
            if check(status == 0, "%s %s: %s" % (shape, given, said)):
                check(any(line.startswith(want) for line in describe(path)[1]), "%s %s: %s" % (
                    shape, given, describe(path)[1]))
        else:
            check(status == 2 and said == "import_torch.py: %s: %s" % (source, want), "%s %s: %d %s" % (
                shape, given, status, said))


def all_newest_packages_read_it(folder):
    """One convolution, and what is damaged in it."""
    source = save(folder, made(IMAGE))
    path, status, said = run_import(folder, source, None)
    check(status == 0 and ", 216 parameters" in said, said)
    with open(source, "rb") as whole_file:
        content = whole_file.read()
    for end in range(0, len(content), 97):
        with open(source, "wb") as cut:
            cut.write(content[:end])
        path, status, said = run_import(folder, source, None)
        check(status == 2 and said.startswith("import_torch.py: "), "cut at %d: %d %s" % (end, status, said))
    with open(source, "wb") as strange:
        strange.write(content.replace(b"Conv", b"\xff\xfe\xff\xfe"))
    path, status, said = run_import(folder, source, None)
    check(status == 2 and said.count("\n") == 1 and "UTF-8" in said, "no text: %d %s" % (status, said))


sys.exit(import_check.run(constants_come_from_nodes_too, values_may_be_beside_the_file, only_what_is_missing_is_named,
                          a_file_that_is_malformed_is_called_so, the_command_line_wins, all_newest_packages_read_it))
