"""Every kernel on arrays of all kinds: read-only, memory-mapped, strided, of other types, with invalid content."""

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calls import calls

CALLS = calls()
GUARD = 64  # entries before and after an array that a kernel writes
# the exceptions that a kernel may raise for invalid input
REFUSED = (ValueError, TypeError, IndexError, FloatingPointError, MemoryError, OverflowError)
# Cooccurrence.check verifies counts once per run
TRUSTED = {("sample_pairs", "counts")}
SCALARS = {
    "n_words": st.integers(-70, 70), "n_columns": st.integers(-70, 70), "first": st.integers(-3, 9),
    "last": st.integers(-3, 9), "n_slots": st.integers(-1, 300),
    "vector_size": st.integers(-2, 40), "n_negatives": st.integers(-1, 300), "n_contexts": st.integers(-1, 300),
    "draws_per_weight": st.floats(), "learning_rate": st.floats(width=32), "rank_scale": st.floats(),
    "x_max": st.floats(), "epsilon": st.floats(), "t": st.floats(), "rank_loss": st.integers(-1, 9),
    "pair_loss": st.integers(-1, 9), "seed": st.integers(0, 2**64 - 1),
}  # fmt: skip


def with_guards(array):
    """Return a copy of an array that lies in the middle of a larger array, and the larger array."""
    whole = np.full(array.size + 2 * GUARD, 85, array.dtype)
    inner = whole[GUARD : GUARD + array.size].reshape(array.shape)
    inner[...] = array
    return inner, whole


def has_intact_guards(whole):
    """Return True if nothing was written outside the array."""
    return (whole[:GUARD] == 85).all() and (whole[-GUARD:] == 85).all()


@pytest.mark.parametrize(("name", "argument"), [(name, array) for name, call in CALLS.items() for array in call.read()])
def test_inputs_may_be_read_only_or_memory_mapped(name, argument, tmp_path):
    """A read-only array, a memory-mapped one and a slice of a larger one give the same bytes."""
    expected = CALLS[name].changed().run()
    array = CALLS[name].arguments[argument]
    frozen = array.copy()
    frozen.flags.writeable = False
    np.save(tmp_path / "array.npy", array)
    for other in (frozen, np.load(tmp_path / "array.npy", mmap_mode="r"), with_guards(array)[0]):
        assert CALLS[name].changed(**{argument: other}).run() == expected


@pytest.mark.parametrize(
    ("name", "argument"), [(name, array) for name, call in CALLS.items() for array in call.written]
)
def test_outputs_must_be_writeable(name, argument):
    """A read-only output raises ValueError; nothing is written outside an output that is a slice of a larger array."""
    array = CALLS[name].arguments[argument]
    frozen = array.copy()
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        CALLS[name].changed(**{argument: frozen}).run()
    inner, whole = with_guards(array)
    assert CALLS[name].changed(**{argument: inner}).run() == CALLS[name].changed().run()
    assert has_intact_guards(whole)


@pytest.mark.parametrize(
    ("name", "argument"), [(name, array) for name, call in CALLS.items() for array in call.arrays()]
)
def test_other_types_and_strides_raise(name, argument):
    """Another dtype, byte order, stride or number of dimensions, or a list, raises before anything is written."""
    array = CALLS[name].arguments[argument]
    strided = np.repeat(array, 2, axis=array.ndim - 1)[..., ::2]
    others = [array.astype(np.complex128), np.zeros_like(array, np.float16), strided, array[None], array.tolist()]
    others += [array.byteswap().view(array.dtype.newbyteorder())] if array.itemsize > 1 else []
    for other in others:
        call = CALLS[name].changed(**{argument: other})
        with pytest.raises((ValueError, TypeError)):
            call.run()
        for written in call.written:
            if written != argument:
                np.testing.assert_array_equal(call.arguments[written], CALLS[name].arguments[written])


@st.composite
def corrupted(draw, array):
    """Draw an array with some entries replaced, or shortened, lengthened or narrowed."""
    kind = draw(st.sampled_from(["entries", "shorter", "longer", "narrower"]))
    if kind == "shorter":
        return array[: draw(st.integers(0, len(array)))].copy()
    if kind == "longer":
        return np.concatenate([array, array[: draw(st.integers(1, 3))]])
    if kind == "narrower" and array.ndim == 2:
        return np.ascontiguousarray(array[:, : draw(st.integers(0, array.shape[1]))])
    result = array.copy()
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, array.size - 1))
        if array.dtype.kind == "f":
            result.ravel()[place] = draw(st.floats(width=32))
        else:
            limits = np.iinfo(array.dtype)
            near = st.integers(max(-3, limits.min), 40) | st.sampled_from([limits.min, limits.max])
            result.ravel()[place] = draw(near)
    return result


@pytest.mark.parametrize("name", CALLS)
@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_invalid_input_raises_or_does_no_harm(name, data):
    """For any sizes, ids, offsets and numbers, a kernel returns or raises, and writes only to its outputs."""
    call = CALLS[name]
    changes = {}
    untrusted = [array for array in call.arrays() if (name, array) not in TRUSTED]
    for argument in data.draw(st.lists(st.sampled_from(untrusted), max_size=2, unique=True)):
        changes[argument] = data.draw(corrupted(call.arguments[argument]), label=argument)
    scalars = sorted(SCALARS.keys() & call.arguments.keys())
    if scalars:
        for argument in data.draw(st.lists(st.sampled_from(scalars), max_size=2, unique=True)):
            changes[argument] = data.draw(SCALARS[argument], label=argument)
    call = call.changed(**changes)
    guarded = {written: with_guards(call.arguments[written]) for written in call.written}
    call = call.changed(**{written: inner for written, (inner, _) in guarded.items()})
    with contextlib.suppress(*REFUSED):
        call.run()
    assert all(has_intact_guards(whole) for _, whole in guarded.values())
