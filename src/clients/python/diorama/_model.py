"""The base of the generated models."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A part of an answer. Fields that a newer server adds are kept."""

    model_config = ConfigDict(extra="allow", frozen=True, populate_by_name=True)
