"""The files of a checkpoint, and what a checkpoint rejects."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

EXECUTIONS_MAX = 10_000
# Of a file: ten thousand executions have less.
BYTES_MAX = 16 * 1024 * 1024
MANIFEST = "manifest.json"

Code = Literal[
    "checkpoint_conflict",
    "deadline_exceeded",
    "invalid_checkpoint",
    "invalid_phase",
    "invalid_request",
    "snapshot_missing",
    "stale_attempt",
    "stale_checkpoint",
    "unknown_execution",
]
Name = Annotated[str, Field(min_length=1, max_length=255)]
Id = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
CheckpointId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$")]


class CheckpointError(Exception):
    """An operation that a participant rejects, or that its deadline has ended. It has had no effect."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code: Code = code


class Stored(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Record(Stored):
    """An execution at its checkpoint."""

    execution: Name
    attempt: Annotated[int, Field(ge=0)]
    environment_id: Id
    snapshot_id: Id
    runs: tuple[Id, ...]
    """The runs that its environments had until then, oldest first."""
    starts_run: bool
    """Its environment had a run that was active."""


class Manifest(Stored):
    """Written last: a folder without it is no checkpoint."""

    version: Literal[1] = 1
    checkpoint_id: CheckpointId
    records_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    record_count: Annotated[int, Field(ge=0, le=EXECUTIONS_MAX)]


RECORDS = TypeAdapter(list[Record])


def write(directory: Path, checkpoint_id: str, records: list[Record]) -> Manifest:
    """Writes the records, then the manifest. A folder that has another checkpoint is left as it is."""
    content = RECORDS.dump_json(records)
    digest = hashlib.sha256(content).hexdigest()
    manifest = Manifest(checkpoint_id=checkpoint_id, records_sha256=digest, record_count=len(records))
    directory.mkdir(parents=True, exist_ok=True)
    publish(directory / f"records-{digest}.json", content)
    publish(directory / MANIFEST, manifest.model_dump_json().encode())
    return manifest


def publish(path: Path, content: bytes) -> None:
    """Creates a file with all of its content, or leaves one that has the same."""
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.link(temporary, path)
    except FileExistsError:
        if path.read_bytes() != content:
            raise CheckpointError("checkpoint_conflict", f"{path} belongs to another checkpoint") from None
    finally:
        os.unlink(temporary)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read(directory: Path) -> list[Record]:
    """Reads the records. Raises CheckpointError unless all of them are there as they were written."""
    try:
        manifest = Manifest.model_validate_json(limited(directory / MANIFEST))
        content = limited(directory / f"records-{manifest.records_sha256}.json")
        if hashlib.sha256(content).hexdigest() != manifest.records_sha256:
            raise CheckpointError("invalid_checkpoint", f"The records in {directory} are not those of its manifest")
        records = RECORDS.validate_json(content)
    except (OSError, ValidationError) as error:
        raise CheckpointError("invalid_checkpoint", f"{directory} has no complete checkpoint: {error}") from error
    if len({record.execution for record in records}) != manifest.record_count:
        raise CheckpointError("invalid_checkpoint", f"The manifest in {directory} counts other executions")
    return records


def limited(path: Path) -> bytes:
    if path.stat().st_size > BYTES_MAX:
        raise CheckpointError("invalid_checkpoint", f"{path} has more than {BYTES_MAX} bytes")
    return path.read_bytes()
