"""Calls of Google's own client for Python, which are counted."""

from googleapiclient.errors import HttpError

_made = 0


def counted():
    return _made


def count(calls):
    global _made
    _made += calls


def call(request):
    count(1)
    return request.execute()


def expect(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


def rejection(request):
    """The error of a call that must be rejected."""
    try:
        call(request)
    except HttpError as error:
        return error
    raise AssertionError("the call is not rejected")
