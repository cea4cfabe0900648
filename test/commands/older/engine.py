"""Answer queries of the test over standard input and output: one JSON object per line."""

import json
import sys

from chdb.session import Session


def answer(session, request):
    for name, value in request["params"].items():
        session.query(f"SET param_{name} = '{value}'")
    return str(session.query(request["sql"], request["format"]))


def main():
    session = Session(sys.argv[1])
    # The project's clients set this, too.
    session.query("SET output_format_json_quote_64bit_integers = 0")
    for line in sys.stdin:
        try:
            reply = {"text": answer(session, json.loads(line))}
        except Exception as error:  # The test interprets the error.
            reply = {"error": str(error)}
        print(json.dumps(reply), flush=True)


main()
