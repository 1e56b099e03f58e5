"""Which filters parsers accept: reads a JSON array of texts, and prints the errors of each parser, "" if it accepts a text."""

import json
import sys
from collections.abc import Callable

from scim2_filter_parser.lexer import SCIMLexer
from scim2_filter_parser.parser import SCIMParser, SCIMParserError
from scim2_models import SCIMException, ScimFilter


def parse_with_filter_parser(text: str) -> None:
    SCIMParser().parse(SCIMLexer().tokenize(text))


def parse_with_models(text: str) -> None:
    ScimFilter(text)


def judge(parse: Callable[[str], None], text: str) -> str:
    try:
        parse(text)
    except (SCIMParserError, SCIMException, ValueError) as error:
        return str(error) or type(error).__name__
    return ""


parsers = {"scim2-filter-parser": parse_with_filter_parser, "scim2-models": parse_with_models}
filters = json.load(sys.stdin)
print(json.dumps({name: [judge(parse, text) for text in filters] for name, parse in parsers.items()}))
