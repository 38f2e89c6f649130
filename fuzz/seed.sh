#!/bin/sh
# Puts the fixtures' files into fuzz/corpus as first inputs of the targets.
set -eu
cd "$(dirname "$0")"
fixtures=../tests/fixtures
mkdir -p corpus/config corpus/safetensors corpus/gguf corpus/items corpus/formulas
for folder in "$fixtures"/*/; do
    name=$(basename "$folder")
    if [ -f "$folder/config.json" ]; then cp "$folder/config.json" "corpus/config/$name"; fi
    if [ -f "$folder/model.gguf" ]; then head -c 12000 "$folder/model.gguf" > "corpus/gguf/$name"; fi
    if [ -f "$folder/tokenizer.gguf" ]; then cp "$folder/tokenizer.gguf" "corpus/gguf/$name"; fi
done
# Whole small files pass all checks; others are cut, which is a finding of its own.
cp "$fixtures/llama-untied-gqa/model.safetensors" corpus/safetensors/whole
header='{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
printf '{"weight_map":{"w":"a"}}\n\066\0\0\0\0\0\0\0%s\0\0\200\077' "$header" > corpus/safetensors/index
head -n 20 ../data/chain.jsonl > corpus/items/chain
# One formula a file: each operator in each syntax.
n=0
while IFS= read -r formula; do
    n=$((n + 1))
    printf '%s' "$formula" > "corpus/formulas/$n"
done <<'FORMULAS'
∀x (P(x) ∧ ¬Q(x, a-b) → ∃y (R(y, f(x)) ⊕ y = naïve))
A ∨ B ∧ C ↔ D → ⊤ ∨ ⊥ ∨ a ≠ o’brien
all x.(P(x) & -Q(x,a) -> exists y.(R(y,mother(x)) | y = b))
not P(a) and Q(a) or R(a) implies S iff T(a) ^ a != b
all x (P(x) -> exists y R(x,y)) <-> (Q(z) <- $T).
FORMULAS
