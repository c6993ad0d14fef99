"""Where the answer of a reply stands: behind the thought, and before a next turn.

Servers without the right parser leave the markers of thoughts and turns in the text, in
as many styles as there are families of models. The opening marker is often missing, as
the chat template holds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum, auto
from functools import cache, cached_property
from itertools import chain
from typing import Any, NamedTuple


class Style(NamedTuple):
    """How models mark their thoughts, or the answer behind one.

    In a marker, a space stands for any white space or none, `…` for a few characters,
    and in the tables below `⏎` for a line break.
    """

    opening: str
    closing: str
    writers: str
    source: str


def _cells(row: str) -> list[str]:
    """The cells of a row, which are two spaces apart."""
    return re.split(" {2,}", row.replace("⏎", "\n"))


def _styles(table: str) -> tuple[Style, ...]:
    return tuple(Style(*_cells(row)) for row in table.strip().split("\n"))


STYLES = _styles("""
<think>                 </think>                  DeepSeek, Qwen, GLM, Kimi K2, MiniMax, Nemotron, ERNIE  vLLM, SGLang
<thinking>              </thinking>               Claude and Nova without a parser  Open WebUI
<thought>               </thought>                EXAONE Deep, Gemini               Open WebUI
<thoughts>              </thoughts>               prompts                           memory
<reason>                </reason>                 prompts                           Open WebUI
<reasoning>             </reasoning>              prompts, GRPO                     Open WebUI
<reflect>               </reflect>                prompts                           memory
<reflection>            </reflection>             Reflection                        memory
<scratchpad>            </scratchpad>             prompts                           memory
<analysis>              </analysis>               prompts                           memory
<internal>              </internal>               prompts                           memory
<inner_monologue>       </inner_monologue>        agents                            memory
<working>               </working>                prompts                           memory
<cot>                   </cot>                    prompts                           memory
<redacted_thinking>     </redacted_thinking>      Claude                            memory
<budget:thinking>       </budget:thinking>        proxies                           litellm
<start_working_out>     <end_working_out>         GRPO                              Unsloth
<think:opensource>      </think:opensource>       Hunyuan HY V3                     vLLM
<seed:think>            </seed:think>             Seed-OSS                          vLLM
<think_never_used…>     </think_never_used…>      Doubao Seed                       published replies
<mm:think>              </mm:think>               MiniMax-M3                        vLLM, SGLang
<ifm|think>             </ifm|think>              K2-Horizon                        vLLM
<ifm|think_fast>        </ifm|think_fast>         K2-Horizon                        vLLM
<ifm|think_faster>      </ifm|think_faster>       K2-Horizon                        vLLM
<longcat_think>         </longcat_think>          LongCat                           vLLM
[THINK]                 [/THINK]                  Magistral, Ministral              vLLM, SGLang
[unused16]              [unused17]                Pangu                             vLLM
◁think▷                 ◁/think▷                  Kimi-VL                           SGLang
<|open|>think<|sep|>    <|close|>think<|sep|>     Kimi K3                           SGLang
<|START_THINKING|>      <|END_THINKING|>          Cohere Command                    vLLM
<|channel>thought       <channel|>                Gemma 4                           vLLM, SGLang
<|channel|>analysis…<|message|>  <|channel|>final…<|message|>  gpt-oss                           vLLM
<|channel|>commentary…<|message|>  <|channel|>final…<|message|>  gpt-oss                           vLLM
<|content_thinking|>    <|content_text|>          Inkling                           vLLM
<|inner_prefix|>        <|inner_suffix|>          Apertus                           vLLM, SGLang
to=self<|message|>      <|eom|> <|start|> assistant <|message|>  Muse Glimmer                      vLLM
to=self<|message|>      to=user<|message|>        Muse Glimmer                      vLLM
<|think|>               <|content|>               Solar Open                        vLLM
<|think|>               <|end|> <|content|>       Solar Open                        published replies
<|think:start|>         <|think:end|>             Solar Open 2                      vLLM
<|plamo:begin_think:plamo|>  <|plamo:end_think:plamo|>  PLaMo 3                           vLLM
<|begin_of_thought|>    <|end_of_thought|>        OpenThinker, Sky-T1               Open WebUI
Here are my reasoning steps:  [BEGIN FINAL RESPONSE]    Apriel                            llama.cpp
Here is my thought process:  Here is my response:      Granite 3.2                       vLLM
Here's my thought process:  Here's my response:       Granite 3.2                       vLLM
/think⏎                 <|im_end|> <|im_start|>assistant  HyperCLOVA X                      vLLM
Thinking...⏎            ...done thinking.         Ollama's terminal                 published replies
```thinking             ```                       prompts                           memory
<antThinking>           </antThinking>            Claude's prompts                  memory
<reasoning_content>     </reasoning_content>      proxies                           memory
<|thought|>             <|/thought|>              prompts                           memory
[REASONING]             [/REASONING]              prompts                           memory
[THINKING]              [/THINKING]               prompts                           memory
<unused94>thought       <unused95>                MedGemma                          memory
<details type="reasoning"…>  </details>                Open WebUI                        Open WebUI
""")
# What a decoder that skips special tokens leaves of gpt-oss.
BARE_STYLE = Style(
    *_cells(
        "analysis  assistantfinal  gpt-oss without its special tokens  published replies"
    )
)
ANSWER_STYLES = _styles("""
<answer>                </answer>                 Hunyuan A13B, DeepSeek-R1-Zero, GRPO  vLLM
<response>              </response>               ERNIE 4.5, Granite 3.3            vLLM
<output>                </output>                 Reflection, Marco-o1              memory
<solution>              </solution>               GRPO                              Unsloth
<final>                 </final>                  prompts                           memory
<final_answer>          </final_answer>           prompts                           memory
<conclusion>            </conclusion>             LLaVA-CoT                         memory
<|begin_of_box|>        <|end_of_box|>            GLM                               memory
<|begin_of_solution|>   <|end_of_solution|>       OpenThinker, Sky-T1               Open WebUI
<|START_RESPONSE|>      <|END_RESPONSE|>          Cohere Command                    vLLM
<|START_TEXT|>          <|END_TEXT|>              Cohere Command A+                 vLLM
<|open|>response<|sep|>  <|close|>response<|sep|>  Kimi K3                           SGLang
[BEGIN FINAL RESPONSE]  [END FINAL RESPONSE]      Apriel                            llama.cpp
""")

# What ends a turn, by whose templates have it.
TURN_ENDS = {
    writers: _cells(ends)
    for writers, ends in {
        "ChatML (Qwen and many)": "<|im_end|>  <|im_start|>  <|endoftext|>",
        "Llama": "<|eot_id|>  <|eom_id|>  <|end_of_text|>  <|start_header_id|>  <|eot|>  <|header_start|>",
        "Gemma": "<end_of_turn>  <start_of_turn>  <eos>  <turn|>  <|turn>",
        "Mistral, Llama 2": "[INST]  </s>",
        "DeepSeek": "<｜User｜>  <｜end▁of▁sentence｜>",
        "Phi, GLM, Zephyr, Granite": "<|user|>  <|end|>  <|observation|>  <|system|>  <|start_of_role|>",
        "gpt-oss, Solar, Muse": "<|return|>  <|call|>  <|eom|>  <|start|>  <|begin|>  <|flush|>",
        "Cohere": "<|END_OF_TURN_TOKEN|>  <|START_OF_TURN_TOKEN|>  <|USER_TOKEN|>",
        "Kimi": "<|im_user|>  <|end_of_msg|>  <|close|>message<|sep|>  [EOS]  [EOT]",
        "EXAONE": "[|user|]  [|endofturn|]  <|endofturn|>  <|stop|>",
        "others": "<|end_of_turn|>  <|assistant_end|>  <|user_start|>  <|end_message|>  <|message_user|>  "
        "<|content_model_end_sampling|>  <seed:eos>  <seed:bos>  [e~[  <|plamo:tag|>  [unused10]  [unused9]  "
        "<_end>  <_user>  <end_of_utterance>  <|prompter|>  <|Human|>  <human>:  <eop>  <eod>  <|eos|>",
        "Alpaca, Vicuna and base models": "⏎### Instruction:  ⏎### Input:  ⏎### Question:  "
        "⏎### Human:  ⏎### User:  ⏎User:  ⏎Human:",
        "templates without their special tokens": "⏎user⏎  ⏎assistant⏎  ⏎model⏎",
        "base models, behind nothing but a number": "⏎Q:  ⏎Question:",
    }.items()
}  # fmt: skip
# What a prompt ends with, which some replies repeat.
_HEADERS = (
    "[/INST]", "<|assistant|>", "<｜Assistant｜>", "<start_of_turn>model", "<|turn>model",
    "<|im_assistant|>assistant<|im_middle|>", "<|start_header_id|>assistant<|end_header_id|>",
    "<|header_start|>assistant<|header_end|>", "<|start_of_role|>assistant<|end_of_role|>",
    "<|CHATBOT_TOKEN|>", "<|im_start|>assistant", "### Response:",
)  # fmt: skip
# The model goes on in the same turn, with the answer behind the thought.
_NEXT_MESSAGES = (
    "<|end|> <|start|>assistant", "<|end|> <|begin|>assistant", "<|eom|> <|start|>assistant",
    "<|end_message|> <|message_model|>", "<|start|>assistant", "<|begin|>assistant", "<|message_model|>",
)  # fmt: skip


class Stripped(NamedTuple):
    """A reply without its thoughts; `cut` is true if the last thought is not closed,
    `start` is where the text stands in the reply.
    """

    text: str
    cut: bool
    start: int


class _Kind(Enum):
    """What a marker is; where several match, the first kind counts."""

    OPENING = auto()
    CLOSING = auto()
    ANSWER = auto()  # what opens the answer closes the thought
    NEXT_MESSAGE = auto()
    HEADER = auto()
    TURN = auto()


_ANY = r"[^<>\n]{0,60}(?:<\|constrain\|>[^<>\n]{0,20})?"


def _parts(marker: str) -> list[str]:
    r"""The pattern of a marker by characters.

    A line break, and what stands before `<|message|>`, are looked for behind the first
    one, as the search is faster for a plain character.
    """
    at = 1 if marker[0] == "\n" else 0
    if marker.startswith("to="):
        at = marker.find("<")
    parts = [re.escape(marker[at])]
    if at:
        parts.append(f"(?<={re.escape(marker[: at + 1])})")
    special = {" ": r"\s*+", "…": _ANY}
    return parts + [special.get(c) or re.escape(c) for c in marker[at + 1 :]]


def _any_of(markers: Iterable[str]) -> str:
    """A pattern of all markers, the longer ones first, that shares their beginnings."""
    trie: dict[str, Any] = {}
    for marker in markers:
        node = trie
        for part in _parts(marker):
            node = node.setdefault(part, {})
        node[""] = {}
    return "|".join(f"{first}(?i:{_branches(trie[first])})" for first in trie)


def _branches(node: Mapping[str, Any]) -> str:
    branches = []
    for part in sorted(node, reverse=True):  # the end of a marker comes last
        branches.append(part + (_branches(node[part]) if part else ""))
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"


_BY_KIND = {
    _Kind.OPENING: [style.opening for style in STYLES],
    _Kind.CLOSING: [style.closing for style in STYLES],
    _Kind.ANSWER: [style.opening for style in ANSWER_STYLES],
    _Kind.NEXT_MESSAGE: _NEXT_MESSAGES,
    _Kind.HEADER: _HEADERS,
    _Kind.TURN: [end for ends in TURN_ENDS.values() for end in ends],
}


@cache
def _patterns() -> tuple[re.Pattern[str], Mapping[_Kind, re.Pattern[str]]]:
    """The search for any marker, and the pattern of each kind.

    Compiled at the first use, as they are large.
    """
    kinds = {kind: re.compile(_any_of(found)) for kind, found in _BY_KIND.items()}
    return re.compile(_any_of(chain.from_iterable(_BY_KIND.values()))), kinds


# In prose, a name between brackets can be a word.
_TAG = re.compile(
    r"<\w+>|\[(?:THINK|THINKING|REASONING)\]|<details.*|`.*", re.IGNORECASE
)
_QUOTED = ("``", '""', "''")
_PAIRED = {"```": "`", "</details>": "<d"}  # and what their opening markers begin with
_OF_USER = re.compile(r"user|human|inst\]|prompter|system|start|begin|<\|turn", re.I)
_FILLED = re.compile(r"\S")
_ANY_DIGIT = re.compile(r"\d")
_ONLY_NUMBER = re.compile(r"[\s+-]*+[\d.,_ ]++\s*+")
_LONGEST_NUMBER = 200  # characters
_BEFORE = 40  # characters that are looked at before a tag
_LONGEST_CLOSING = 60  # characters, with white space behind it
_BARE_FINAL = re.compile(r"assistantfinal(?: ?json(?=[\s\[{\"\d-]))?")
_BARE_THOUGHT = re.compile(
    r"\s*+(?:assistant)?(?:(?:analysis|commentary)(?![ \t:,;.!?*_')-]|\s*+\Z)|commentary to=)"
)
_BARE_ANSWER = re.compile(r"\s*+final(?=[\d\[{-])")
_OPENS_ANSWER, _CLOSES_ANSWER = (
    re.compile(rf"\s*+(?:{'|'.join(map(re.escape, markers))})\s*+{end}", re.IGNORECASE)
    for markers, end in (
        ([style.opening for style in ANSWER_STYLES], ""),
        ([style.closing for style in ANSWER_STYLES], r"\Z"),
    )
)


def strip_thoughts(reply: str) -> Stripped:
    """What the first turn of a reply says behind its last thought, or before one that
    is not closed, without the markers around the answer.
    """
    found = _Scan(reply).found()
    start, end = found.answer
    opening = _OPENS_ANSWER.match(reply, start, end)
    if opening:
        start = opening.end()
    closing = _CLOSES_ANSWER.search(reply, max(start, end - _LONGEST_CLOSING), end)
    if closing:
        end = closing.start()
    return Stripped(reply[start:end], found.cut, start)


def thought_and_rest(reply: str) -> tuple[str, str]:
    """A reply divided behind its thought; the thought is empty if there is none, or
    none that is closed.
    """
    found = _Scan(reply).found()
    if found.thought is None:
        return "", reply
    return reply[slice(*found.thought)], reply[found.answer[0] :]


class _Found(NamedTuple):
    """Where the thought and the answer stand."""

    thought: tuple[int, int] | None
    answer: tuple[int, int]
    cut: bool


class _Scan:
    """One pass over the markers of a reply, in time linear in its length."""

    def __init__(self, reply: str) -> None:
        self._reply = reply
        self._begin(0)  # the answer
        self._thought: tuple[int, int] | None = None
        self._opened: re.Match[str] | None = None
        self._thought_start = 0
        self._repeats_prompt = False
        self._next_turn: int | None = None  # by words, which a thought may say, too
        self._before: tuple[int, int] | None = None
        self._digit = -1

    def found(self) -> _Found:
        end = len(self._reply)
        self._scan_without_tokens()
        for kind, found in self._markers():
            if self._ends_turn(kind, found):
                end = found.start()
                break
        if self._opened is not None:
            return _Found(self._thought, (self._start, self._opened.start()), True)
        if self._next_turn is not None:
            end = self._next_turn
        start = end if self._repeats_prompt else min(self._start, end)
        if self._before and not self._said(end):
            start, end = self._before
        return _Found(self._thought, (start, end), False)

    def _markers(self) -> Iterator[tuple[_Kind, re.Match[str]]]:
        any_marker, kinds = _patterns()
        at = self._start
        while marker := any_marker.search(self._reply, at):
            for kind, pattern in kinds.items():
                found = pattern.match(self._reply, marker.start())
                if found:
                    yield kind, found
                    at = found.end()
                    break

    def _begin(self, at: int) -> None:
        """Let the answer begin at a position."""
        self._start = at
        filled = _FILLED.search(self._reply, at)
        self._filled = filled.start() if filled else len(self._reply)

    def _said(self, at: int) -> bool:
        """Whether anything is said before a position."""
        return self._filled < at

    def _scan_without_tokens(self) -> None:
        """Find the thought of gpt-oss that a decoder leaves that skips its tokens."""
        finals = [*_BARE_FINAL.finditer(self._reply)]
        if finals:
            self._close(0, *finals[-1].span())
            return
        answer = _BARE_ANSWER.match(self._reply)
        if answer:
            self._begin(answer.end())
        self._opened = _BARE_THOUGHT.match(self._reply)

    def _ends_turn(self, kind: _Kind, found: re.Match[str]) -> bool:
        """Whether the first turn is over before this marker."""
        at, after = found.span()
        if kind is _Kind.OPENING:
            if self._opened or not self._is_opening(found):
                return False
            if self._next_turn is None:
                self._opened = found
                self._thought_start = self._thought_start or after
            return self._next_turn is not None
        if kind is _Kind.CLOSING:
            return self._closes(found)
        if kind is _Kind.ANSWER:
            if self._opened and self._is_opening(found):
                self._close(self._thought_start, at, at)
            return False
        if kind is _Kind.TURN:
            return self._begins_turn(found)
        if self._opened:
            return False
        if self._repeats_prompt or not self._said(at):
            self._begin(after)
            self._repeats_prompt = False
            return False
        return kind is _Kind.HEADER and found[0][0] != "#"

    def _is_opening(self, found: re.Match[str]) -> bool:
        """Whether it is a marker and no word: a tag at the beginning of a line or
        sentence, a phrase at the beginning of the reply, a token anywhere.
        """
        marker, at = found[0], found.start()
        if not self._said(at):
            return True
        if _TAG.fullmatch(marker):
            before = self._reply[max(0, at - _BEFORE) : at].rstrip(" \t*_")
            return not before or before[-1] in "\n.!?>"
        return marker[0] in "<[◁"

    def _closes(self, found: re.Match[str]) -> bool:
        at, after = found.span()
        opened = self._opened
        if self._reply[at - 1 : at] + self._reply[after : after + 1] in _QUOTED:
            return False
        if found[0] in _PAIRED and not (
            opened and opened[0].startswith(_PAIRED[found[0]])
        ):
            return False
        if not opened:
            if found[0][:4] == "<|im":  # the next message, behind a thought or answer
                is_answer = self._thought is not None or self._is_number(at)
                if is_answer and not self._repeats_prompt:
                    return True
            if self._next_turn is not None:
                if self._thought is not None:
                    return True
                self._next_turn = None  # it was a word of the thought
        said_to = opened.start() if opened else at
        if (opened or self._thought is not None) and self._said(said_to):
            self._before = self._start, said_to
        self._close(self._thought_start, at, after)
        return False

    def _close(self, start: int, at: int, after: int) -> None:
        self._thought = start, at
        self._begin(after)
        self._opened = None
        self._repeats_prompt = False

    def _begins_turn(self, found: re.Match[str]) -> bool:
        marker, at = found[0], found.start()
        if marker[0] not in "<[":
            is_turn = not self._opened and self._has_number(at)
            if marker[0] == "Q":
                is_turn = is_turn and self._is_number(at)
            if is_turn and self._next_turn is None:
                self._next_turn = at
            return False
        if self._opened or self._next_turn is not None:
            return True
        if marker == "</s>" and 0 <= self._strikes_out < at:
            return False
        if self._said(at) or self._thought is not None:
            return not self._repeats_prompt
        self._begin(found.end())
        self._repeats_prompt = bool(_OF_USER.search(marker))
        return False

    @cached_property
    def _strikes_out(self) -> int:
        """Where a tag begins that strikes text out."""
        return self._reply.find("<s>")

    def _has_number(self, at: int) -> bool:
        if self._digit < self._start:
            digit = _ANY_DIGIT.search(self._reply, self._start)
            self._digit = digit.start() if digit else len(self._reply)
        return self._digit < at

    def _is_number(self, at: int) -> bool:
        """Whether nothing but a number is said before a position."""
        if at - self._start > _LONGEST_NUMBER:
            return False
        return bool(_ONLY_NUMBER.fullmatch(self._reply, self._start, at))
