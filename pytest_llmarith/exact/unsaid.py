"""Drops what stands in a reply for machines: addresses, tool calls, the code of
programs, data about the answer, and the footers that shells and databases print below
a table.

Every pattern takes linear time.
"""

from __future__ import annotations

import re

_CLOSING_MARKS = "，。、；）」』》”’"
_ADDRESS = re.compile(
    rf"https?:(?:\\?/){{2}}[^\s\"'<>()\[\]{{}},;|`{_CLOSING_MARKS}]*+", re.IGNORECASE
)

# Tool calls, as models write them where no server has read them. A call that does not
# end goes on to the end of the reply.
_TAG = (
    r"(?:\w{1,20}:|[|｜]?DSML[|｜]|start_|end_)?"
    r"(?:tool[_▁]?calls?|tool_use|use_mcp_tool|function[_▁]?calls?|function|invoke"
    r"|parameters?|arguments|execute)(?![a-z]|_?(?:result|response|output))"
)
_CALLS = {
    # Hermes, Qwen, Anthropic, Llama, DeepSeek, Kimi, GLM, MiniMax, Granite, Gemma
    rf"<[|｜]?{_TAG}[^<>\n]{{0,80}}>": (
        rf"</[|｜]?{_TAG}>|<[|｜]/{_TAG}[|｜]>|<end_function_call>|<tool_call\|>"
        r"|<[|｜]\w{1,40}[_▁]end[|｜]>"
    ),
    r"<\|python_tag\|>": r"<\|(?:eom|eot)_id\|>",  # Llama
    r"\[TOOL_CALLS\]": r"\[/?TOOL_(?:CALLS|RESULTS)\]",  # Mistral
    r"<\|START_ACTION\|>": r"<\|END_ACTION\|>",  # Cohere
    r"<\|action_start\|>": r"<\|action_end\|>",  # InternLM
    r"to=functions": r"<\|(?:call|end)\|>",  # gpt-oss
    r"```tool_code": r"```",  # Gemma
}
_CALL = re.compile(
    "|".join(f"{start}.*?(?:{end}|\\Z)" for start, end in _CALLS.items()), re.DOTALL
)
_OBJECT = r"\{(?:[^{}]++|\{(?:[^{}]++|\{[^{}]*+\})*\})*(?:\}|\Z)"
_ARGUMENTS = re.compile(
    r"[\"'](?:\w+_)?(?:arguments|parameters|args|kwargs|input)[\"']\s*:\s*"
    rf"(?:{_OBJECT}|\"(?:[^\"\\]++|\\.)*\"|\[[^\[\]]*\])"
    rf"|(?:\[ARGS\]|Action Input:)\s*(?:{_OBJECT}|[^\n]*)"
)

# Programs. What a call is given is not its value, if it is more than one number.
_ARGUMENTS_OF = (
    r"\((?:[^()\n]++|\((?:[^()\n]++|\((?:[^()\n]++|\([^()\n]*+\))*\))*\))*\)"
)
_FUNCTION = re.compile(
    rf"(?<![\w\\.])(?P<name>[A-Za-z_]\w{{1,40}}(?P<path>\.\w[\w.]*)?)(?P<given>{_ARGUMENTS_OF})"
    r"(?:[ ]?[-+*/][ ]?\d[\d.]*+)?"
)
_GIVEN = re.compile(r"(?<=\w)\(")
_SHOWN = re.compile(
    r"\(\s*(?:(?:answer|result)\s*=\s*)?[\"']?[-+]?\d[\d.,]*[\"']?\s*\)|.*[\d(]\s*=",
    re.DOTALL,
)
_PROGRAM = re.compile(
    r"```(?:python\d?|py|javascript|js|typescript|ts|bash|sh|shell|sql|c|cpp|java|go|rust|ruby|r)\b"
    r"(?P<code>.*?)(?:```|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_STATEMENT = re.compile(
    r"^[ \t]*(?:(?:let|const|var|int|long|double|auto)[ ])?"
    r"(?:(?!\w*(?:answer|result|sum|total|product|difference|quotient)[ ]*=)[\w.()]+[ ]*[-+*/]?=(?!=)[^#\n]*"
    r"|\w+[ ]*=[ ]*[01][ ;]*$)|\b(?:return|for|while|if)\b[^#\n]*",
    re.MULTILINE,
)
_COMMENT = re.compile(r"#|//|--[ ]")

# Data about the answer. `REMAINDER` says that the number behind it is another.
REMAINDER = " remainder "
_NAMES = (
    "confidence|certainty|probability|likelihood|difficulty|rating|score|id|index"
    "|version|status|code|steps?|timeout|precision|prec|scale|ndigits|decimals"
    "|retries|port|tokens|elapsed|duration|runtime|latency|created|took"
)
_NAME = rf"(?:[A-Za-z]{{1,20}}_)?(?i:{_NAMES})(?:_\w{{1,20}})?"
_DATA = re.compile(
    rf"(?:^[ \t]*|[\"'<]){_NAME}(?:>\s*|[\"']?[ ]*[:=][ ]*(?=[\"'\[]?[-+.\d]))",
    re.MULTILINE,
)
_FOOTER = re.compile(
    r"^[ │|]*(?:\(\d+[ ]rows?(?:[ ]affected)?\)|\[\d+[ ]rows[ ]x[ ]\d+[ ]columns\]"
    r"|\d+[ ]rows?[ ](?:in[ ]set|selected|affected|returned|fetched|retrieved|\()[^\n]*"
    r"|(?:shape:[ ]|Process[ ]finished|real\s|user\s|sys\s)[^\n]*)[ │|]*$"
    r"|^[ ]*\+[-=+]{2,}\+[ ]*$",
    re.MULTILINE,
)
_BELOW_A_TABLE = re.compile(r"([-+|┘])\n\s*\d+[ ]rows?[ ]*\Z")


def said(text: str) -> str:
    """The text without what it holds for machines."""
    if "://" in text or ":\\/" in text:
        text = _ADDRESS.sub(" ", text)
    text = _CALL.sub("\ncall\n", text)
    if ":" in text or "[ARGS]" in text:
        text = _ARGUMENTS.sub(" ", text)
    if "```" in text:
        text = _PROGRAM.sub(_shown, text)
    if _GIVEN.search(text):
        text = _FUNCTION.sub(_without_arguments, text)
    text = _DATA.sub(REMAINDER, text)
    return _BELOW_A_TABLE.sub(r"\1", _FOOTER.sub("─", text))


def _without_arguments(call: re.Match[str]) -> str:
    if _SHOWN.match(call["given"]) and not call["path"]:
        return call[0]
    return call["name"]


def _shown(program: re.Match[str]) -> str:
    """What a program shows: its comments, and its lines that are no statements."""
    code = _FUNCTION.sub(_without_arguments, program["code"])
    return "\n" + _COMMENT.sub("\n", _STATEMENT.sub("", code)) + "\n"
