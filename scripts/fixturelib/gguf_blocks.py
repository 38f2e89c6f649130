"""GGUF block types: how a tensor's bytes are made, and a file with one small tensor of each type."""

import json
from pathlib import Path

import gguf
import numpy as np

from fixturelib import registry

Kind = gguf.GGMLQuantizationType

# Where a K block keeps its half-precision scales, and the mean of what the main one multiplies (to centre the values).
K_SCALES = {
    Kind.Q2_K: ((80, 82), 1.5),
    Kind.Q3_K: ((108,), None),
    Kind.Q4_K: ((0, 2), 7.5),
    Kind.Q5_K: ((0, 2), 15.5),
    Kind.Q6_K: ((208,), None),
}


def encode(values: np.ndarray, kind: Kind, source: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The bytes of `values` (rows, inputs) as `kind`, and what they decode to in f32.

    gguf has no K quantiser, so that K blocks hold random bytes whose scales give the spread of `values`.
    """
    if kind in K_SCALES:
        raw = random_k_blocks(values.shape, kind, float(values.std()), source)
    else:
        raw = gguf.quants.quantize(np.ascontiguousarray(values, dtype=np.float32), kind)
    return raw, gguf.quants.dequantize(raw, kind).reshape(values.shape)


def random_k_blocks(shape: tuple[int, ...], kind: Kind, spread: float, source: np.random.Generator) -> np.ndarray:
    """Random blocks of `kind` whose values have about mean 0 and the standard deviation `spread`."""
    size, width = gguf.GGML_QUANT_SIZES[kind]
    offsets, centre = K_SCALES[kind]
    count = shape[0] * shape[1] // size
    blocks = source.integers(0, 256, (count, width), dtype=np.uint8)

    def scale(unit: float) -> None:
        # No two blocks share their scales.
        factors = unit * source.uniform(0.7, 1.3, count)
        for offset, weight in zip(offsets, (1.0, centre), strict=False):
            half = (factors * weight).astype("<f2")
            blocks[:, offset : offset + 2] = half.view(np.uint8).reshape(count, 2)

    scale(2.0**-10)
    measured = gguf.quants.dequantize(blocks, kind).std()
    scale(2.0**-10 * spread / float(measured))
    return blocks.reshape(shape[0], -1)


def shortest(values: np.ndarray) -> list[float]:
    """Numbers that print as the shortest text which reads back as the same f32."""
    return [float(str(value)) for value in values.astype(np.float32).ravel()]


def make_blocks(folder: Path) -> str:
    """One tensor of each type: full-range quants, a zero block and a block of one sign among the simple types."""
    source = np.random.default_rng(20240607)
    writer = gguf.GGUFWriter(folder / "blocks.gguf", "llama")
    tensors = []
    for kind in (
        Kind.F32, Kind.F16, Kind.BF16, Kind.Q4_0, Kind.Q4_1, Kind.Q5_0, Kind.Q5_1, Kind.Q8_0,
        Kind.Q2_K, Kind.Q3_K, Kind.Q4_K, Kind.Q5_K, Kind.Q6_K,
    ):  # fmt: skip
        rows = 2 if kind in K_SCALES else 1
        values = source.normal(0.0, 0.5, (rows, 256)).astype(np.float32)
        if rows == 1:
            values[0, 32:64] = 0.0
            values[0, 64:96] = np.abs(values[0, 64:96]) + 1.0
            values[0, 96:128] = -values[0, 64:96]
            values[0, 128:160] *= 1e-6
        raw, decoded = encode(values, kind, source)
        name = f"block.{kind.name.lower()}"
        writer.add_tensor(name, raw, raw_dtype=kind)
        tensors.append({"name": name, "type": kind.name, "shape": list(values.shape), "values": shortest(decoded)})
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    reader = gguf.GGUFReader(folder / "blocks.gguf")
    for tensor, expected in zip(reader.tensors, tensors, strict=True):
        decoded = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        if tensor.name != expected["name"] or shortest(decoded) != expected["values"]:
            raise ValueError(f"{tensor.name} reads back differently")
    note = "one tensor of each block type and its f32 values, row by row"
    head = json.dumps({"case": folder.name, "note": note})[:-1]
    lines = [json.dumps(tensor, separators=(",", ":")) for tensor in tensors]
    (folder / "expected.json").write_text(head + ', "tensors": [\n' + ",\n".join(lines) + "\n]}\n", encoding="utf-8")
    return f"{len(tensors)} tensors"


registry.add("gguf-blocks", "one tensor of each block type", make_blocks)
