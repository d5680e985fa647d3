"""A real browser through the W3C WebDriver protocol: JSON over HTTP to chromedriver, no library."""

import base64
import json
import re
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the protocol's key of an element
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
)


def missing():
    """Return what there is no browser for want of, or None."""
    names = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    return f"{' and '.join(names)} not installed" if names else None


class Browser:
    """One headless window with a profile of its own; closes with the block."""

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(
            prefix="rafs-browser-", ignore_cleanup_errors=True
        )
        self.driver = subprocess.Popen(
            [shutil.which("chromedriver"), "--port=0"], stdout=subprocess.PIPE, text=True
        )
        try:
            self.url = None
            for line in self.driver.stdout:
                if found := re.search(r"started successfully on port (\d+)", line):
                    self.url = f"http://127.0.0.1:{found[1]}/session"
                    break
            options = {
                "args": [*FLAGS, f"--user-data-dir={self.profile.name}"],
                "binary": shutil.which("chromium"),
            }
            answer = self._send(
                "POST",
                "",
                {
                    "capabilities": {
                        "alwaysMatch": {
                            "browserName": "chrome",
                            "goog:chromeOptions": options,
                            "goog:loggingPrefs": {"browser": "ALL"},
                        }
                    }
                },
            )
            self.url += "/" + answer["sessionId"]
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.url and self.url.rpartition("/")[2] != "session":
            self._send("DELETE", "")
        self.driver.terminate()
        self.driver.wait(10)
        self.driver.stdout.close()
        self.profile.cleanup()

    def _send(self, verb, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, data, {"Content-Type": "application/json"}, method=verb
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=300) as answer:
            return json.load(answer)["value"]

    def open(self, path, fragment=""):
        self._send("POST", "/url", {"url": Path(path).resolve().as_uri() + fragment})

    def devtools(self, command, **params):
        """Send a command of the DevTools protocol, for what WebDriver has no word for."""
        self._send("POST", "/goog/cdp/execute", {"cmd": command, "params": params})

    def window(self, width, height):
        """Set the size that the page sees, also below the least width of a real window."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.devtools("Emulation.setDeviceMetricsOverride", **size)

    def media(self, name):
        """Lay the page out for "print" or "screen"."""
        self.devtools("Emulation.setEmulatedMedia", media=name)

    def save_to(self, folder):
        """Let downloads go to a folder."""
        self.devtools("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))

    def run(self, script, *args):
        """Run JavaScript in the page and return what it returns."""
        return self._send("POST", "/execute/sync", {"script": script, "args": list(args)})

    def find(self, selector):
        return self._send("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        element = self.find(selector)
        self.run("arguments[0].scrollIntoView({block: 'center'})", {ELEMENT: element})
        self._send("POST", f"/element/{element}/click", {})

    def touch(self, selector):
        """Tap with a finger."""
        steps = [
            {"type": "pointerMove", "origin": {ELEMENT: self.find(selector)}, "x": 0, "y": 0},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        finger = {"type": "pointer", "id": "f", "parameters": {"pointerType": "touch"}}
        self._send("POST", "/actions", {"actions": [finger | {"actions": steps}]})

    def type(self, selector, text):
        self._send("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def keys(self, text):
        """Press keys wherever the focus is."""
        presses = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self._send(
            "POST", "/actions", {"actions": [{"type": "key", "id": "k", "actions": presses}]}
        )

    def choose(self, selector, text):
        """Choose an option of a menu by typing how it begins."""
        self.type(selector, text)

    def wait(self, script, seconds=200):
        """Wait until a script returns something true."""
        until = time.monotonic() + seconds
        while not (found := self.run(script)):
            if time.monotonic() > until:
                raise AssertionError(f"never true: {script}")
            time.sleep(0.05)
        return found

    def errors(self):
        """Return what the console holds since the last call, warnings and errors only."""
        entries = self._send("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("WARNING", "SEVERE")]

    def screenshot(self, path):
        Path(path).write_bytes(base64.b64decode(self._send("GET", "/screenshot")))
