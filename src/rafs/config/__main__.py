"""Write the JSON schema of params.yaml, for editors and readers: ``python -m rafs.config``."""

import json
from pathlib import Path
from typing import Any

from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from rafs.config.parameters import Params

SCHEMA = "workflow/schemas/params.schema.json"


class _Schema(GenerateJsonSchema):
    """A schema without the titles and the nulls that pydantic adds."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def nullable_schema(self, schema: core_schema.NullableSchema) -> dict[str, Any]:
        """Leave null to `OrNull`: elsewhere None is a key that is left out."""
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> dict[str, Any]:
        """Omit defaults that only mean that a key is absent."""
        return self.generate_inner(schema["schema"])


def text() -> str:
    """Return the schema as the text of its file."""
    schema = Params.model_json_schema(schema_generator=_Schema)
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    Path(SCHEMA).write_text(text(), encoding="utf-8")
