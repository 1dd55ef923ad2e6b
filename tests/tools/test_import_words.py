"""test_import_words.py -- what tools/import_torch.py says of a command line that is wrong, and of packages
that are missing; it needs none itself (import_check.py has what is called how)."""
import os
import subprocess
import sys

import import_check
from import_check import ROOT, check, run_import

OPTIONS = "there are: --input, --output, --name, --loss, --set, --tokens, --memory, --help"
LOSSES = "softmax_cross_entropy, mean_squared_error, none"
SOURCE = "takes one source, MODULE:CALLABLE, FILE.py:CALLABLE or FILE.onnx, got "

# what is given behind a source and an output, and what is said
WRONG = (
    (["--inptu", "3,4"], 'no option "--inptu" (did you mean --input?)'),
    (["--toknes"], 'no option "--toknes" (did you mean --tokens?)'),
    (["--zz=q"], 'no option "--zz" (%s)' % OPTIONS),
    (["-q\n"], 'no option "-q\\n" (%s)' % OPTIONS),
    (["--input", "3,a"], '--input: must be sizes >= 1, such as 3,224,224, got "3,a"'),
    (["--input", "3,0"], '--input: must be sizes >= 1, such as 3,224,224, got "3,0"'),
    (["--input"], "--input: expected one argument"),
    (["--loss", "mean_square_error"],
     '--loss: must be one of %s, got "mean_square_error" (did you mean mean_squared_error?)' % LOSSES),
    (["--loss", "x"], '--loss: must be one of %s, got "x"' % LOSSES),
    (["--set", "[1]"], '--set: must be an object of JSON, such as {"num_classes": 10}, got "[1]"'),
    (["--set", "{\n"], '--set: must be an object of JSON, such as {"num_classes": 10}, got "{\\n"'),
    (["--memory", "nan"], '--memory: must be GiB above 0, up to 1e6, got "nan"'),
    (["--memory", "all"], '--memory: must be GiB above 0, up to 1e6, got "all"'),
    (["another.onnx"], SOURCE + '"net.onnx" "another.onnx"'),
)

MISSING = (("torch", "torch.nn:ReLU", "PyTorch 1.13 or later (Debian: python3-torch)"),
           ("onnx", "net.onnx", "ONNX (Debian: python3-onnx)"),
           ("numpy", "net.onnx", "NumPy (Debian: python3-numpy)"))


def one_line_says_what_is_wrong(folder):
    for more, words in WRONG:
        try:
            path, status, said = run_import(folder, "net.onnx", None, *more)
        except SystemExit as error:
            status, said = error.code, "the end of the program"
        check(status == 2 and said == "import_torch.py: %s\n" % words, "%s: %s %s" % (more, status, said))


def command(*words):
    """In a process of its own; its words are all that is given."""
    return subprocess.run([sys.executable, *words], capture_output=True, text=True,
                          cwd=os.path.join(ROOT, "tools"))


def what_has_to_be_there_is_asked_for(folder):
    for given, words in (([], SOURCE + "none"), (["net.onnx"], "--output: missing, the model file to write")):
        done = command("import_torch.py", *given)
        check(done.returncode == 2 and done.stderr == "import_torch.py: %s\n" % words, "%s: %s" % (given, done))


def missing_packages_are_named(folder):
    """Exit status 3: the machine has to have them first."""
    output = os.path.join(folder, "model.json")
    for package, source, words in MISSING:
        without = ("import sys, types; sys.modules.update({'numpy': types.ModuleType('numpy'), %r: None}); "
                   "import import_torch; sys.exit(import_torch.main())" % package)
        done = command("-c", without, source, "--input", "3", "-o", output)
        begin = "import_torch.py: %s: needs %s: " % (source, words)
        check(done.returncode == 3 and done.stderr.startswith(begin) and done.stderr.count("\n") == 1,
              "%s: %s" % (package, done))


sys.exit(import_check.run(one_line_says_what_is_wrong, what_has_to_be_there_is_asked_for,
                          missing_packages_are_named))
