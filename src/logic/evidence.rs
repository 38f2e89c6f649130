//! An answer's evidence as JSON, for `llscore prove` and for certificates.

use serde_json::{Map, Value, json};

use super::ground::{Instance, Refutation};
use super::verdict::{Answer, Decision, Verdict};

impl Answer {
    /// The evidence: `model_true` and `model_false` (models of the premises with the conclusion, and with its
    /// negation), `refutation` (ground instances that cannot hold together), and for what was not found out the reason.
    /// `premises` is the number of premises.
    pub fn evidence(&self, premises: usize) -> Value {
        let mut map = Map::new();
        let mut put = |name: &str, value: Value| drop(map.insert(name.to_string(), value));
        for (name, decision) in [("model_true", &self.with), ("model_false", &self.without)] {
            if let Some(model) = decision.model() {
                put(name, serde_json::to_value(model).unwrap_or_default());
            }
        }
        match self.verdict {
            Verdict::Entailed => {
                put("refutation", refutation(self.without.refutation(), premises, "negated conclusion"));
            }
            Verdict::Contradicted => put("refutation", refutation(self.with.refutation(), premises, "conclusion")),
            Verdict::Inconsistent if self.premises.is_some() => {
                put("refutation", refutation(self.premises.as_ref(), premises, "conclusion"));
            }
            Verdict::Inconsistent => {
                put("refutation_true", refutation(self.with.refutation(), premises, "conclusion"));
                put("refutation_false", refutation(self.without.refutation(), premises, "negated conclusion"));
            }
            Verdict::Unknown => {}
            Verdict::Undecided => {
                if let found @ Some(_) = self.with.refutation() {
                    put("refutation_true", refutation(found, premises, "conclusion"));
                }
                if let found @ Some(_) = self.without.refutation() {
                    put("refutation_false", refutation(found, premises, "negated conclusion"));
                }
            }
        }
        for (name, decision) in [("undecided_true", &self.with), ("undecided_false", &self.without)] {
            if let Decision::Undecided(reason) = decision {
                put(name, json!(reason));
            }
        }
        Value::Object(map)
    }
}

impl Decision {
    /// The evidence: `{"model":…}`, `{"refutation":…}` or `{"undecided":"reason"}`. `premises` is the number of formulas
    /// that count as premises; a refutation calls the one after them `last`.
    pub fn evidence(&self, premises: usize, last: &str) -> Value {
        match self {
            Decision::Model(model) => json!({"model": model}),
            Decision::Refuted(found) => json!({"refutation": refutation(Some(found), premises, last)}),
            Decision::Undecided(reason) => json!({"undecided": reason}),
        }
    }
}

fn refutation(refutation: Option<&Refutation>, premises: usize, last: &str) -> Value {
    let Some(refutation) = refutation else { return Value::Null };
    let skolems: Vec<Value> = refutation
        .skolems
        .iter()
        .map(|s| {
            let (of, index) = place(s.source, premises, last);
            let depends_on: Vec<&str> = s.depends_on.iter().map(|x| &**x).collect();
            json!({"name": &*s.name, "depends_on": depends_on, "from": of, "index": index, "says": s.says.to_string()})
        })
        .collect();
    let instances: Vec<Value> = refutation.instances.iter().map(|i| instance(i, premises, last)).collect();
    json!({"instances": instances, "skolems": skolems, "unique_names": refutation.unique_names})
}

fn instance(instance: &Instance, premises: usize, last: &str) -> Value {
    let (from, index) = place(instance.source, premises, last);
    let with: Map<String, Value> =
        instance.bindings.iter().map(|(x, t)| (x.to_string(), t.to_string().into())).collect();
    json!({"from": from, "index": index, "general": instance.general.to_string(), "with": with,
           "ground": instance.ground.to_string()})
}

fn place(source: usize, premises: usize, last: &str) -> (String, Option<usize>) {
    if source < premises { ("premise".to_string(), Some(source)) } else { (last.to_string(), None) }
}
