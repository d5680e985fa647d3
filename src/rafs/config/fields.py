"""Building blocks of the models: closed groups of keys, names, lists, and values of two kinds.

An error of type ``form`` says what a value must be, one of type ``fault`` what is wrong with it.
`rafs.config.sentences` adds the path of the key and the value.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from rafs.config.wording import nearest, short

LARGEST_SEED = 2**53 - 1
MOST_ROWS = 10_000_000


def form(text: str) -> PydanticCustomError:
    """Return the error of a value that has the wrong form: it "must be {text}"."""
    return PydanticCustomError("form", "{text}", {"text": text})


def fault(text: str) -> PydanticCustomError:
    """Return the error of a value that "{text}", such as "names 'a' twice"."""
    return PydanticCustomError("fault", "{text}", {"text": text})


class Group(BaseModel):
    """A group of keys in params.yaml. An unknown key is an error, and so is text for a number."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _only_known_keys(cls, content: Any) -> Any:
        if not isinstance(content, dict) or cls.model_config.get("extra") == "allow":
            return content
        for key, value in content.items():
            if key not in cls.model_fields:
                near = nearest(key, cls.model_fields)
                raise PydanticCustomError("unknown", "{near}", {"key": key, "near": near})
            field = cls.model_fields[key]
            optional = not field.is_required() and field.default is None
            if (
                value is None
                and optional
                and not any(isinstance(m, OrNull) for m in field.metadata)
            ):
                raise PydanticCustomError("null", "", {"key": key})
        return content

    def written(self) -> dict[str, Any]:
        """Return what the file says, as plain JSON values."""
        return self.model_dump(mode="json", exclude_unset=True)


@dataclass(frozen=True)
class OrNull:
    """Allows null; elsewhere None means that the key is left out."""

    form: str

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return how pydantic validates a value."""
        return core_schema.no_info_wrap_validator_function(self._validate, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Return the JSON schema, for editors."""
        return {"anyOf": [handler(schema), {"type": "null"}]}

    def _validate(self, value: Any, inner: ValidatorFunctionWrapHandler) -> Any:
        try:
            return inner(value)
        except ValidationError as error:
            if error.errors()[0]["type"].endswith("_type"):
                raise form(f"{self.form} or null") from None
            raise


@dataclass(frozen=True)
class Among:
    """Restricts a text to several names."""

    names: tuple[str, ...]

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return how pydantic validates a value."""
        return core_schema.no_info_plain_validator_function(self._validate)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Return the JSON schema, for editors."""
        return {"enum": list(self.names)}

    def _validate(self, value: Any) -> str:
        if isinstance(value, str) and value in self.names:
            return value
        raise form(f"one of {', '.join(self.names)}")


def _distinct(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Refuse a list with equal entries; true is not 1."""
    seen = set()
    for value in values:
        key = (isinstance(value, bool), value)
        if key in seen:
            raise fault(f"names {short(value)} twice")
        seen.add(key)
    return values


def _scalar(value: Any) -> Any:
    if value is None or not isinstance(value, str | bool | int | float):
        raise form("a number, text, true or false")
    return value


def union(forms: str, kind: Callable[[Any], str | None]) -> Discriminator:
    """Return the discriminator of a value of several forms; `kind` gives its tag, or None."""
    return Discriminator(kind, custom_error_type="form", custom_error_message=forms)


def keys_of(value: Any) -> set[str]:
    """Return the keys of a group, validated or raw; nothing for another value."""
    given = value.model_fields_set if isinstance(value, Group) else value
    return set(given) if isinstance(given, dict | set) else set()


def one_key_of(keys: Sequence[str]) -> Callable[[Any], str | None]:
    """Return a function that finds the form of a value by a key that it has."""

    def kind(value: Any) -> str | None:
        return next((f"<{key}>" for key in keys if key in keys_of(value)), None)

    return kind


DISTINCT = AfterValidator(_distinct)
IS_LIST = Field(strict=False)  # YAML has lists, frozen models have tuples
NOT_EMPTY = Field(min_length=1)
UNIQUE = Field(json_schema_extra={"uniqueItems": True})

Text = Annotated[str, Field(min_length=1)]
Scalar = Annotated[
    Any,
    AfterValidator(_scalar),
    WithJsonSchema({"type": ["integer", "number", "string", "boolean"]}),
]
Share = Annotated[float, Field(gt=0, lt=1)]
Names = Annotated[tuple[str, ...], IS_LIST, DISTINCT, UNIQUE]
SomeNames = Annotated[tuple[str, ...], IS_LIST, NOT_EMPTY, DISTINCT, UNIQUE]
Columns = Annotated[tuple[Text, ...], IS_LIST, DISTINCT, UNIQUE]
SomeColumns = Annotated[tuple[Text, ...], IS_LIST, NOT_EMPTY, DISTINCT, UNIQUE]
SomeScalars = Annotated[tuple[Scalar, ...], IS_LIST, NOT_EMPTY, DISTINCT, UNIQUE]
