"""Chromium without a window, driven over its debugging pipe: no network, no further package."""

import base64
import json
import os
import subprocess
import tempfile


class Browser:
    """Opens a page; complaints() are the errors that it had."""

    def __init__(self, program, width=1400, height=1200):
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        # The browser reads its descriptor 3 and writes its descriptor 4.
        read, self.to = os.pipe()
        self.answers, write = os.pipe()
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                   "--disable-dev-shm-usage", "--disable-background-networking",
                   "--remote-debugging-pipe", f"--user-data-dir={self.home.name}",
                   f"--window-size={width},{height}", "about:blank"]
        shell = ["sh", "-c", f'exec "$@" 3<&{read} 4>&{write}', "sh", *command]
        self.process = subprocess.Popen(shell, pass_fds=(read, write), stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(read)
        os.close(write)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.events = []
        target = self.send("Target.createTarget", url="about:blank")
        self.session = self.send("Target.attachToTarget", targetId=target["targetId"],
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def receive(self):
        while b"\0" not in self.buffer:
            part = os.read(self.answers, 1 << 16)
            if not part:
                raise RuntimeError("the browser ended")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def send(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def open(self, path, dark=False):
        self.events.clear()
        self.send("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.send("Page.navigate", url=path.absolute().as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.receive())

    def value(self, expression):
        """What the expression is in the page, once its next picture is drawn."""
        frames = "new Promise(go => requestAnimationFrame(() => requestAnimationFrame(go)))"
        result = self.send("Runtime.evaluate", awaitPromise=True, returnByValue=True,
                           expression=f"{frames}.then(() => ({expression}))")
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def key(self, key):
        text = {"text": key} if len(key) == 1 else {}
        if key == "Enter":
            text = {"text": "\r"}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def complaints(self):
        found = []
        for event in self.events:
            method, told = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(json.dumps(told["exceptionDetails"]))
            elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning"):
                found.append(json.dumps(told["args"]))
            elif method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
                found.append(told["entry"]["text"])
        return found

    def picture(self, path):
        path.write_bytes(base64.b64decode(
            self.send("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        try:
            self.send("Browser.close")
        except (RuntimeError, OSError):
            pass
        self.process.wait(timeout=20)
        os.close(self.to)
        os.close(self.answers)
        self.home.cleanup()
