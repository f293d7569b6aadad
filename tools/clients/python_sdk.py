"""Calls the methods of a Python SDK for tools/clients: a JSON line each way for a call.

python3 python_sdk.py FOLDER API_KEY  (FOLDER is a checkout of the SDK: reference.md and src/PACKAGE)
"""

import datetime
import importlib.metadata
import inspect
import json
import pathlib
import re
import sys

folder, api_key = pathlib.Path(sys.argv[1]), sys.argv[2]
package = next(p.parent.name for p in folder.glob("src/*/client.py"))
sys.path.insert(0, str(folder / "src"))
version = re.search(r'^version = "(.*?)"', (folder / "pyproject.toml").read_text(), re.M)[1]
# Some read their version from an installed package.
importlib.metadata.version = lambda _: version
module = __import__(package)
name = package.capitalize()
Client = getattr(module, name)
TIMEOUT_SECONDS = 60


def client_of(base_url):
    return Client(base_url=base_url, api_key=api_key, timeout=TIMEOUT_SECONDS)


def list_methods(client):
    for resource in sorted(n for n in dir(client) if not n.startswith("_")):
        value = getattr(client, resource)
        if not hasattr(value, "with_raw_response"):
            continue
        for method, _ in inspect.getmembers(value, inspect.ismethod):
            if not method.startswith("_"):
                yield f"{resource}.{method}"


class Recorder:
    """A client that only writes down how it was called."""

    def __init__(self, calls, path=()):
        self.calls, self.path = calls, path

    def __getattr__(self, name):
        return Recorder(self.calls, (*self.path, name))

    def __call__(self, *positional, **named):
        self.calls.append({"method": ".".join(self.path), "positional": positional, "named": named})
        return iter(())


def plain(value):
    if hasattr(value, "dict"):
        return plain(value.dict(exclude_none=True))
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


def read_examples():
    reference = (folder / "reference.md").read_text()
    for code in re.findall(r"```python\n(.*?)```", reference, re.S):
        calls = []
        setattr(module, name, lambda **_: Recorder(calls))
        exec(code, {})
        yield plain(calls[0])
    setattr(module, name, Client)


def call(base_url, method, positional, named):
    resource, function = method.split(".")
    target = getattr(getattr(client_of(base_url), resource), function)
    hints = inspect.signature(target).parameters
    # The examples of some SDKs have arguments that their methods do not take.
    taken = {key: typed(hints[key], value) for key, value in named.items() if key in hints}
    answer = target(*positional, **taken)
    if inspect.isgenerator(answer):
        for _ in answer:
            pass


def typed(parameter, value):
    """Dates and files are arguments of their own types."""
    hint = str(parameter.annotation)
    if isinstance(value, list) and "List" not in hint and "Sequence" not in hint:
        return typed(parameter, value[0])
    if isinstance(value, list):
        return [typed(parameter, each) for each in value]
    if isinstance(value, dict) and "$file" in value:
        return ("report.pdf", value["$file"].encode(), "application/pdf")
    if isinstance(value, str) and re.search(r"\b(dt|datetime)\.datetime\b", hint):
        return datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
    if isinstance(value, str) and re.search(r"\b(dt|datetime)\.date\b", hint):
        return datetime.date.fromisoformat(value[:10])
    return value


def say(value):
    print(json.dumps(value), flush=True)


say(
    {
        "name": package + "-python",
        "version": version,
        "methods": list(list_methods(client_of("http://127.0.0.1:9"))),
        "examples": list(read_examples()),
    }
)
for line in sys.stdin:
    asked = json.loads(line)
    try:
        call(asked["baseUrl"], asked["method"], asked["positional"], asked["named"])
        say({"ok": True})
    except Exception as error:
        status, body = getattr(error, "status_code", None), getattr(error, "body", None)
        say({"ok": False, "reason": f"{type(error).__name__}: {status} {plain(body)}" if status else repr(error)[:400]})
