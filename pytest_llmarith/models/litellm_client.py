"""Sends single requests through litellm, without retries.

Only this module imports litellm.

It runs in the broker's process and configures litellm, its HTTP transport and its
loggers there.
"""

from __future__ import annotations

import gc
import inspect
import json
import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from difflib import get_close_matches
from types import SimpleNamespace
from typing import Any

from msgspec import structs

from pytest_llmarith.models import httpx_guard, responses
from pytest_llmarith.models.asking import ModelTerms
from pytest_llmarith.models.error_bodies import error_in_reply
from pytest_llmarith.models.provider_errors import (
    NotSent,
    UnusableResponse,
    is_filtered,
    no_key,
    words_of,
)
from pytest_llmarith.models.providers import (
    cost_in,
    key_variable,
    listed,
    no_such_model,
    provider_of,
    terms_in,
    tier_of,
    tiers_of,
)
from pytest_llmarith.records import Reply
from pytest_llmarith.types import COMPLETION_PREFIX, Model, Prompt

# These libraries log requests and responses, and some providers take the key in the
# URL.
_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore")
_OPENAI_KEY = "OPENAI_API_KEY"
_LOCAL_LIST = "LITELLM_LOCAL_MODEL_COST_MAP"
_MARKER = "the text of the question, 8f1d0c26"
# litellm would send a request to these providers to look up a model.
_ASK_A_SERVER = ("huggingface", "lemonade", "ollama", "ollama_chat")


class LitellmClient:
    """The way to every provider that litellm knows.

    The first use imports litellm, which takes seconds.
    """

    def __init__(self) -> None:
        self._imported: Any = None
        self._bodies: dict[str, str] = {}

    def prepare(self) -> None:
        """Import litellm."""
        _ = self.litellm

    @property
    def litellm(self) -> Any:
        """litellm itself."""
        if self._imported is None:
            self._imported = _imported()
        return self._imported

    def terms(self, model: Model) -> ModelTerms:
        """The model's terms in litellm's price list."""
        entry = None
        if self._imported is None and _LOCAL_LIST not in os.environ:
            # As litellm would find it, which takes seconds to import.
            entry = listed().get(model.target)
        return terms_in(entry or self._entry(model), tier_of(model.params))

    def unknown_parameter(self, model: Model) -> str | None:
        """Why a model cannot be asked: litellm does not know it, or its provider does
        not have a parameter; None if there is no reason.
        """
        if not model.params and model.target in listed():
            return None
        if not self._knows(model):
            return f"{model.target}: {no_such_model(model.target)}"
        if not model.params or model.api_base is not None:
            return None
        return _unknown_parameter(self.litellm, model)

    def _knows(self, model: Model) -> bool:
        """Whether litellm has a provider for a model.

        Of some named providers litellm would ask for a login.
        """
        prefix, slash, _ = model.target.partition("/")
        if "custom_llm_provider" in model.params or model.api_base is not None:
            return True
        if slash and prefix in self.litellm.provider_list:
            return True
        try:
            self.litellm.get_llm_provider(model.target)
        except Exception:  # litellm raises several
            return False
        return True

    async def request(self, model: Model, prompt: Prompt, timeout_s: float) -> Reply:
        """Send one request.

        Raises litellm's errors, which `provider_errors.diagnose` interprets.
        """
        provider = provider_of(model.target, os.environ) or ""
        if provider.startswith(COMPLETION_PREFIX) and not model.is_completion:
            # litellm would send each message as a prompt of its own, which is paid for.
            raise NotSent(f"continues a text; write {provider}/{model.target}")
        litellm, exchange = self.litellm, httpx_guard.Exchange()
        arguments = _arguments(model, prompt, timeout_s)
        try:
            with httpx_guard.watched(exchange):
                response = await litellm.acompletion(**arguments)
        except Exception as error:
            violates_policy = isinstance(error, litellm.ContentPolicyViolationError)
            if violates_policy or is_filtered(error):
                return Reply("", finish_reason="content_filter")
            if exchange.answer is not None:
                return _unread(model, responses.parsed(exchange.answer), error)
            if exchange.sent:
                raise
            why = self._why_not_sent(model, error)
            if why is None:
                raise
            raise why from error
        answer = _parsed(exchange.answer)
        form = _in_openais_form(response, answer)
        reply = responses.reply_in(form)
        cost = self._cost(model, response, reply, responses.tokens_in(form))
        if tier_of(model.params) and self.terms(model).price is None:
            cost = None  # litellm uses the default price for an unlisted tier
        return _with_cost(reply, cost)

    def body(self, model: Model, prompt: Prompt) -> tuple[str, str]:
        """The path and the JSON of the request that litellm would send.

        It makes one for each system prompt, in which the prompt is then replaced,
        because litellm takes milliseconds. Raises NotSent.
        """
        path = "/v1/chat/completions"
        if provider_of(model.target, os.environ) == "anthropic":
            path = "/v1/messages"
        *before, last = messages = model.messages(prompt)
        text = last["content"]
        if not text or text != text.strip():  # litellm may change it
            return path, self._body(model, messages)
        shared = json.dumps([model.target, model.api_base, model.params, before])
        if shared not in self._bodies:
            marked = {**last, "content": _MARKER}
            self._bodies[shared] = self._body(model, [*before, marked])
        body = self._bodies[shared].replace(json.dumps(_MARKER), json.dumps(text))
        return path, body

    def _body(self, model: Model, messages: list[dict[str, str]]) -> str:
        raw = self.raw_request(model, messages)
        body = raw.get("raw_request_body") or {}
        if "messages" not in body:
            why = raw.get("error") or (
                "litellm asks this model at another endpoint, whose requests have no file"
            )
            raise NotSent(str(why))
        more = body.pop("extra_body", None) or {}  # OpenAI's client merges it
        return json.dumps({**body, **more})

    def raw_request(self, model: Model, messages: list[dict[str, str]]) -> Any:
        """The body and the headers of a request that litellm would send."""
        arguments = {
            **model.params,
            "model": model.target,
            "messages": messages,
            "max_retries": 0,
        }
        if model.api_base is not None:
            arguments["api_base"] = model.api_base
        return self.litellm.utils.return_raw_request(
            self.litellm.types.utils.CallTypes.completion, arguments
        )

    def read(self, model: Model, body: Mapping[str, Any]) -> Reply:
        """The reply in the body of a response of a batch, without its cost."""
        error = error_in_reply(body, responses.first_of(body))
        if error is not None:
            raise error
        try:
            response = _transformed(self.litellm, model, body)
        except Exception as failure:
            return _unread(model, body, failure)
        return responses.reply_in(_in_openais_form(response, body))

    async def close(self) -> None:
        """Stop litellm's logging tasks."""
        if self._imported is not None:
            from litellm.litellm_core_utils.logging_worker import (
                GLOBAL_LOGGING_WORKER as worker,
            )

            with suppress(Exception):
                await worker.stop()

    def _why_not_sent(self, model: Model, error: Exception) -> NotSent | None:
        """Why litellm sent nothing; None if it is not known."""
        if isinstance(error, ImportError | UnicodeError):
            return None
        try:
            name, provider, *_ = self.litellm.get_llm_provider(model.target)
        except Exception:  # litellm raises several
            return NotSent(no_such_model(model.target))
        if isinstance(error, self.litellm.UnsupportedParamsError):
            taken = self.litellm.get_supported_openai_params(name, provider) or ()
            known = set(self.litellm.OPENAI_CHAT_COMPLETION_PARAMS).difference(taken)
            refused = [param for param in model.params if param in known]
            said = words_of(error)
            if refused:
                said = f"takes no {', '.join(refused)}"
            return NotSent(f"{said}; remove it, or choose another model")
        return no_key(model)

    def _cost(
        self, model: Model, response: Any, reply: Reply, tokens: responses.TokenCounts
    ) -> Any:
        """The cost of a response by litellm, or by its price list if it believes other
        token counts than we do, or another tier was served.
        """
        tiers = tiers_of(model.params, reply.served_tier)
        is_corrected = _correct(response, tokens)
        # litellm takes `default` for a tier with prices of its own.
        is_usual = tiers == {None} and reply.served_tier is None
        if is_usual and not is_corrected:
            hidden = getattr(response, "_hidden_params", None) or {}
            return hidden.get("response_cost")
        if tokens.prompt is None or tokens.completion is None:
            return None
        return cost_in(
            self._entry(model),
            tiers,
            tokens.prompt,
            tokens.cached,
            tokens.to_cache,
            tokens.completion,
        )

    def _entry(self, model: Model) -> Mapping[str, Any]:
        """The model's entry in litellm's price list; empty if it has none."""
        key = model.target
        try:
            if key.partition("/")[0] not in _ASK_A_SERVER:
                key = self.litellm.get_model_info(key)["key"]
        except Exception:  # litellm raises a bare Exception for an unlisted model
            return {}
        return self.litellm.model_cost.get(key) or {}


def _arguments(model: Model, prompt: Prompt, timeout_s: float) -> dict[str, Any]:
    """The arguments of litellm: the user's parameters, without retries of litellm and
    the SDKs.

    OpenAI's client requires a key even for a server that needs none; it then gets a
    placeholder.
    """
    arguments = {
        **model.params,
        "model": model.target,
        "messages": model.messages(prompt),
        "timeout": timeout_s,
        "max_retries": 0,
        "num_retries": 0,
    }
    if model.api_base is not None:
        arguments["api_base"] = model.api_base
        if (
            not os.environ.get(_OPENAI_KEY)
            and key_variable(model.target, os.environ) == _OPENAI_KEY
        ):
            arguments["api_key"] = "none"
    return arguments


def _imported() -> Any:
    # Otherwise litellm downloads its price list on import; a user may ask for that.
    os.environ.setdefault(_LOCAL_LIST, "True")
    # Otherwise litellm reads the first `.env` in the folders above its own.
    os.environ["LITELLM_MODE"] = "PRODUCTION"
    gc.disable()  # what an import makes stays: to look through it takes a sixth of 3 s
    try:
        import litellm
        import openai.resources  # noqa: F401  # else imported during the first request, as part of its latency
    finally:
        gc.enable()

    litellm.suppress_debug_info = True
    if "LITELLM_LOG" not in os.environ:
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    httpx_guard.guard_transports()
    # pydantic builds its validators for the first response, which takes 0.5 s and would
    # count as latency.
    litellm.completion(
        model="openai/first",
        messages=[{"role": "user", "content": "1 + 1"}],
        mock_response="2",
    )
    return litellm


# --- responses ------------------------------------------------------------------------


def _in_openais_form(response: Any, answer: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of litellm's response that a reply is read from, with what the provider
    itself said in its `answer`.
    """
    choices = []
    for choice in (getattr(response, "choices", None) or ())[:1]:
        message = choice.message
        specific = getattr(message, "provider_specific_fields", None) or {}
        refusal = getattr(message, "refusal", None) or specific.get("refusal")
        choices.append(
            {
                "finish_reason": choice.finish_reason,
                **_finish_reasons(answer),
                "logprobs": _logprobs(choice, answer),
                "message": {
                    "content": message.content,
                    "refusal": refusal,
                    "reasoning_content": getattr(message, "reasoning_content", None),
                    # litellm takes the first key, also if it holds nothing.
                    "reasoning": specific.get("reasoning"),
                    "reasoning_details": specific.get("reasoning_details"),
                },
            }
        )
    return {
        **answer,
        "model": getattr(response, "model", None),
        "system_fingerprint": getattr(response, "system_fingerprint", None),
        "choices": choices,
        "usage": _counts(response, answer),
        "service_tier": responses.served_tier(answer),
    }


def _parsed(answer: bytes | None) -> Mapping[str, Any]:
    """The answer of a provider; empty if it is no object."""
    found = None
    if answer is not None:
        with suppress(UnusableResponse):
            found = responses.parsed(answer)
    return found if isinstance(found, dict) else {}


def _finish_reasons(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The provider's own words, of which litellm makes `stop` if it knows none.

    They are in the first choice or candidate (Google), or in the answer (Anthropic).
    """
    choice = responses.first_of(answer)
    if choice is not None:
        names = ("finish_reason", "native_finish_reason")
        return {name: choice.get(name) for name in names}
    candidate = responses.first_of(answer, "candidates")
    if candidate is not None:
        return {"native_finish_reason": candidate.get("finishReason")}
    return {"native_finish_reason": answer.get("stop_reason")}


def _logprobs(choice: Any, answer: Mapping[str, Any]) -> Any:
    """Those of the provider, or what litellm makes of another form."""
    said = (responses.first_of(answer) or {}).get("logprobs")
    if said is None:
        found: Any = getattr(choice, "logprobs", None)
        said = found.model_dump() if hasattr(found, "model_dump") else found
    return said


def _counts(response: Any, answer: Mapping[str, Any]) -> Any:
    """The token counts of the provider in OpenAI's form: its own, or litellm's."""
    said = answer.get("usage")
    if isinstance(said, dict) and "prompt_tokens" in said:
        return said
    usage = getattr(response, "usage", None)
    if usage is None:
        return None
    details = getattr(usage, "completion_tokens_details", None)
    reasoning_tokens = getattr(details, "reasoning_tokens", None)
    return {
        "prompt_tokens": getattr(usage, "prompt_tokens", None),
        "completion_tokens": getattr(usage, "completion_tokens", None),
        "total_tokens": getattr(usage, "total_tokens", None),
        "completion_tokens_details": {"reasoning_tokens": reasoning_tokens},
    }


def _correct(response: Any, tokens: responses.TokenCounts) -> bool:
    """Let a response of litellm count what is believed; whether it counted something
    else.
    """
    usage = getattr(response, "usage", None)
    if usage is None or tokens.completion is None or tokens.prompt is None:
        return False
    if (usage.prompt_tokens, usage.completion_tokens) == tokens[:2]:
        return False
    usage.prompt_tokens, usage.completion_tokens = tokens[:2]
    return True


def _with_cost(reply: Reply, cost: Any) -> Reply:
    """The reply with its cost; without token counts no price can be trusted, and
    litellm's 0 means unknown.
    """
    has_counts = reply.prompt_tokens is not None or reply.completion_tokens is not None
    if not has_counts or not isinstance(cost, int | float):
        return reply
    if not 0 < cost <= responses.MAX_COUNTED:  # also if it is no finite number
        return reply
    return structs.replace(reply, cost_usd=float(cost))


def _unread(model: Model, answer: Any, error: Exception) -> Reply:
    """What the answer holds that litellm could not read, if it is of OpenAI's form.

    Raises UnusableResponse.
    """
    choice = responses.first_of(answer)
    refused = error_in_reply(answer, choice)
    if refused is not None:
        raise refused from error
    if choice is not None or provider_of(model.target, os.environ) == "openai":
        return responses.reply_in(answer)
    raise UnusableResponse(f"the response cannot be read: {words_of(error)}") from error


def _transformed(litellm: Any, model: Model, body: Mapping[str, Any]) -> Any:
    """The response to a single request with this body, as litellm returns it."""
    import httpx

    name, provider, *_ = litellm.get_llm_provider(model.target)
    config = litellm.OpenAIGPTConfig()
    if provider in ("anthropic", "mistral", "xai"):
        config = litellm.utils.ProviderConfigManager.get_provider_chat_config(
            name, litellm.types.utils.LlmProviders(provider)
        )
    return config.transform_response(
        model=name,
        raw_response=httpx.Response(200, json=body),
        model_response=litellm.ModelResponse(),
        logging_obj=SimpleNamespace(
            post_call=lambda **said: None, model_call_details={}
        ),
        request_data={},
        messages=[],
        optional_params={},
        litellm_params={},
        encoding=None,
    )


# --- parameters that a provider lacks -------------------------------------------------

# Some providers ignore a misspelled parameter, so it would not be noticed. litellm's
# lists cover those of a few providers; servers of one's own, proxies and aggregators
# may have any others.
_LISTED = ("openai", "anthropic", "gemini", "mistral", "xai", "deepseek", "groq")
_AS_THEY_ARE = ("extra_body", "extra_headers", "extra_query")


def _unknown_parameter(litellm: Any, model: Model) -> str | None:
    """Why a model cannot be asked, or None.

    It names the first parameter that its provider does not have, and the nearest one
    it has.
    """
    try:
        name, provider, *_ = litellm.get_llm_provider(model.target)
        if provider not in _LISTED:
            return None
        own = _parameters_of(litellm, name, provider)
    # litellm raises bare Exceptions for an unknown model, which the first question
    # reports
    except Exception:
        return None
    general = {
        *inspect.signature(litellm.completion).parameters,
        *litellm.types.utils.all_litellm_params,
    }
    for parameter in model.params:
        if parameter in own or parameter in general or parameter in _AS_THEY_ARE:
            continue
        advice = "remove it, or send it in extra_body"
        nearest = get_close_matches(parameter, sorted(own), n=1)
        if nearest:
            advice = f"write {nearest[0]}"
        return (
            f"{model.target}: {provider} has no parameter {parameter!r} that "
            f"litellm knows; {advice}"
        )
    return None


def _parameters_of(litellm: Any, name: str, provider: str) -> set[str]:
    """The names of OpenAI that litellm translates, and the provider's own names."""
    config = litellm.utils.ProviderConfigManager.get_provider_chat_config(
        name, litellm.types.utils.LlmProviders(provider)
    )
    parameters = {
        *litellm.get_supported_openai_params(name, provider),
        *litellm.constants.DEFAULT_CHAT_COMPLETION_PARAM_VALUES,
        *inspect.signature(type(config).__init__).parameters,
    }
    if provider == "anthropic":
        parameters.update(
            litellm.types.llms.anthropic.AnthropicMessagesRequestOptionalParams.__annotations__
        )
    return parameters - {"self"}
