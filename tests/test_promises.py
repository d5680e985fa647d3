"""The page of promises names tests that exist, and says what the reports say."""

import re
from pathlib import Path

import pytest

import promises

REPORT = """<testsuites><testsuite>
<testcase classname="tests.faults.test_kills" name="test_killed_twenty_times">
<properties><property name="kills" value="20"/></properties></testcase>
<testcase classname="tests.faults.test_resources" name="a"><skipped message="no"/></testcase>
<testcase classname="tests.faults.test_resources" name="b"><failure>x</failure></testcase>
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
    assert "tests: 1 passed; kills: 20 |" in page
    assert "tests: 1 skipped, 1 failure |" in page
    assert page.count("| not run |") == len(promises.PROMISES) - 2
