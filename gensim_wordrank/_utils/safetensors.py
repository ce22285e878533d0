"""Files in the safetensors format: named arrays and a few strings, without pickle, read into memory or memory-mapped.

A file is the length of a header, the header in JSON, and the arrays. Files that are written here also hold checksums of
the header and of each array; a file without them is refused. Other programs, as the package safetensors, read them.
"""

from __future__ import annotations

import json
import math
import re
import zlib
from collections.abc import Mapping
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank._utils import checksummed

DTYPES: dict[str, np.dtype[Any]] = {
    "F64": np.dtype("<f8"), "F32": np.dtype("<f4"), "F16": np.dtype("<f2"), "I64": np.dtype("<i8"),
    "I32": np.dtype("<i4"), "I16": np.dtype("<i2"), "I8": np.dtype("i1"), "U64": np.dtype("<u8"),
    "U32": np.dtype("<u4"), "U16": np.dtype("<u2"), "U8": np.dtype("u1"), "BOOL": np.dtype("?"),
}  # fmt: skip
METADATA = "__metadata__"
# arrays begin at a multiple of this; then the first byte of a file is never that of a pickle
ALIGNMENT = 64
MAX_HEADER_BYTES = 100_000_000  # as in the format's definition
CHUNK_SIZE = 1 << 24
# the checksum of the header, computed as if it were zero
HEADER_CHECKSUM = re.compile(rb'"header_crc32": "([0-9a-f]{8})"')


class DamagedFile(ValueError):
    """The file is not what was written."""


def is_safetensors(first_bytes: bytes) -> bool:
    """Return True if a file that begins with these bytes, at least 9, is in this format."""
    return first_bytes[8:9] == b"{" and first_bytes[5:8] == b"\0\0\0"


def write(file: IO[bytes], arrays: Mapping[str, NDArray[Any]], strings: Mapping[str, str]) -> None:
    """Write arrays and strings to an open file."""
    codes = {dtype: code for code, dtype in DTYPES.items()}
    # the largest numbers first: no array is unaligned, and there are no gaps
    ordered = sorted(arrays.items(), key=lambda item: -item[1].dtype.itemsize)
    header, checksums, offset = dict[str, Any](), {}, 0
    for name, array in ordered:
        end = offset + array.nbytes
        if array.dtype.newbyteorder("<") not in codes:
            raise TypeError(f"The array {name!r} holds {array.dtype}, which cannot be saved as safetensors.")
        code = codes[array.dtype.newbyteorder("<")]
        header[name] = {"dtype": code, "shape": list(array.shape), "data_offsets": [offset, end]}
        checksums[name], offset = zlib.crc32(_bytes(array)), end
    metadata = {**strings, "crc32": json.dumps(checksums), "header_crc32": f"{0:08x}"}
    text = json.dumps({METADATA: metadata, **header}).encode("ascii")
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    if len(text) > MAX_HEADER_BYTES:
        raise ValueError(f"The model's parameters take {len(text)} bytes, more than safetensors allows.")
    checksum = b'"header_crc32": "%08x"' % zlib.crc32(text)
    file.write(len(text).to_bytes(8, "little"))
    file.write(HEADER_CHECKSUM.sub(checksum, text))
    for _, array in ordered:
        content = memoryview(_bytes(array))
        for start in range(0, len(content), CHUNK_SIZE):
            file.write(content[start : start + CHUNK_SIZE])


def _bytes(array: NDArray[Any]) -> Any:
    """Return the bytes of an array, without a copy where that is possible."""
    little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    return little.reshape(-1).view(np.uint8).data


def read(file: IO[bytes], mmap: str | None = None) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Return the arrays and strings of an open file, after their checksums were verified.

    Parameters
    ----------
    file : binary file
        At its beginning; it must be seekable.
    mmap : {None, "r", "c"}
        Read the arrays into memory, or map them, read-only or copy-on-write.
    """
    size = file.seek(0, 2)
    file.seek(0)
    length = int.from_bytes(file.read(8), "little")
    if not 0 < length <= min(MAX_HEADER_BYTES, size - 8):
        raise DamagedFile("its header is cut off")
    text = file.read(length)
    found = HEADER_CHECKSUM.findall(text)
    zeros = b'"header_crc32": "%08x"' % 0
    if len(found) != 1 or zlib.crc32(HEADER_CHECKSUM.sub(zeros, text)) != int(found[0], 16):
        raise DamagedFile("its header has no checksum, or another one")
    try:
        header = json.loads(text)
        strings = header.pop(METADATA)
        checksums = json.loads(strings["crc32"])
        parts = [(name, *_layout(entry), checksums[name]) for name, entry in header.items()]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedFile(f"its header cannot be understood ({type(error).__name__}: {error})") from error
    arrays, expected_start = {}, 0
    for name, dtype, shape, start, end, checksum in sorted(parts, key=lambda part: part[3:5]):
        if start != expected_start or end - start != math.prod(shape) * dtype.itemsize or 8 + length + end > size:
            raise DamagedFile(f"the array {name!r} is cut off or has another size")
        expected_start = end
        arrays[name] = _read_array(file, dtype, shape, 8 + length + start, mmap, name, checksum)
    if 8 + length + expected_start != size:
        raise DamagedFile("something follows the last array")
    return arrays, strings


def _layout(entry: Mapping[str, Any]) -> tuple[np.dtype[Any], tuple[int, ...], int, int]:
    """Return the type, shape, start and end of an array."""
    shape, (start, end) = tuple(entry["shape"]), entry["data_offsets"]
    if not all(type(number) is int and number >= 0 for number in (*shape, start, end)):
        raise ValueError("a size is no positive integer")
    return DTYPES[entry["dtype"]], shape, start, end


def _read_array(
    file: IO[bytes],
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    offset: int,
    mmap: str | None,
    name: str,
    checksum: int,
) -> NDArray[Any]:
    if mmap is None or 0 in shape:
        array = np.empty(shape, dtype)
        content, found = memoryview(array.reshape(-1).view(np.uint8).data), 0
        file.seek(offset)
        for start in range(0, len(content), CHUNK_SIZE):
            part = content[start : start + CHUNK_SIZE]
            part[:] = file.read(len(part)).ljust(len(part), b"\0")
            found = zlib.crc32(part, found)
    else:
        end = offset + math.prod(shape) * dtype.itemsize
        found = checksummed.stream_checksum(file, end, offset)
        array = np.memmap(file, dtype, "c" if mmap == "c" else "r", offset, shape)
    if found != checksum:
        raise DamagedFile(f"the array {name!r} is not what was written")
    return array
