"""GGUF block types: how a tensor's bytes are made; and a file with one tensor of every type, beside the values that gguf-py
makes of them.

That file's blocks are random bytes (every bit pattern of the quants occurs) with scales of a sensible size. It also holds
metadata of every type.
"""

from pathlib import Path

import gguf
import numpy as np
from safetensors.numpy import save_file

from fixturelib import registry

Type = gguf.GGMLQuantizationType
ROWS, COLUMNS = 3, 256

# Where the f16 scales lie in a block, in bytes.
SCALES = {
    Type.Q4_0: [0],
    Type.Q4_1: [0, 2],
    Type.Q5_0: [0],
    Type.Q5_1: [0, 2],
    Type.Q8_0: [0],
    Type.Q2_K: [80, 82],
    Type.Q3_K: [108],
    Type.Q4_K: [0, 2],
    Type.Q5_K: [0, 2],
    Type.Q6_K: [208],
}


# The mean of what the main scale of a K block multiplies, to centre its values.
CENTRES = {Type.Q2_K: 1.5, Type.Q3_K: None, Type.Q4_K: 7.5, Type.Q5_K: 15.5, Type.Q6_K: None}


def encode(values: np.ndarray, kind: Type, source: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The bytes of `values` (rows, inputs) as `kind`, and what they decode to in f32.

    gguf has no K quantiser, so that K blocks hold random bytes whose scales give the spread of `values`.
    """
    if kind in CENTRES:
        raw = random_k_blocks(values.shape, kind, float(values.std()), source)
    else:
        raw = gguf.quants.quantize(np.ascontiguousarray(values, dtype=np.float32), kind)
    return raw, gguf.quants.dequantize(raw, kind).reshape(values.shape)


def random_k_blocks(shape: tuple[int, ...], kind: Type, spread: float, source: np.random.Generator) -> np.ndarray:
    """Random blocks of `kind` whose values have about mean 0 and the standard deviation `spread`."""
    size, width = gguf.GGML_QUANT_SIZES[kind]
    count = shape[0] * shape[1] // size
    raw = source.integers(0, 256, (count, width), dtype=np.uint8)

    def scale(unit: float) -> None:
        # No two blocks share their scales.
        factors = unit * source.uniform(0.7, 1.3, count)
        for offset, weight in zip(SCALES[kind], (1.0, CENTRES[kind]), strict=False):
            half = (factors * weight).astype("<f2")
            raw[:, offset : offset + 2] = half.view(np.uint8).reshape(count, 2)

    scale(2.0**-10)
    measured = gguf.quants.dequantize(raw, kind).std()
    scale(2.0**-10 * spread / float(measured))
    return raw.reshape(shape[0], -1)


def blocks(kind: Type, rng: np.random.Generator) -> np.ndarray:
    """Random rows of blocks, as bytes."""
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    data = rng.integers(0, 256, (ROWS, COLUMNS // elements, size), dtype=np.uint8)
    for at in SCALES[kind]:
        scale = rng.uniform(-0.02, 0.02, data.shape[:2]).astype(np.float16)
        data[:, :, at : at + 2] = scale[..., None].view(np.uint8)
    return data.reshape(ROWS, -1)


def make(folder: Path) -> str:
    """Writes blocks.gguf and expected.safetensors."""
    rng = np.random.default_rng(20240229)
    writer = gguf.GGUFWriter(folder / "blocks.gguf", "llama")
    writer.add_uint8("test.u8", 200)
    writer.add_int8("test.i8", -100)
    writer.add_uint16("test.u16", 60000)
    writer.add_int16("test.i16", -30000)
    writer.add_uint32("test.u32", 4_000_000_000)
    writer.add_int32("test.i32", -2_000_000_000)
    writer.add_uint64("test.u64", 1 << 63)
    writer.add_int64("test.i64", -(1 << 62))
    writer.add_float32("test.f32", 0.1)
    writer.add_float64("test.f64", 0.1)
    writer.add_bool("test.yes", True)
    writer.add_bool("test.no", False)
    writer.add_string("test.text", "naïve ▁ text")
    writer.add_array("test.texts", ["a", "", "ü"])
    writer.add_array("test.ints", [3, 1, 2])
    writer.add_array("test.floats", [0.5, -1.25])

    expected = {}
    plain = rng.standard_normal((ROWS, COLUMNS)).astype(np.float32)
    for kind, data in [
        (Type.F32, plain),
        (Type.F16, plain.astype(np.float16)),
        (Type.F64, plain.astype(np.float64) / 3.0),
    ]:
        name = f"{kind.name.lower()}.weight"
        writer.add_tensor(name, data)
        expected[name] = data.astype(np.float32)
    bf16 = gguf.quants.quantize(plain, Type.BF16)
    writer.add_tensor("bf16.weight", bf16, raw_dtype=Type.BF16)
    expected["bf16.weight"] = gguf.quants.dequantize(bf16, Type.BF16)
    for kind in SCALES:
        name = f"{kind.name.lower()}.weight"
        data = blocks(kind, rng)
        writer.add_tensor(name, data, raw_dtype=kind)
        expected[name] = gguf.quants.dequantize(data, kind).astype(np.float32)
    vector = rng.standard_normal(7).astype(np.float32)
    writer.add_tensor("odd.bias", vector)
    expected["odd.bias"] = vector

    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    for name, values in expected.items():
        if not np.isfinite(values).all():
            raise ValueError(f"{name} is not finite")
    save_file({name: np.ascontiguousarray(values) for name, values in expected.items()}, folder / "expected.safetensors")
    return f"{len(expected)} tensors"


registry.add("gguf-blocks", "every GGML block type, and metadata of every type", make)
