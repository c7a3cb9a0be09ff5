"""Whether the answer is named: as it is written, or at least in other letters."""
import re


def get_assert(output, context):
    answer = context["vars"]["answer"]
    if re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", output):
        return {"pass": True, "score": 1.0, "reason": f"{answer} is named"}
    if answer.lower() in output.lower():
        return {"pass": True, "score": 0.5, "reason": f"{answer} is named in other letters or inside a word"}
    return {"pass": False, "score": 0.0, "reason": f"{answer} is not named"}
