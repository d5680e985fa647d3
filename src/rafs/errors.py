"""What can go wrong for a user, each with a sentence and an exit code."""


class RafsError(Exception):
    """A mistake or fault to be told in one sentence, without a traceback."""

    exit_code = 1


class ParameterError(RafsError, ValueError):
    """A parameter, a name or an argument that cannot be used."""

    exit_code = 2


class DataError(RafsError, ValueError):
    """A data file that is missing, damaged or not what it claims to be."""


class DamagedFileError(RafsError, ValueError):
    """A file written by this project that cannot be read back."""


class DeviceError(RafsError, RuntimeError):
    """A device that was asked for and is not there."""


class DivergedError(RafsError, ArithmeticError):
    """A training whose parameters or loss stopped being finite."""

    def __init__(self, step: int, member: int, detail: str = "") -> None:
        self.step = step
        self.member = member
        super().__init__(
            f"the training of member {member} diverged at step {step}"
            f"{f' ({detail})' if detail else ''}; lower its learning rate or scale its data"
        )
