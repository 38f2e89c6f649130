//! What mixtures of experts have in common: names, and how their parts are put together.

use crate::Result;
use crate::model::config::{Config, possible};
use crate::model::spec::{
    Activation, DecoderSpec, ExpertsSpec, FeedForward, LinearSpec, MlpSpec, RouterSpec, Scoring, TensorName,
};

/// Prefixes of a layer's tensors.
const PREFIXES: &[&str] = &["model.layers.", "layers."];

/// Names of a mixture's tensors within a layer, `{j}` standing for the expert.
pub(super) struct ExpertNames {
    /// Names of the router.
    pub router: &'static [&'static str],
    pub expert: &'static str,
    pub gate: &'static str,
    pub up: &'static str,
    pub down: &'static str,
}

/// The names that most families share.
pub(super) const USUAL: ExpertNames = ExpertNames {
    router: &["mlp.gate"],
    expert: "mlp.experts.{j}",
    gate: "gate_proj",
    up: "up_proj",
    down: "down_proj",
};

/// More experts than any model has, all layers together.
const MAX_EXPERTS: usize = 1 << 17;

/// The number of experts of a layer, under the first of `keys` that is set, in a model with so many layers.
///
/// # Errors
/// If it is no size, or more than any model has.
pub(super) fn count(c: &Config, keys: &[&str], default: usize, layers: usize) -> Result<usize> {
    let key = c.first(keys).unwrap_or(keys[0]);
    let count = c.usize_or(key, Some(default))?;
    possible(count * layers, MAX_EXPERTS)
        .map_err(|_| c.error(key, format!("{count} experts in {layers} layers are more than any model has")))?;
    Ok(count)
}

/// A tensor of layer `i`.
pub(super) fn name(i: usize, name: &str) -> TensorName {
    TensorName::under(PREFIXES, &format!("{i}.{name}"))
}

/// A gated MLP of width `inner` whose three matrices are `prefix.gate`, `prefix.up` and `prefix.down` of layer `i`.
pub(super) fn mlp(
    i: usize,
    prefix: &str,
    names: &ExpertNames,
    [hidden, inner]: [usize; 2],
    activation: Activation,
) -> MlpSpec {
    let linear =
        |n: &str, inputs, outputs| LinearSpec::plain(name(i, &format!("{prefix}.{n}.weight")), None, inputs, outputs);
    let mut input = linear(names.gate, hidden, inner);
    input.parts.extend(linear(names.up, hidden, inner).parts);
    MlpSpec { inner, activation, gated: true, input, output: linear(names.down, inner, hidden) }
}

/// Gives the matrices of an MLP biases of the same names.
pub(super) fn add_biases(mlp: &mut MlpSpec) {
    for part in mlp.input.parts.iter_mut().chain(&mut mlp.output.parts) {
        let names = part.weight.0.iter().map(|n| n.replace(".weight", ".bias")).collect();
        part.bias = Some(TensorName(names));
    }
}

/// A mixture of `count` experts in layer `i`: weights as the scores give them, no groups, no shared expert.
pub(super) fn mixture(
    names: &ExpertNames,
    i: usize,
    count: usize,
    sizes: [usize; 2],
    activation: Activation,
    top_k: usize,
    scoring: Scoring,
) -> ExpertsSpec {
    let router = names.router.iter().flat_map(|r| name(i, &format!("{r}.weight")).0).collect();
    ExpertsSpec {
        router: RouterSpec {
            weight: LinearSpec::plain(TensorName(router), None, sizes[0], count),
            scoring,
            choice_bias: None,
            groups: None,
            top_k,
            renormalise: None,
            scale: 1.0,
        },
        experts: (0..count)
            .map(|j| mlp(i, &names.expert.replace("{j}", &j.to_string()), names, sizes, activation))
            .collect(),
        shared: None,
        stacked: Some((name(i, "mlp.experts.gate_up_proj"), name(i, "mlp.experts.down_proj"))),
    }
}

/// Makes a mixture the feed-forward branch of layer `i`.
pub(super) fn put(spec: &mut DecoderSpec, i: usize, mixture: ExpertsSpec) {
    spec.layers[i].mlp = Some(FeedForward::Experts(Box::new(mixture)));
}
