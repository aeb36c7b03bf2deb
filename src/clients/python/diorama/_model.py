"""The base of the generated models."""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A part of an answer. Fields that a newer server adds are kept."""

    __test__: ClassVar[bool] = False
    """pytest takes the models of tests and suites for no tests."""

    model_config = ConfigDict(extra="allow", frozen=True, populate_by_name=True)
