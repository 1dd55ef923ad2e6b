"""The package against the program that DTSIM names: python3 -m unittest discover python/tests"""

import csv
import doctest
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from importlib import metadata
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import dtsim  # noqa: E402  pylint: disable=wrong-import-position

PROGRAM = os.environ["DTSIM"]
OURS = {"model": "bert_base", "platform": "dgx1_v100", "stack": "pytorch_ddp", "precision": "fp16", "optimizer": "adam",
        "devices": [8, 16], "batch": {"per_device": 32}, "strategies": [{"kind": "allreduce"}]}


def program(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=True).stdout


class Predictions(unittest.TestCase):
    def test_numbers_are_those_of_the_program(self):
        result = dtsim.predict("imagenet_1h", devices=[8, 256])
        wanted = json.loads(program("imagenet_1h", "--set", "devices=8,256", "--format", "json"))
        self.assertEqual(len(result.points), len(wanted["points"]))
        for point, data in zip(result.points, wanted["points"]):
            self.assertEqual(point.strategy, data["strategy"])
            self.assertEqual(point.step.total_s, data["step"]["total_s"])
            self.assertEqual(point.memory.total_bytes, data["memory"]["total_bytes"])
        self.assertEqual(result.winners[0].strategy, wanted["winners"][0]["strategy"])
        self.assertEqual(result.point("ps", 256).throughput_samples_per_s,
                         [p for p in wanted["points"] if p["strategy"] == "ps" and p["devices"] == 256]
                         [0]["throughput_samples_per_s"])

    def test_what_is_not_known_is_none_and_what_is_not_there_an_error(self):
        point = dtsim.predict("imagenet_1h", devices=8).points[0]
        self.assertIsNone(point.mfu)  # of models with tokens alone
        self.assertIsNone(point.step.low_s)
        for name in ("step_s", "mfuu"):
            with self.assertRaises(AttributeError):
                getattr(point, name)
        self.assertIn("mfu", dir(point))
        with self.assertRaises(KeyError):
            point["mfu"]

    def test_a_dict_is_a_scenario(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "ours.json"
            path.write_text(json.dumps(OURS), encoding="utf-8")
            of_file, of_dict = dtsim.predict(path), dtsim.predict(OURS)
            self.assertEqual([p.step.total_s for p in of_file.points], [p.step.total_s for p in of_dict.points])
            # Files that it names are those of the current folder.
            shutil.copy(ROOT / "models" / "bert_base.json", Path(folder) / "net.json")
            with mock.patch("os.getcwd", return_value=folder):
                before = os.open(".", os.O_RDONLY)
                os.chdir(folder)
                try:
                    named = dtsim.predict({**OURS, "model": "net.json"})
                finally:
                    os.fchdir(before)
                    os.close(before)
            self.assertEqual(len(named.points), 2)
        with self.assertRaises(dtsim.InputError):
            dtsim.predict({**OURS, "model": "net.json"})

    def test_changes_sweeps_and_options_arrive(self):
        result = dtsim.predict(OURS, devices=8, set={"batch.per_device": 16, "precision": "fp32",
                                                     "strategies[0].algorithm": "ring"})
        self.assertEqual([(p.devices, p.global_batch) for p in result.points], [(8, 128)])
        self.assertIn("precision=fp32", result.question.changed)
        result = dtsim.predict(OURS, devices=8, sweep={"batch.per_device": [8, 16], "precision": ["fp32", "fp16"]})
        self.assertEqual([p.global_batch for p in result.points], [64, 64, 128, 128])
        self.assertEqual(result.points[0].setting, "batch.per_device=8, precision=fp32")
        self.assertEqual(dtsim.predict(OURS, devices=8, engine="flow", seed=7).question.seed, 7)

    def test_rows_are_named_as_csv_names_them(self):
        rows = dtsim.predict("imagenet_1h", devices=8).rows()
        columns = next(csv.reader(io.StringIO(program("imagenet_1h", "--set", "devices=8", "--format", "csv"))))
        for name in rows[0]:
            if name.startswith(("step_", "memory_", "training_", "throughput_", "scaling_")):
                self.assertIn(name, columns)
        self.assertEqual(rows[0]["step_total_s"], 0.235)

    def test_pandas_gets_the_rows(self):
        made = []
        with mock.patch.dict(sys.modules, {"pandas": mock.Mock(DataFrame=made.append)}):
            dtsim.predict("imagenet_1h", devices=8).to_pandas()
        self.assertEqual(made[0][0]["strategy"], "paper")
        try:
            import pandas  # noqa: F401  pylint: disable=import-outside-toplevel,unused-import
        except ImportError:
            return
        self.assertIn("step_total_s", dtsim.predict("imagenet_1h", devices=8).to_pandas().columns)

    def test_notes_are_kept(self):
        result = dtsim.predict("imagenet_1h", devices=8, set={"batch.per_device": 64})
        self.assertTrue(any("not compared" in note for note in result.notes), result.notes)

    def test_a_point_that_does_not_fit_says_so(self):
        result = dtsim.predict(OURS, devices=8, sweep={"batch.per_device": [32, 1048576]})
        self.assertIsNone(result.points[0].error)
        self.assertIn("does not fit", result.points[1].error.text)
        self.assertIsNone(result.points[1].step)


class Errors(unittest.TestCase):
    def test_the_line_of_the_program_is_the_message(self):
        with self.assertRaises(dtsim.InputError) as caught:
            dtsim.predict({**OURS, "devicess": 3})
        self.assertEqual(str(caught.exception), "scenario: devicess: unknown key (did you mean devices?)")
        self.assertEqual(caught.exception.status, 2)
        with self.assertRaises(dtsim.InputError) as caught:
            dtsim.predict("imagenet_1hh")
        self.assertIn("imagenet_1h", str(caught.exception))
        self.assertIsInstance(caught.exception, dtsim.DtsimError)

    def test_wrong_types_are_wrong_input(self):
        for words, asked in (("devices: must be a whole number or several, got 8.5", {"devices": 8.5}),
                             ("devices: must be a whole number or several, got [True]", {"devices": [True]}),
                             ("devices: must be a whole number or several, got nan", {"devices": float("nan")}),
                             ("sweep: batch.per_device: must be a list of values, got 32",
                              {"sweep": {"batch.per_device": 32}}),
                             ("sweep: precision: must be a list of values, got 'fp16'", {"sweep": {"precision": "fp16"}}),
                             ("set: must be a dict of paths and values, got ['a']", {"set": ["a"]}),
                             ("timeout: must be seconds above 0, got -1", {"timeout": -1})):
            with self.subTest(words), self.assertRaises(dtsim.InputError) as caught:
                dtsim.predict("imagenet_1h", **asked)
            self.assertEqual(str(caught.exception), words)
            self.assertEqual(caught.exception.status, 2)
        for scenario in (None, 7, "a\0b"):
            with self.assertRaises(dtsim.InputError):
                dtsim.predict(scenario)
        with self.assertRaises(dtsim.InputError):
            dtsim.check(OURS, devices="8")
        with self.assertRaises(dtsim.MachineError) as caught:
            dtsim.predict("imagenet_1h", timeout=0.001)
        self.assertEqual(str(caught.exception), "no answer within 0.001 s (timeout)")

    def test_options_of_a_name_are_no_options(self):
        with self.assertRaises(dtsim.InputError):
            dtsim.predict("--version")

    def test_other_statuses(self):
        with tempfile.TemporaryDirectory() as folder:
            fake = Path(folder) / "dtsim"
            for status, error in ((1, dtsim.MachineError), (3, dtsim.UnsupportedError), (7, dtsim.DtsimError)):
                fake.write_text(f"#!/bin/sh\necho 'dtsim: it broke' >&2\nexit {status}\n", encoding="utf-8")
                fake.chmod(0o755)
                with mock.patch.dict(os.environ, {"DTSIM": str(fake)}), self.assertRaises(error) as caught:
                    dtsim.predict("imagenet_1h")
                self.assertEqual((str(caught.exception), caught.exception.status), ("it broke", status))

    def test_where_the_program_is(self):
        with tempfile.TemporaryDirectory() as folder:
            fake = Path(folder) / "dtsim"
            fake.write_text("#!/bin/sh\n", encoding="utf-8")
            fake.chmod(0o755)
            with mock.patch.dict(os.environ, {"PATH": folder}):
                self.assertEqual(dtsim.find_program(), PROGRAM)
                del os.environ["DTSIM"]
                self.assertEqual(dtsim.find_program(), str(fake))
            with mock.patch.dict(os.environ, {"PATH": "/nowhere"}):
                del os.environ["DTSIM"]
                self.assertEqual(dtsim.find_program(), str(ROOT / "dtsim"))
            with mock.patch.dict(os.environ, {"DTSIM": "/no/such"}), self.assertRaises(dtsim.MachineError):
                dtsim.find_program()


class Others(unittest.TestCase):
    def test_check_fills_in_defaults(self):
        checked = dtsim.check(OURS, set={"seed": 3})
        self.assertEqual((checked["seed"], checked["steps"]), (3, 4))

    def test_lists(self):
        models = dtsim.list("models")
        self.assertEqual(sorted(models), sorted(path.stem for path in (ROOT / "models").glob("*.json")))
        self.assertEqual(models["resnet50"], json.loads((ROOT / "models/resnet50.json").read_text())["summary"])
        self.assertIn("fluid", dtsim.list("engines"))
        with self.assertRaises(dtsim.InputError):
            dtsim.list("modles")

    def test_new_scenarios_can_be_asked(self):
        scenario = dtsim.new_scenario("bert_base", "dgx_a100", devices=[8, 16], batch=16)
        self.assertEqual([p.devices for p in dtsim.predict(scenario).points][:2], [8, 16])

    def test_helps_and_schemas(self):
        self.assertIn("strategies[].kind", dtsim.help("scenario"))
        self.assertIn("strategies", dtsim.schema("scenario")["anyOf"][0]["properties"])

    def test_the_version_is_the_programs(self):
        cmake = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
        self.assertEqual(dtsim.__version__, re.search(r"project\(dtsim VERSION (\S+)", cmake)[1])
        self.assertEqual(dtsim.program_version(), dtsim.__version__)

    def test_pip_installs_it(self):
        try:
            setuptools = int(metadata.version("setuptools").split(".")[0])
            metadata.version("pip")
            if setuptools < 71:  # later ones bring their own
                metadata.version("wheel")
        except metadata.PackageNotFoundError as error:
            self.skipTest(f"not here: {error}")
        if setuptools < 61:
            self.skipTest("setuptools is older than 61")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(ROOT / "python", Path(folder) / "python")
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation",
                            "--no-index", "--target", f"{folder}/site", f"{folder}/python"], check=True,
                           capture_output=True)
            self.assertTrue((Path(folder) / "site/dtsim/py.typed").exists())
            said = subprocess.run([sys.executable, "-c", "import dtsim; print(dtsim.predict('imagenet_1h', devices=8))"],
                                  env={**os.environ, "PYTHONPATH": f"{folder}/site"}, cwd=folder, check=True,
                                  capture_output=True, text=True)
            self.assertEqual(said.stdout, "Result('imagenet_1h', 4 points)\n")


def load_tests(_loader, tests, _pattern):
    """docs/python.md is a notebook whose answers are checked."""
    tests.addTests(doctest.DocFileSuite(str(ROOT / "docs" / "python.md"), module_relative=False, encoding="utf-8",
                                        optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE))
    return tests


if __name__ == "__main__":
    unittest.main()
