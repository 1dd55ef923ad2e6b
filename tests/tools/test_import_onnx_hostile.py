"""test_import_onnx_hostile.py -- ONNX files that are damaged, contradict themselves or ask for too much, and large
ones, through tools/import_torch.py. It needs no PyTorch (import_check.py has what is called how)."""
import os
import sys

try:
    import onnx
    import onnx.helper
except ImportError as error:
    print("SKIPPED: %s (Debian: python3-onnx)" % error)
    sys.exit(77)

import import_check
from import_check import check, describe, run_import, taken_by_the_last
from onnx_graphs import graph, node

INT64 = onnx.TensorProto.INT64
RELU = [node("Relu", "x", "y")]


def lying():
    """The weights' length is not what their shape says."""
    model = graph([node("MatMul", "x w", "y")], weights=[("w", 1, [3, 4], [0.0] * 12)])
    model.graph.initializer[0].dims[1] = 1 << 30
    return model


def of_kind(kind):
    """An attribute that says to be of another kind than it is."""
    model = graph([node("LeakyRelu", "x", "y", alpha=0.5)])
    model.graph.node[0].attribute[0].type = kind
    return model


def tower(blocks):
    """Residual blocks that all have the shape of the input, and a row of features behind them."""
    nodes, last = [], "x"
    for i in range(blocks):
        nodes += [node("Relu", last, "r%d" % i), node("Conv", "r%d w" % i, "c%d" % i),
                  node("Add", "%s c%d" % (last, i), "a%d" % i)]
        last = "a%d" % i
    return graph(nodes + [node("Flatten", last, "f"), node("MatMul", "f v", "y")], (2, 4, 3, 3),
                 [("w", 1, [4, 4, 1, 1], [0.0] * 16), ("v", 1, [36, 2], [0.0] * 72)])


KIND = onnx.AttributeProto
HOSTILE = (
    ("no number", graph([node("LeakyRelu", "x", "y", alpha=float("nan"))]), "no finite number"),
    ("a sparse tensor", of_kind(KIND.SPARSE_TENSOR), "no finite number"),
    ("a kind of nothing", of_kind(KIND.UNDEFINED), "of no known kind"),
    ("a constant of no kind", graph([node("Constant", "", "c", sparse_value=onnx.SparseTensorProto()),
                                     node("Pow", "x c", "y")]), "Constant"),
    ("a circle", graph([node("Add", "x b", "a"), node("Relu", "a", "b"), node("Relu", "b", "y")]),
     "nothing before it makes"),
    ("itself", graph([node("Add", "x y", "y")]), "nothing before it makes"),
    ("made twice", graph([node("Relu", "x", "y"), node("Tanh", "x", "y")]), "is there already"),
    ("no such output", graph([node("Relu", "x", "z")]), "output y: nothing makes it"),
    ("lying length", lying(), "must have 3221225472 values"),
    ("no nodes", graph([]), "holds no graph"),
    ("no sample", graph(RELU, (3,)), "must be a batch of samples"),
    ("size of 0", graph(RELU, (2, 0)), "must have sizes >= 1"),
    ("named sizes", graph(RELU, ("n", "m")), "--input must say"),
    ("a bomb", graph([node("ConstantOfShape", "s", "z"), node("Add", "x z", "y")],
                     weights=[("s", INT64, [2], [1 << 40, 1 << 40])]), "that makes"),
    ("a long range", graph([node("Range", "a b c", "z"), node("Add", "x z", "y")], weights=[
        (name, INT64, [], [value]) for name, value in (("a", 0), ("b", 1 << 60), ("c", 1))]), "too much"),
    ("a reshape", graph([node("Reshape", "x s", "y")], weights=[("s", INT64, [2], [-1, -1])]), "Reshape"),
    ("a transpose", graph([node("Transpose", "x", "y", perm=[0, 7])]), "Transpose"),
    ("a window", graph([node("MaxPool", "x", "y", kernel_shape=[3, 3])], (2, 1, 2, 2)), "window larger"),
    ("no stride", graph([node("MaxPool", "x", "y", kernel_shape=[1, 1], strides=[0, 0])], (2, 1, 2, 2)),
     "sizes below 1"),
    ("no kernel", graph([node("MaxPool", "x", "y")], (2, 1, 2, 2)), "sizes for other axes"),
    ("a wrong type", graph([node("MaxPool", "x", "y", kernel_shape="abc")], (2, 1, 2, 2)), "MaxPool"),
    ("weights of others", graph([node("MatMul", "x w", "y")], weights=[("w", 1, [4, 1], [0.0] * 4)]),
     "weights of another shape"),
    ("a foreign operator", graph([onnx.helper.make_node("Magic", ["x"], ["y"], domain="com.x")]),
     "com.x.Magic"),
    ("a line in a name", graph([onnx.helper.make_node("Foo\nBar", ["x"], ["y"], name="a\nb")]), "Foo?Bar"),
)


def refused(folder, what, content, word):
    """One error, exit status 2, nothing written."""
    source = os.path.join(folder, "hostile.onnx")
    with open(source, "wb") as out:
        out.write(content)
    path, status, said = run_import(folder, source, None)
    lines = said.splitlines()
    check(status == 2 and said.count("import_torch.py: ") == 1 and word in said,
          "%s: status %d: %s" % (what, status, said))
    check(len(lines) == 1 or all(line.startswith("    ") for line in lines[1:]), "%s: %s" % (what, said))
    check(not os.path.exists(path), "%s: something is written" % what)


def hostile_files_are_refused(folder):
    for what, model, word in HOSTILE:
        refused(folder, what, model.SerializeToString(), word)
    good = tower(3).SerializeToString()
    for cut in (1, 10, len(good) // 3, len(good) // 2, len(good) - 1):
        refused(folder, "cut at %d" % cut, good[:cut], "")
    named = graph([onnx.helper.make_node("Relu", ["x"], ["y"], name="NAME")]).SerializeToString()
    refused(folder, "text in no encoding", named.replace(b"NAME", b"\xff\xfe/x"), "name is no UTF-8")
    refused(folder, "nothing", b"", "holds no graph")
    refused(folder, "text", b"{}\n" * 100, "no ONNX file")
    path, status, said = run_import(folder, os.path.join(folder, "missing.onnx"), None)
    check(status == 2 and "No such file" in said, said)


def a_deep_tower_takes_no_longer_than_it_is_deep(folder):
    source = os.path.join(folder, "tower.onnx")
    onnx.save(tower(500), source)
    path, status, said = run_import(folder, source, None)
    check(status == 0 and "tower: 1503 layers" in said, "status %d: %s" % (status, said))


def as_many_inputs_as_there_are(folder):
    """dtsim's layers take 16: more go through layers before, in their order."""
    source, count, values = os.path.join(folder, "many.onnx"), 40, 2 * 3
    names = ["r%d" % i for i in range(count)]
    for op, kind, attributes in (("Sum", "add", {}), ("Concat", "concat", {"axis": 1})):
        last = node(op, " ".join(names), "y", **attributes)
        onnx.save(graph([node("Relu", "x", name) for name in names] + [last], (2, 2, 3)), source)
        path, status, said = run_import(folder, source, None, "--loss", "mean_squared_error")
        if check(status == 0, "%s: %d %s" % (op, status, said)):
            sums = [line.split() for line in describe(path)[1] if line.startswith("add")]
            work = sum(float(line[line.index("forward") + 1]) for line in sums)
            check(work == (values * (count - 1) if op == "Sum" else 0), "%s: sums of %g" % (op, work))
            taken = taken_by_the_last(path, kind)
            check(taken == ["relu" if i == 0 else "relu_%d" % (i + 1) for i in range(count)],
                  "%s: %s" % (op, taken))


def numbers_that_dtsim_has_not_are_named(folder):
    for what, nodes, word in (
            ("a steep slope", [node("LeakyRelu", "x", "y", alpha=1.5)], "LeakyRelu: slope 1.5, dtsim takes"),
            ("all dropped", [node("Dropout", "x", "y", ratio=0.995)], "Dropout: rate 0.995, dtsim takes"),
            ("a shared bias", [node("Gemm", "x w b", "a"), node("Gemm", "a w b", "y")],
             "Gemm: a weight or bias that is shared")):
        weights = [("w", 1, [3, 3], [0.0] * 9), ("b", 1, [3], [0.0, 1.0, 2.0])]
        refused(folder, what, graph(nodes, weights=weights).SerializeToString(), word)


sys.exit(import_check.run(hostile_files_are_refused, a_deep_tower_takes_no_longer_than_it_is_deep,
                          as_many_inputs_as_there_are, numbers_that_dtsim_has_not_are_named))
