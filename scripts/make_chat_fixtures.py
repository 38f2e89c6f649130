# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "jinja2==3.1.6",
#     "tokenizers==0.23.3",
#     "transformers==5.24.0",
# ]
# ///
"""Makes chat templates in the styles of published models, with the text and ids that transformers renders.

Usage:
    python scripts/make_chat_fixtures.py [--out tests/fixtures/chat]

Each file but features.json holds a tokenizer.json (`tokenizer`), a tokenizer_config.json (`config`) with its
`chat_template`, the `date` that strftime_now tells, and `cases`: the user's `message`, the `text` that
`apply_chat_template` renders with the generation prompt, the `ids` that it makes of it (the text of special tokens means
the tokens everywhere), and `plain`: the ids where the message's special tokens are plain text. These are put together
from the pieces between the template's own special tokens, so they are null for tokenizers whose pieces depend on where
they stand. Equal to `ids` where the message holds no special token's text.

features.json holds one small template for each thing that templates use, with the text that it renders, or null where
it raises. Templates are written for this file.
"""

import argparse
import json
import re
import tempfile
from datetime import datetime
from pathlib import Path

from make_tokenizer_fixtures import BOS, byte_level, sentencepiece
from tokenizers import AddedToken, normalizers, pre_tokenizers, processors
from transformers import AutoTokenizer
from transformers.utils import chat_template_utils

DATE = "2024-07-26"


class FixedDate(datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.strptime(DATE, "%Y-%m-%d")


chat_template_utils.datetime = FixedDate

# A turn in square brackets; a system text goes into the first one; turns must alternate.
BRACKETS = """{% if messages[0]['role'] == 'system' %}{% set system = messages[0]['content'] %}{% set turns = messages[1:] %}\
{% else %}{% set system = false %}{% set turns = messages %}{% endif %}
{% for turn in turns %}
  {% if (turn['role'] == 'user') != (loop.index0 % 2 == 0) %}
    {{ raise_exception('Turns must go user, assistant, user, assistant') }}
  {% endif %}
  {% if loop.first and system is not false %}
    {% set text = '<<SYS>>\\n' + system + '\\n<</SYS>>\\n\\n' + turn['content'] %}
  {% else %}
    {% set text = turn['content'] %}
  {% endif %}
  {% if turn['role'] == 'user' %}
    {{- bos_token + '[INST] ' + text.strip() + ' [/INST]' }}
  {%- elif turn['role'] == 'assistant' %}
    {{- ' ' + text.strip() + ' ' + eos_token }}
  {%- endif %}
{% endfor %}"""

# Header tokens around the role, a dated system turn always, tools on request.
HEADERS = """{{- bos_token }}
{%- if custom_tools is defined %}{%- set tools = custom_tools %}{%- endif %}
{%- if not date_string is defined %}
    {%- if strftime_now is defined %}{%- set date_string = strftime_now("%d %b %Y") %}
    {%- else %}{%- set date_string = "01 Jan 2024" %}{%- endif %}
{%- endif %}
{%- if not tools is defined %}{%- set tools = none %}{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content'] | trim %}
    {%- set messages = messages[1:] %}
{%- else %}{%- set system_message = "" %}{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{%- if tools is not none %}{{- "Tools: " + tools | tojson(indent=4) + "\\n" }}{%- endif %}
{{- "Today: " + date_string + "\\n\\n" }}
{{- system_message }}
{{- "<|eot_id|>" }}
{%- for message in messages %}
    {%- if not (message.role == 'ipython' or 'tool_calls' in message) %}
        {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] | trim + '<|eot_id|>' }}
    {%- elif 'tool_calls' in message %}
        {%- if not message.tool_calls | length == 1 %}{{- raise_exception("one call at a time") }}{%- endif %}
        {{- message.tool_calls[0].function | tojson }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}
"""

# Start and end marks, a system turn of its own if none is given.
CHATML = """{%- if tools %}
    {{- '<|im_start|>system\\n' }}{%- for tool in tools %}{{- '\\n' }}{{- tool | tojson }}{%- endfor %}{{- '<|im_end|>\\n' }}
{%- elif messages[0]['role'] == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}
{%- else %}
    {{- '<|im_start|>system\\nYou answer in one word.<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) or (message.role == "assistant" and not message.tool_calls) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == "tool" %}
        {%- if (loop.index0 == 0) or (messages[loop.index0 - 1].role != "tool") %}{{- '<|im_start|>user' }}{%- endif %}
        {{- '\\n<result>\\n' }}{{- message.content }}{{- '\\n</result>' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""

# As ChatML, with thinking: the last question is looked for from the end, older thoughts are cut out.
THINKING = """{%- set ns = namespace(last=messages | length - 1, seen=false) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages | length - 1) - loop.index0 %}
    {%- if not ns.seen and message.role == "user" and message.content is string and not (message.content.startswith('<result>') and message.content.endswith('</result>')) %}
        {%- set ns.seen = true %}{%- set ns.last = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.content is string %}{%- set content = message.content %}{%- else %}{%- set content = '' %}{%- endif %}
    {%- if message.role == "assistant" %}
        {%- if '</think>' in content %}{%- set content = content.split('</think>')[-1].lstrip('\\n') %}{%- endif %}
        {% generation %}{{- content }}{% endgeneration %}
    {%- else %}
        {{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>' + '\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}
{%- endif %}
"""

# Bracket tokens, a namespace that counts turns, and loop controls.
ALTERNATING = """{%- if messages[0]["role"] == "system" %}
    {%- set system = messages[0]["content"] %}{%- set loop_messages = messages[1:] %}
{%- else %}{%- set loop_messages = messages %}{%- endif %}
{%- if not tools is defined %}{%- set tools = none %}{%- endif %}
{%- set users = loop_messages | selectattr("role", "equalto", "user") | list %}
{%- set ns = namespace() %}
{%- set ns.index = 0 %}
{%- for message in loop_messages %}
    {%- if message.role == "tool" %}{% continue %}{%- endif %}
    {%- if not (message.role == "user" or message.role == "assistant") %}{% break %}{%- endif %}
    {%- if (message["role"] == "user") != (ns.index % 2 == 0) %}
        {{- raise_exception("After the optional system message, roles must alternate user/assistant") }}
    {%- endif %}
    {%- set ns.index = ns.index + 1 %}
{%- endfor %}
{{- bos_token }}
{%- for message in loop_messages %}
    {%- if message["role"] == "user" %}
        {%- if tools is not none and (message == users[-1]) %}{{- "[TOOLS]" + tools | tojson }}{%- endif %}
        {%- if loop.last and system is defined %}{{- "[INST] " + system + "\\n\\n" + message["content"] + "[/INST]" }}
        {%- else %}{{- "[INST] " + message["content"] + "[/INST]" }}{%- endif %}
    {%- elif message["role"] == "assistant" %}{{- " " + message["content"] | trim + eos_token }}
    {%- else %}{{- raise_exception("Only user and assistant roles are supported") }}{%- endif %}
{%- endfor %}
"""

# The assistant is called model, there is no system role, texts are trimmed.
MODEL_ROLE = """{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}\
{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Roles must alternate') }}{% endif %}\
{% if (message['role'] == 'assistant') %}{% set role = 'model' %}{% else %}{% set role = message['role'] %}{% endif %}\
{{ '<start_of_turn>' + role + '\\n' + message['content'] | trim + '<end_of_turn>\\n' }}{% endfor %}\
{% if add_generation_prompt %}{{'<start_of_turn>model\\n'}}{% endif %}"""

# Role tokens at the beginning of lines.
ROLE_TOKENS = """{% for message in messages %}
{% if message['role'] == 'system' and message['content'] %}{{'<|system|>\\n' + message['content'] + '<|end|>\\n'}}
{% elif message['role'] == 'user' %}{{'<|user|>\\n' + message['content'] + '<|end|>\\n'}}
{% elif message['role'] == 'assistant' %}{{'<|assistant|>\\n' + message['content'] + '<|end|>\\n'}}
{% endif %}
{% endfor %}
{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% else %}{{ eos_token }}{% endif %}
"""

# Role names as plain text, the end of a turn as EOS.
ROLE_TEXT = """{% for message in messages %}
{% if message['role'] == 'user' %}
{{ '<|user|>\\n' + message['content'] + eos_token }}
{% elif message['role'] == 'system' %}
{{ '<|system|>\\n' + message['content'] + eos_token }}
{% elif message['role'] == 'assistant' %}
{{ '<|assistant|>\\n' + message['content'] + eos_token }}
{% endif %}
{% if loop.last and add_generation_prompt %}
{{ '<|assistant|>' }}
{% endif %}
{% endfor %}"""

# Wide bars, a namespace for the system text, no line ends.
WIDE_BARS = """{% if not add_generation_prompt is defined %}{% set add_generation_prompt = false %}{% endif %}\
{% set ns = namespace(is_first=false, system='', is_tool=false) %}\
{%- for message in messages %}{%- if message['role'] == 'system' %}{% set ns.system = message['content'] %}{%- endif %}{%- endfor %}\
{{bos_token}}{{ns.system}}\
{%- for message in messages %}\
{%- if message['role'] == 'user' %}{%- set ns.is_tool = false -%}{{'<｜User｜>' + message['content']}}{%- endif %}\
{%- if message['role'] == 'assistant' and message['content'] is not none %}\
{% set content = message['content'] %}{% if '</think>' in content %}{% set content = content.split('</think>')[-1] %}{% endif %}\
{{'<｜Assistant｜>' + content + eos_token}}{%- endif %}\
{%- endfor -%}\
{% if add_generation_prompt and not ns.is_tool %}{{'<｜Assistant｜>'}}{% endif %}"""

# Takes a list of parts only.
PARTS = """{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' }}\
{% for part in message['content'] | selectattr('type', 'equalto', 'text') %}{{ part['text'] }}{% endfor %}{{ '<|im_end|>\\n' }}{% endfor %}\
{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"""

MESSAGES = [
    "Every wumpus is a tumpus. Max is a wumpus.\nQuestion: What is Max?\nAnswer:",
    "A",
    "",
    "  Max is a wumpus. \n",
    "\n\tdef f(x):\n    return x + 1\n\n",
    "Mädchen, été, \u00a0 Сократ; 所有人都会死。\u00a0",
    "a <b>&amp;</b> \"q\" 'r' {{ bos_token }} {% if %} {# c #} \\n",
    "[INST] </INST] <|im_ [/INST] <|im_start| > <start_of turn>",
    "Max says </s> and <|im_end|> and<|eot_id|>now <end_of_turn> <｜User｜>x<|end|>\n<|user|>y [INST]",
    "</s>",
    "<s>Max\x1f",
]


def special(*tokens, **rules):
    return [AddedToken(token, special=True, normalized=rules.pop("normalized", False), **rules) for token in tokens]


def begins_with(tk, token):
    template = [(token, tk.token_to_id(token))]
    tk.post_processor = processors.TemplateProcessing(
        single=f"{token} $A", pair=f"{token} $A {token} $B", special_tokens=template
    )


def styles():
    """name → (tokenizer, config, template, whether the pieces between special tokens stand alone)."""
    names = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    prepend = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    made = {}

    tk = byte_level("1", normalizer=normalizers.NFC())
    tk.add_special_tokens(special("<|endoftext|>", "<|im_start|>", "<|im_end|>"))
    tk.add_tokens([AddedToken("<result>", normalized=False), AddedToken("</result>", normalized=False)])
    config = {"bos_token": None, "eos_token": "<|im_end|>", "pad_token": {"content": "<|endoftext|>", "__type": "AddedToken"}}
    for name, template in [("chatml", CHATML), ("thinking", THINKING), ("parts", PARTS)]:
        made[name] = (tk, config, template, True)

    made["brackets-prepend"] = (sentencepiece(normalizer=prepend), names, BRACKETS, True)
    # Special tokens looked for in normalised text, as early files have it: behind other text they are not found.
    tk = sentencepiece(normalizer=prepend)
    file = json.loads(tk.to_str())
    for token in file["added_tokens"]:
        token["normalized"] = True
    made["brackets-normalized"] = (type(tk).from_str(json.dumps(file)), names, BRACKETS, False)
    tk = sentencepiece(pre=pre_tokenizers.Metaspace(prepend_scheme="first", split=False))
    made["brackets-metaspace"] = (tk, names, BRACKETS, False)

    tk = byte_level("1,3", ignore_merges=True)
    tk.add_special_tokens(special("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"))
    begins_with(tk, "<|begin_of_text|>")
    config = {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>"}
    made["headers"] = (tk, config, HEADERS, True)

    tk = sentencepiece(pre=pre_tokenizers.Metaspace(prepend_scheme="first", split=False))
    tk.add_special_tokens(special("[INST]", "[/INST]", "[TOOLS]"))
    made["alternating"] = (tk, names, ALTERNATING, False)

    tk = sentencepiece(normalizer=normalizers.Replace(" ", "▁"), pre=pre_tokenizers.Split(" ", "merged_with_previous"), strip=False)
    tk.add_special_tokens(special("<bos>", "<start_of_turn>", "<end_of_turn>"))
    begins_with(tk, "<bos>")
    made["model-role"] = (tk, {"bos_token": "<bos>", "eos_token": "<end_of_turn>"}, MODEL_ROLE, True)

    tk = sentencepiece(normalizer=prepend)
    tk.add_special_tokens(special("<|user|>", "<|assistant|>", "<|system|>", "<|end|>", rstrip=True))
    made["role-tokens"] = (tk, names, ROLE_TOKENS, False)

    made["role-text"] = (sentencepiece(normalizer=prepend, post=None), names, ROLE_TEXT, True)

    tk = byte_level("1,3", post=processors.Sequence([processors.ByteLevel(trim_offsets=True), BOS]))
    tk.add_special_tokens(special("<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>"))
    tk.add_tokens([AddedToken(t, normalized=False) for t in ("<｜User｜>", "<｜Assistant｜>")])
    begins_with(tk, "<｜begin▁of▁sentence｜>")
    config = {"bos_token": {"content": "<｜begin▁of▁sentence｜>", "__type": "AddedToken", "lstrip": False, "normalized": True,
                            "rstrip": False, "single_word": False},
              "eos_token": "<｜end▁of▁sentence｜>"}
    made["wide-bars"] = (tk, config, WIDE_BARS, True)
    return made


MARK = "\U0010fffd"


def plain_ids(tokenizer, rendered, message):
    """Ids with the message's special tokens as text: pieces between the template's own special tokens."""
    around = rendered(MARK).split(MARK)
    whole = rendered(message)
    for form in (message, message.strip()):
        if form.join(around) == whole:
            break
    else:
        raise AssertionError((message, whole))
    added = [str(t) for t in tokenizer.added_tokens_decoder.values() if t.special]
    cut = re.compile("(" + "|".join(map(re.escape, sorted(added, key=len, reverse=True))) + ")")
    parts = [cut.split(part) for part in around]  # odd ones are tokens
    pieces = parts[0]
    for part in parts[1:]:
        pieces[-1] += form + part[0]
        pieces += part[1:]
    ids = []
    for at, piece in enumerate(pieces):
        if at % 2:
            ids.append(tokenizer.convert_tokens_to_ids(piece))
        elif piece:
            ids += tokenizer.encode(piece, add_special_tokens=False, split_special_tokens=True)
    return ids


def cases(tokenizer, alone):
    def rendered(message):
        return tokenizer.apply_chat_template(conversation(message), tokenize=False, add_generation_prompt=True)

    listed = "selectattr('type', 'equalto'" in tokenizer.chat_template

    def conversation(message):
        content = [{"type": "text", "text": message}] if listed else message
        return [{"role": "user", "content": content}]

    added = [str(t) for t in tokenizer.added_tokens_decoder.values() if t.special]
    for message in MESSAGES:
        text = rendered(message)
        ids = tokenizer.apply_chat_template(conversation(message), add_generation_prompt=True, return_dict=False)
        plain = plain_ids(tokenizer, rendered, message) if alone else None
        if not any(token in message for token in added):
            assert plain is None or plain == ids, (message, plain, ids)
            plain = ids
        yield {"message": message, "text": text, "ids": ids, "plain": plain}


FEATURES = [
    "{{ 1 + 2 * 3 }} {{ 7 // 2 }} {{ 7 % 3 }} {{ 2 ** 3 }} {{ 7 / 2 }} {{ 1.5 }} {{ -1 }}",
    "{{ true }} {{ false }} {{ none }} {{ True }} {{ None }}",
    "{{ [1, 'a', none, true] }} {{ {'a': 1, 'b': 'c'} }} {{ (1, 2) }} {{ [] }} {{ {} }} {{ \"it's\" ~ ['\\n', \"a'b\"] }}",
    "{{ missing }}|{{ missing is defined }}|{{ messages is defined }}|{{ tools is none }}|{{ documents is defined }}|{{ missing or 'x' }}",
    "{{ missing.inner }}",
    "{{ missing + 'x' }}",
    "{{ bos_token is defined }} {{ pad_token is defined }} {{ eos_token }}",
    "{{ messages[0]['content'] is string }} {{ messages is sequence }} {{ messages[0] is mapping }} {{ messages is iterable }} {{ 'x' is iterable }} {{ 'x' is sequence }} {{ 1 is number }} {{ 1 is integer }} {{ none is none }} {{ messages[0] is iterable }} {{ 'x' is mapping }}",
    "{{ true is boolean }} {{ true is true }} {{ 1 is true }} {{ 'a' is in 'abc' }} {{ 2 is even }} {{ 3 is odd }} {{ 6 is divisibleby 3 }} {{ 'a' is eq 'a' }} {{ 'A' is upper }} {{ x is undefined }} {{ raise_exception is callable }}",
    "{{ messages | length }} {{ 'abc' | upper }} {{ 'ABC' | lower }} {{ 'abc def' | title }} {{ 'abc' | capitalize }} {{ ' a ' | trim }}| {{ 'a' | default('b') }} {{ x | default('b') }} {{ '' | default('b', true) }}",
    "{{ [3, 1, 2] | sort | join(',') }} {{ [1, 2, 3] | first }} {{ [1, 2, 3] | last }} {{ [1, 2] | list }} {{ 'abc' | list }} {{ [1, 2, 3] | reverse | join('') }} {{ [1, 1, 2] | unique | join(',') }} {{ [1, 2, 3] | sum }} {{ [1, 2, 3] | min }} {{ [1, 2, 3] | max }}",
    "{{ messages | map(attribute='role') | join(', ') }} {{ messages | selectattr('role', 'equalto', 'user') | list | length }} {{ messages | rejectattr('role', 'equalto', 'user') | list | length }} {{ [1, 2, 3] | select('odd') | list | join(',') }} {{ ['a', 'b'] | map('upper') | join }}",
    "{{ {'b': 1, 'a': [1, 2.5, 'é<>&\\'\"', none, true]} | tojson }} {{ {'b': 1, 'a': 2} | tojson(sort_keys=true) }} {{ {'a': [1, {'c': []}], 'b': {}} | tojson(indent=2) }} {{ 'é\\n' | tojson(ensure_ascii=true) }} {{ [1, 2] | tojson(separators=(',', ':')) }}",
    "{{ 'a,b,c'.split(',') | join('|') }} {{ ' x '.strip() }}| {{ 'xxaxx'.strip('x') }} {{ 'abc'.startswith('ab') }} {{ 'abc'.endswith('bc') }} {{ 'aXbX'.replace('X', '-') }} {{ 'abc'.upper() }} {{ 'a b'.title() }} {{ 'abc'.find('c') }} {{ 'a\\nb'.splitlines() | length }} {{ ','.join(['a', 'b']) }} {{ 'aXbXc'.split('X', 1)[1] }} {{ 'aXbXc'.rsplit('X', 1)[0] }} {{ 'abc'.count('b') }} {{ 'a' in 'abc' }} {{ 'z' not in 'abc' }}",
    "{{ 'abc'.removeprefix('a') }} {{ 'abc'.removesuffix('c') }} {{ 'a{}b'.format(1) }} {{ 'abc'.isalpha() }} {{ 'abc'.partition('b')[2] }} {{ 'abc'.rpartition('b')[0] }} {{ 'abc'.lstrip('a') }} {{ 'ab'.isupper() }} {{ 'a b  c'.split() }} {{ 'a b  c'.rsplit() }} {{ 'a,b,c'.rsplit(',') }} {{ 'abc'.partition('x') | list }} {{ 'abc'.rpartition('x') | list }} {{ 'abc'.removeprefix('x') }}",
    "{{ {'a': 1}.get('a') }} {{ {'a': 1}.get('b', 2) }} {{ {'a': 1}.get('b') }} {% for k, v in {'a': 1, 'b': 2}.items() %}{{ k }}={{ v }};{% endfor %} {{ {'a': 1}.keys() | list }} {{ {'a': 1}.values() | list }} {% for k, v in {'b': 1, 'a': 2} | items %}{{ k }}{{ v }}{% endfor %} {% for k, v in {'b': 1, 'a': 2} | dictsort %}{{ k }}{{ v }}{% endfor %} {% for k in {'b': 1} %}{{ k }}{% endfor %}",
    "{{ 'abc'[0] }} {{ 'abc'[-1] }} {{ 'abc'[1:] }} {{ 'abc'[::-1] }} {{ [1, 2, 3][1:] | join }} {{ [1, 2, 3][-2:] | join }} {{ [1, 2, 3][:-1] | join }} {{ [1, 2, 3, 4][::2] | join }}",
    "{% for i in range(5) %}{% if i == 1 %}{% continue %}{% endif %}{% if i == 3 %}{% break %}{% endif %}{{ i }}{{ loop.index }}{{ loop.first }}{% endfor %}",
    "{% for i in [1, 2, 3] %}{{ loop.previtem }}-{{ loop.nextitem }}-{{ loop.revindex }}-{{ loop.length }}-{{ loop.last }} {% endfor %}{% for i in [] %}x{% else %}none{% endfor %}{% for i in [1, 2, 3] if i > 1 %}{{ i }}{{ loop.index0 }}{% endfor %}",
    "{% for i in [1, 2] %}{{ loop.cycle('a', 'b') }}{{ loop.changed(i) }}{{ loop.depth }}{% endfor %}{% for a, b in [[1, 2], [3, 4]] %}{{ a }}{{ b }}{% endfor %}",
    "{% set ns = namespace(a=1, b=[]) %}{% for i in range(3) %}{% set ns.a = ns.a + i %}{% set ns.b = ns.b + [i] %}{% endfor %}{{ ns.a }} {{ ns.b | join(',') }}{% set x = 1 %}{% for i in range(2) %}{% set x = 5 %}{% endfor %}{{ x }}",
    "{% macro m(a, b='y', c=none) %}[{{ a }}{{ b }}{{ c is none }}]{% endmacro %}{{ m('x') }}{{ m('x', b='z') }}{{ m('x', 'w', 1) }}{% macro r(n) %}{{ n }}{% if n > 0 %}{{ r(n - 1) }}{% endif %}{% endmacro %}{{ r(3) }}",
    "{% macro wrap() %}<{{ caller() }}>{% endmacro %}{% call wrap() %}in{% endcall %}{% set block %}a {{ 1 }} b{% endset %}{{ block }}{{ block | length }}",
    "{% filter upper %}abc{% endfilter %}{% with a = 1 %}{{ a }}{% endwith %}{% raw %}{{ x }}{% endraw %}{# gone #}",
    "a\n{% if true %}\n  b\n{% endif %}\n   {% if true %}x{% endif %}  \n  {{ 'y' }}\n{%- if true -%}\n  z  \n{%- endif %}\n\n",
    "{% if true +%}\n  kept\n{%+ endif %}\n  {#- c -#}  \nend\n",
    "{{ 'a' if false }}|{{ 'a' if true else 'b' }}|{{ 'a' if missing else 'b' }}|{{ not missing }}|{{ missing == none }}|{{ '' or 'x' }}|{{ 'a' and 'b' }}|{{ 0 or [] or 'z' }}",
    "{{ 'a' ~ 1 ~ none ~ true }} {{ 'ab' * 2 }} {{ 1 < 2 < 3 }} {{ 'a' < 'b' }} {{ 1 == 1.0 }} {{ [1] == [1] }} {{ {'a': 1} == {'a': 1} }} {{ true == 1 }} {{ 1 in [1, 2] }} {{ 'a' in {'a': 1} }} {{ 'role' in messages[0] }}",
    "{{ 3 | int + '4' | int }} {{ '3.5' | float }} {{ 3 | string + 'x' }} {{ 3.7 | int }} {{ 3.14159 | round(2) }} {{ 3 | abs }} {{ 'x' | safe }} {{ '<' | e }} {{ 'abc' | replace('b', 'X') }} {{ 'a\\nb' | indent(2) }} {{ '%s-%d' | format('a', 3) }}",
    "{{ [[1, 2], [3]] | map('length') | list }} {{ [1, 2, 3, 4] | batch(2) | list | length }} {{ [{'a': 1}, {'a': 2}] | sum(attribute='a') }} {{ [{'a': 2}, {'a': 1}] | sort(attribute='a') | map(attribute='a') | join(',') }} {{ messages | groupby('role') | length }}",
    "{{ messages[0].content.strip().split('\\n')[0].split(' ')[:2] | join('_') }} {{ (messages[0].content | length) > 3 }} {{ messages[-1].role }} {{ messages[5] is defined }} {{ messages[0].missing is defined }} {{ messages[0]['missing'] is none }}",
    "{% if messages[0].content is string %}{{ messages[0].content }}{% elif messages[0].content is iterable %}list{% endif %}{% set role = {'user': 'U', 'assistant': 'A'}[messages[0].role] %}{{ role }}{{ dict(a=1).a }}",
    "{{ strftime_now('%d %B %Y, %A %j %-d %y %H:%M') }}",
    "{{ raise_exception('no ' ~ 'way') }}",
    "{%- set a, b = 1, 2 %}{{ a + b }}{% set c = (1, 2) %}{{ c[1] }}{{ {'x': {'y': [1, 2]}}.x.y[1] }} {{ \"a\\tb\\u00e9\\\\\" }} {{ 'multi' 'part' }}",
    "{% if '' %}a{% elif [] %}b{% elif {} %}c{% elif 0 %}d{% else %}e{% endif %}{% if 'x' and not none %}f{% endif %}{{ (none) is not none }}{{ 'x' is not string }}",
    "{{ 'a' | no_such_filter }}",
    "{{ 'a' is no_such_test }}",
    "{{ no_such_function() }}",
    "{{ 'a'.no_such_method() }}",
    "{{ messages[0].content.no_such_method() }}",
    "{% no_such_tag %}",
    "{{ 'a' + 1 }}",
    "{{ 'a' ~ missing ~ 'b' }}{{ 'x' * 0 }}{{ [1] + [2] }}{{ 'a' < 'B' }}{{ 'ß' | upper }}{{ 'É'.lower() }}",
    "{{ 1000000 }} {{ 1e3 }} {{ 0.1 + 0.2 }} {{ 10 / 5 }} {{ 1 // 0.5 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 1_000 }}",
    "{{ 'a\\nb' }} {{ 'tab\there' }} {{ \"q'q\" }} {{ 'q\"q' }} {{ 'back\\slash' }}",
    "{% for m in messages %}{% set first = loop.first %}{% endfor %}{{ first is defined }}",
    "{% for x in [{'a': 1}] %}{% for k in x %}{{ k }}{{ x[k] }}{% endfor %}{% endfor %}{% for c in 'ab' %}{{ c }}-{% endfor %}",
    "{{ {'a': none}.a is none }}{{ {'a': 1}['a'] }}{{ {'a': 1}.b is defined }}{{ ({'a': 1}).b | default('d') }}{{ {1: 'x'}[1] }}",
    "{%- set text = 'x' -%}{%- if text -%} {{- text -}} {%- endif -%}\n\n{#- note -#}\n  tail",
    "{{ '<think>a</think>b'.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') }}",
    "{{- '\\n' }}{%- for tool in [{'name': 'f', 'arguments': {'x': 1}}] %}{{ '{\"name\": ' }}{{ tool.name | tojson }}{{ ', ' }}{{ tool.arguments | tojson }}{%- endfor %}",
    "{% for i in range(3, 0, -1) %}{{ i }}{% endfor %}{% for i in range(1, 3) %}{{ i }}{{ loop.revindex0 }}{% endfor %}{{ range(3) | list }}",
    "{{ [1, 2, 3, 4, 5][1:4:2] }} {{ 'abcdef'[2:-1] }} {{ 'abc'[5:] }}| {{ [][:1] }} {{ [1, 2][-1] }} {{ 'abc'[9] is defined }}",
    "{% if messages | length > 0 and messages[0].role == 'user' and not (tools or documents) %}yes{% endif %}{{ tools | length if tools else 0 }}",
    "{% set x = messages | map(attribute='content') | map('trim') | list %}{{ x[0] }}{{ x | first | length }}",
    "{{ messages | tojson }}{{ messages[0] | tojson(indent=4) }}{{ messages[0] }}{{ messages }}",
]


def features():
    tokenizer = AutoTokenizer.from_pretrained(folder(*styles()["role-text"][:2], "x"))
    for template in FEATURES:
        try:
            text = tokenizer.apply_chat_template(
                [{"role": "user", "content": "Max is a <wumpus>.\nYes"}],
                chat_template=template, tokenize=False, add_generation_prompt=True,
            )
        except Exception as error:
            print(f"raises {type(error).__name__}: {template[:60]}: {error}")
            text = None
        yield {"template": template, "text": text}


def folder(tk, config, template):
    where = Path(tempfile.mkdtemp())
    tk.save(str(where / "tokenizer.json"))
    settings = config | {"tokenizer_class": "PreTrainedTokenizerFast", "chat_template": template}
    (where / "tokenizer_config.json").write_text(json.dumps(settings))
    (where / "config.json").write_text("{}")
    return where


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--out", type=Path, default=Path("tests/fixtures/chat"))
    out = arguments.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    def dump(value):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    for name, (tk, config, template, alone) in styles().items():
        where = folder(tk, config, template)
        tokenizer = AutoTokenizer.from_pretrained(where)
        lines = ",\n".join(dump(case) for case in cases(tokenizer, alone))
        settings = json.loads((where / "tokenizer_config.json").read_text())
        file = json.loads((where / "tokenizer.json").read_text())
        path = out / f"{name}.json"
        path.write_text(f'{{"date":"{DATE}","config":{dump(settings)},\n"tokenizer":{dump(file)},\n"cases":[\n{lines}\n]}}\n', encoding="utf-8")
        print(f"{path}: {path.stat().st_size} bytes")
    lines = ",\n".join(map(dump, features()))
    (out / "features.json").write_text(f'{{"date":"{DATE}","features":[\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
