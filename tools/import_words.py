"""import_words.py -- the command line of import_torch.py. What is wrong with it is told in one line, as
dtsim tells it; argparse would print its usage, too."""
import argparse
import difflib
import json

from import_memory import half_of_the_machine
from import_network import Refused

SOURCES = "MODULE:CALLABLE, FILE.py:CALLABLE or FILE.onnx"
LOSSES = ("softmax_cross_entropy", "mean_squared_error", "none")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Refused(message[len("argument "):] if message.startswith("argument ") else message)


def nearest(word, known):
    """For the end of a message; nothing where none is near."""
    found = difflib.get_close_matches(word, known, 1)
    return " (did you mean %s?)" % found[0] if found else ""


def wrong(text, must, hint=""):
    return argparse.ArgumentTypeError("must be %s, got %s%s" % (must, json.dumps(text), hint))


def sizes(text):
    try:
        listed = [int(size) for size in text.split(",")]
    except ValueError:
        listed = [0]
    if min(listed) < 1:
        raise wrong(text, "sizes >= 1, such as 3,224,224")
    return listed


def loss(text):
    if text not in LOSSES:
        raise wrong(text, "one of " + ", ".join(LOSSES), nearest(text, LOSSES))
    return text


def keywords(text):
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise wrong(text, "an object of JSON, such as {\"num_classes\": 10}")
    return given


def memory(text):
    try:
        gib = float(text)
    except ValueError:
        gib = 0
    if not 0 < gib <= 1e6:
        raise wrong(text, "GiB above 0, up to 1e6")
    return gib


def parser():
    made = Parser(
        prog="import_torch.py", usage="%(prog)s SOURCE -o FILE [OPTION...]",
        description="A PyTorch module or an ONNX file as a model file of dtsim. SOURCE: " + SOURCES +
                    ", where CALLABLE makes the module.")
    made.add_argument("--input", metavar="SIZES", type=sizes,
                      help="shape of one sample, without the batch: 3,224,224 "
                           "(an ONNX file has it, as a rule)")
    made.add_argument("-o", "--output", metavar="FILE", help="the model file to write")
    made.add_argument("--name", help="of the model (default: the callable's, the file's)")
    made.add_argument("--loss", metavar="LOSS", type=loss, default=LOSSES[0],
                      help="behind each output: " + ", ".join(LOSSES) + " (default: %(default)s)")
    made.add_argument("--set", default={}, metavar="JSON", type=keywords,
                      help="keyword arguments of the callable: '{\"num_classes\": 10}'")
    made.add_argument("--tokens", action="store_true",
                      help="the input is whole numbers (default: where an embedding takes it)")
    made.add_argument("--memory", type=memory, default=half_of_the_machine(), metavar="GIB",
                      help="that making the network may take (default: half of the machine's)")
    return made


def words():
    """The options, and `source`."""
    options, others = parser().parse_known_args()
    known = ["--" + name for name in vars(options)] + ["--help"]
    for word in others:
        if word.startswith("-"):
            name = word.partition("=")[0]
            hint = nearest(name, known) or " (there are: %s)" % ", ".join(known)
            raise Refused("no option %s%s" % (json.dumps(name), hint))
    if len(others) != 1:
        raise Refused("takes one source, %s, got %s" % (SOURCES, " ".join(map(json.dumps, others)) or "none"))
    if options.output is None:
        raise Refused("--output: missing, the model file to write")
    options.source = others[0]
    return options
