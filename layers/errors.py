"""Everything that can go wrong with input or a call, in words for the person who can mend it."""


class MS4Error(Exception):
    """A fault that a person can mend; `text` says what and where, `hint` what to do, `code` names the kind."""

    code = "error"

    def __init__(self, text: str, *, hint: str = "", code: str | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.hint = hint
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        return f"{self.text}; {self.hint}" if self.hint else self.text


class CallError(MS4Error):
    """The command or function was called with something it cannot take."""

    code = "call"


class SourceError(MS4Error):
    """A file that was received cannot be read as it should."""

    code = "source"


class CRSError(MS4Error):
    """The place on earth of some coordinates is unknown or cannot be right."""

    code = "crs"


class LayerError(MS4Error):
    """A layer does not conform to its schema."""

    code = "layer"


class FieldError(MS4Error):
    """A field of a crosswalk or a layer is not there or cannot be read."""

    code = "field"


class StoreError(MS4Error):
    """The town's folder or its `layers.gpkg` cannot be read or written."""

    code = "store"


class RegisterError(MS4Error):
    """The register cannot be read, is damaged, or refuses an event."""

    code = "register"


class LawError(MS4Error):
    """A law or permit pack is not as it must be."""

    code = "law"
