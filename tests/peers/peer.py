"""kubernetes-validate. `catch FILE`: what it says of each mistake, as JSON. `time FILE`: seconds for each document, of the
first thirty: it reads its schemas anew for every one, so that more would tell nothing else."""
import json
import sys
import time
import kubernetes_validate
import yaml


def judge(text):
    """None if every document is accepted, else the message."""
    try:
        for document in yaml.safe_load_all(text):
            kubernetes_validate.validate(document, "1.30", strict=True)
    except kubernetes_validate.ValidationError as error:
        return ".".join(map(str, error.path)) + ": " + error.message
    except Exception as error:  # whatever it raises, a person would see that something is wrong
        return f"{type(error).__name__}: {getattr(error, 'message', error)}"
    return None


text = open(sys.argv[2]).read()
if sys.argv[1] == "catch":
    for mistake in text.split("#### ")[1:]:
        title, manifest = mistake.split("\n", 1)
        print(json.dumps({"title": title, "says": judge(manifest)}))
else:
    text = "\n---\n".join(text.split("\n---\n")[:30])
    documents = text.count("\n---\n") + 1
    times = []
    for _ in range(3):
        start = time.process_time()
        assert judge(text) is None, judge(text)
        times.append(time.process_time() - start)
    print(json.dumps({"kubernetes-validate": min(times) / documents}))
