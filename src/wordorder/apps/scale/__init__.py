"""Process corpora of any size, stored as folders of Parquet files, on one machine, a cluster or any executor."""

from wordorder.apps.scale.status import status as status  # also the name of the module
from wordorder.core.runtime.stubs import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
