"""Errors of the client."""


class DioramaError(Exception):
    """A call that the server rejected or did not answer."""

    def __init__(self, message: str, *, code: str, status: int, request_id: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        """The error code, such as `environment_not_found`; `unreachable` if nothing answered."""
        self.status = status
        """HTTP status; 0 if nothing answered."""
        self.request_id = request_id
        """Finds the call in the server's log."""
