"""The page of promises names tests that exist, and says what the reports say."""

import re
from pathlib import Path

import pytest

import promises

pytest_plugins = "pytester"
MAKEFILE = promises.PROJECT / "Makefile"

REPORT = """<testsuites><testsuite>
<testcase classname="tests.faults.test_kills" name="test_killed_twenty_times">
<properties><property name="faults" value="20"/></properties></testcase>
<testcase classname="tests.faults.test_resources" name="a"><skipped message="no"/></testcase>
<testcase classname="tests.faults.test_resources" name="b"><failure>x</failure>
<properties><property name="faults" value="2"/></properties></testcase>
<testcase classname="tests.test_params" name="a"><properties>
<property name="inputs" value="1"/><property name="refused" value="1"/></properties></testcase>
<testcase classname="tests.test_params" name="b"><failure>x</failure><properties>
<property name="inputs" value="1"/><property name="refused" value="1"/></properties></testcase>
</testsuite></testsuites>"""


@pytest.mark.parametrize("promise", promises.PROMISES, ids=lambda promise: promise.area)
def test_every_promise_is_on_the_page_and_has_its_tests(promise: promises.Promise) -> None:
    assert promise.text in promises.PAGE.read_text()
    for test in promise.tests:
        file, _, prefix = test.partition("::")
        source = (promises.PROJECT / "tests" / file).read_text()
        assert re.search(rf"^def {prefix or 'test_'}", source, re.MULTILINE), test


def test_figures_come_from_the_reports(tmp_path: Path) -> None:
    (tmp_path / "report.xml").write_text(REPORT)
    page = promises.page(promises.cases(tmp_path / "report.xml"))
    assert "tests: 1 passed; faults: 20; survived: 20 |" in page
    assert "tests: 1 skipped, 1 failure; faults: 2; survived: 0 |" in page
    assert "tests: 1 passed, 1 failure; inputs: 2; refused: 1 |" in page
    assert page.count("| not run |") == len(promises.PROMISES) - 3
    assert "22 faults injected, 20 survived; 2 inputs tried, 1 refused in a sentence" in page


def test_a_finding_that_the_audit_ignores_is_explained() -> None:
    (named,) = re.findall(r"^EXPLAINED := ([^#\n]*)", MAKEFILE.read_text(), re.MULTILINE)
    assert named.split()
    assert promises.PAGE.read_text().endswith(f"\n{promises.AUDIT}")
    for finding in named.split():
        assert f"| {finding} |" in promises.AUDIT


@pytest.mark.parametrize("file", ["Makefile", ".ci/run", "pyproject.toml"])
def test_no_failed_test_gets_a_second_try(file: str) -> None:
    text = (promises.PROJECT / file).read_text()
    assert not re.search(r"last-failed|--lf\b|failed-first|rerun|flaky", text)


def test_marks_count(pytester: pytest.Pytester) -> None:
    """A report of real tests has the figures of their marks, in the form that is read here."""
    source = (promises.PROJECT / "tests/conftest.py").read_text()
    pytester.makeconftest("import pytest\n" + source[source.index("COUNTED") : source.index("@")])
    pytester.makepyfile(
        test_params="""
        import pytest

        @pytest.mark.fault
        @pytest.mark.parametrize("what", [1, 2])
        def test_a(what):
            assert what == 1

        @pytest.mark.refusal
        def test_b():
            pass
        """
    )
    pytester.runpytest_subprocess("-o", "junit_family=xunit1", "--junitxml=report.xml")
    found = promises.figures(promises.cases(pytester.path / "report.xml"))
    assert found == {"faults": 2, "survived": 1, "inputs": 1, "refused": 1}
