"""Batches of Parquet and Arrow files, in whose dictionaries a few bytes can stand for any number of long texts."""

from collections.abc import Iterator
from typing import Any

from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.files import LARGEST_BLOCK, LINES_PER_BLOCK
from wordorder.core.runtime.libraries import pa, pc, pq


def parquet_batches(source: Any, path: str, columns: list[str] | None, rows: int = LINES_PER_BLOCK) -> Iterator[Any]:
    """Yield an open Parquet file in batches of ``rows`` rows, with all columns or with those given.

    In a dictionary of a few bytes, one long text can stand for any number of cells. Each batch is therefore first
    read as dictionaries, and unpacked only if it then takes no more than ``LARGEST_BLOCK``.
    """
    table = pq.ParquetFile(source)
    texts = [leaf.path for leaf in table.schema if leaf.physical_type == "BYTE_ARRAY"]
    how = {"batch_size": rows, "columns": columns, "use_threads": False}
    batches = table.iter_batches(**how)
    for packed in pq.ParquetFile(source, metadata=table.metadata, read_dictionary=texts).iter_batches(**how):
        not_large(packed, path)
        yield next(batches)


def not_large(batch: Any, path: str) -> Any:
    """Return a batch, or raise an error if its dictionaries would unpack to more than ``LARGEST_BLOCK``."""
    if sum(map(_size, batch.columns)) > LARGEST_BLOCK:
        raise InputError(f"{len(batch)} rows take more than {LARGEST_BLOCK >> 20} MB", path=path)
    return batch


def _size(cells: Any) -> int:
    """Return the number of bytes of the texts in cells that are stored as dictionaries, once these are unpacked."""
    if pa.types.is_struct(cells.type):
        return sum(map(_size, cells.flatten()))
    if hasattr(cells, "values"):  # lists and maps
        return _size(cells.values)
    if pa.types.is_dictionary(cells.type) and str(cells.type.value_type).endswith(("string", "binary")):
        return int(pc.sum(pc.binary_length(cells.dictionary).take(cells.indices)).as_py() or 0)
    return 0
