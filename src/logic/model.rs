//! Finite models, and the plain evaluator that says what holds in one. It shares nothing with the search for models.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};

use super::formula::{Formula, Name, Term};

/// A symbol: name and number of arguments.
pub type Symbol = (Name, usize);

/// A finite model. Its elements are the numbers 0 to `size` − 1; tables are in row-major order of the arguments, the
/// last varying fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// How many elements there are; at least one.
    pub size: usize,
    /// Values of functions; constants have no arguments and one value.
    pub functions: BTreeMap<Symbol, Vec<usize>>,
    /// Where predicates hold.
    pub predicates: BTreeMap<Symbol, Vec<bool>>,
}

/// Why a formula cannot be evaluated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// A function or predicate without a table, or with one of the wrong length.
    #[error("the model has no proper table for `{0}` with {1} arguments")]
    Table(Name, usize),
    /// A variable that nothing binds.
    #[error("the variable `{0}` is free")]
    Variable(Name),
    /// A value that is no element.
    #[error("the model's value {1} of `{0}` is no element")]
    Element(Name, usize),
}

impl Model {
    /// Whether a closed formula holds, by Tarski's definition.
    ///
    /// # Errors
    /// [`Missing`] names what the model lacks.
    pub fn holds(&self, formula: &Formula) -> Result<bool, Missing> {
        self.eval(formula, &mut Vec::new())
    }

    fn eval<'a>(&self, formula: &'a Formula, env: &mut Vec<(&'a Name, usize)>) -> Result<bool, Missing> {
        Ok(match formula {
            Formula::True => true,
            Formula::False => false,
            Formula::Pred(p, args) => {
                let at = self.cell(p, args, env)?;
                let table = self.predicates.get(&(p.clone(), args.len()));
                *table.and_then(|table| table.get(at)).ok_or_else(|| Missing::Table(p.clone(), args.len()))?
            }
            Formula::Eq(s, t) => self.value(s, env)? == self.value(t, env)?,
            Formula::Not(f) => !self.eval(f, env)?,
            Formula::And(fs) => {
                for f in fs {
                    if !self.eval(f, env)? {
                        return Ok(false);
                    }
                }
                true
            }
            Formula::Or(fs) => {
                for f in fs {
                    if self.eval(f, env)? {
                        return Ok(true);
                    }
                }
                false
            }
            Formula::Xor(a, b) => self.eval(a, env)? != self.eval(b, env)?,
            Formula::Implies(a, b) => !self.eval(a, env)? || self.eval(b, env)?,
            Formula::Iff(a, b) => self.eval(a, env)? == self.eval(b, env)?,
            Formula::ForAll(x, body) | Formula::Exists(x, body) => {
                let wanted = matches!(formula, Formula::Exists(..));
                for element in 0..self.size {
                    env.push((x, element));
                    let holds = self.eval(body, env);
                    env.pop();
                    if holds? == wanted {
                        return Ok(wanted);
                    }
                }
                !wanted
            }
        })
    }

    fn value(&self, term: &Term, env: &[(&Name, usize)]) -> Result<usize, Missing> {
        match term {
            Term::Var(x) => env
                .iter()
                .rev()
                .find(|(name, _)| *name == x)
                .map(|(_, e)| *e)
                .ok_or_else(|| Missing::Variable(x.clone())),
            Term::App(f, args) => {
                let at = self.cell(f, args, env)?;
                let table = self.functions.get(&(f.clone(), args.len()));
                let value =
                    *table.and_then(|table| table.get(at)).ok_or_else(|| Missing::Table(f.clone(), args.len()))?;
                if value < self.size { Ok(value) } else { Err(Missing::Element(f.clone(), value)) }
            }
        }
    }

    /// Where the arguments' values stand in a table.
    fn cell(&self, symbol: &Name, args: &[Term], env: &[(&Name, usize)]) -> Result<usize, Missing> {
        args.iter().try_fold(0usize, |at, arg| {
            let value = self.value(arg, env)?;
            at.checked_mul(self.size)
                .and_then(|at| at.checked_add(value))
                .ok_or_else(|| Missing::Table(symbol.clone(), args.len()))
        })
    }

    /// The arguments that a place in a table stands for.
    fn tuple(&self, mut at: usize, arity: usize) -> Vec<usize> {
        let mut tuple = vec![0; arity];
        for slot in tuple.iter_mut().rev() {
            *slot = at % self.size;
            at /= self.size;
        }
        tuple
    }

    /// The tuples of which a predicate holds.
    fn extension(&self, arity: usize, table: &[bool]) -> Vec<Vec<usize>> {
        (0..table.len()).filter(|&at| table[at]).map(|at| self.tuple(at, arity)).collect()
    }
}

/// `{"size":2,"constants":{"tom":0},"functions":{"father/1":[[0,1],[1,1]]},"predicates":{"Cat/1":[[0]],"Rains/0":true}}`:
/// a function's list holds arguments and value, a predicate's the tuples of which it holds.
impl Serialize for Model {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut constants = Map::new();
        let mut functions = Map::new();
        for ((name, arity), table) in &self.functions {
            if *arity == 0 {
                constants.insert(name.to_string(), json!(table.first()));
                continue;
            }
            let rows: Vec<Vec<usize>> = table
                .iter()
                .enumerate()
                .map(|(at, &value)| {
                    let mut row = self.tuple(at, *arity);
                    row.push(value);
                    row
                })
                .collect();
            functions.insert(format!("{name}/{arity}"), json!(rows));
        }
        let mut predicates = Map::new();
        for ((name, arity), table) in &self.predicates {
            let value = if *arity == 0 { json!(table.first()) } else { json!(self.extension(*arity, table)) };
            predicates.insert(format!("{name}/{arity}"), value);
        }
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("size", &self.size)?;
        map.serialize_entry("constants", &constants)?;
        map.serialize_entry("functions", &functions)?;
        map.serialize_entry("predicates", &predicates)?;
        map.end()
    }
}

impl Model {
    /// Reads a model as it is written.
    ///
    /// # Errors
    /// A message that names the field at fault.
    pub fn from_json(value: &Value) -> Result<Model, String> {
        let size =
            value["size"].as_u64().filter(|n| (1..=1 << 20).contains(n)).ok_or("`size` must be a number from 1 on")?;
        let mut model = Model { size: size as usize, functions: BTreeMap::new(), predicates: BTreeMap::new() };
        let empty = Map::new();
        let object = |name: &str| match &value[name] {
            Value::Null => Ok(&empty),
            Value::Object(map) => Ok(map),
            _ => Err(format!("`{name}` must be an object")),
        };
        for (name, element) in object("constants")? {
            let element =
                element.as_u64().filter(|e| *e < size).ok_or(format!("constant `{name}` must be an element"))?;
            model.functions.insert((name.as_str().into(), 0), vec![element as usize]);
        }
        for (key, rows) in object("functions")? {
            let symbol = symbol(key)?;
            let cells = model.cells(symbol.1, key)?;
            let mut table = vec![None; cells];
            for row in model.rows(rows, symbol.1 + 1, key)? {
                table[model.place(&row[..symbol.1])] = row.last().copied();
            }
            let table: Option<Vec<usize>> = table.into_iter().collect();
            model.functions.insert(symbol, table.ok_or(format!("`{key}` lacks a value"))?);
        }
        for (key, rows) in object("predicates")? {
            let symbol = symbol(key)?;
            let mut table = vec![false; model.cells(symbol.1, key)?];
            if let Some(holds) = rows.as_bool().filter(|_| symbol.1 == 0) {
                table[0] = holds;
            } else {
                for row in model.rows(rows, symbol.1, key)? {
                    table[model.place(&row)] = true;
                }
            }
            model.predicates.insert(symbol, table);
        }
        Ok(model)
    }

    fn cells(&self, arity: usize, key: &str) -> Result<usize, String> {
        u32::try_from(arity)
            .ok()
            .and_then(|arity| self.size.checked_pow(arity))
            .filter(|cells| *cells <= 1 << 24)
            .ok_or(format!("`{key}` has too large a table"))
    }
    fn place(&self, tuple: &[usize]) -> usize {
        tuple.iter().fold(0, |at, element| at * self.size + element)
    }
    fn rows(&self, rows: &Value, length: usize, key: &str) -> Result<Vec<Vec<usize>>, String> {
        let wrong = || format!("`{key}` must be a list of lists of {length} elements");
        let element = |v: &Value| v.as_u64().map(|e| e as usize).filter(|e| *e < self.size);
        let row =
            |v: &Value| v.as_array()?.iter().map(element).collect::<Option<Vec<_>>>().filter(|r| r.len() == length);
        rows.as_array().ok_or_else(wrong)?.iter().map(|v| row(v).ok_or_else(wrong)).collect()
    }
}

/// `father/1`
fn symbol(key: &str) -> Result<Symbol, String> {
    let (name, arity) =
        key.rsplit_once('/').ok_or(format!("`{key}` must end with its number of arguments, as `P/1`"))?;
    Ok((name.into(), arity.parse().map_err(|_| format!("`{key}` must end with its number of arguments, as `P/1`"))?))
}

/// For people, one symbol a line.
impl std::fmt::Display for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |values: Vec<String>| if values.is_empty() { "–".to_string() } else { values.join(", ") };
        let tuple = |t: &[usize]| {
            let parts: Vec<String> = t.iter().map(ToString::to_string).collect();
            if parts.len() == 1 { parts.concat() } else { format!("({})", parts.join(", ")) }
        };
        write!(f, "domain: {}", list((0..self.size).map(|e| e.to_string()).collect()))?;
        for ((name, arity), table) in &self.functions {
            if *arity == 0 {
                write!(f, "\n{name} = {}", table.first().map_or("–".to_string(), ToString::to_string))?;
            } else {
                let mut line = String::new();
                for (at, value) in table.iter().enumerate() {
                    let args: Vec<String> = self.tuple(at, *arity).iter().map(ToString::to_string).collect();
                    let comma = if at > 0 { ", " } else { "" };
                    write!(line, "{comma}{name}({}) = {value}", args.join(", "))?;
                }
                write!(f, "\n{line}")?;
            }
        }
        for ((name, arity), table) in &self.predicates {
            if *arity == 0 {
                write!(f, "\n{name}: {}", if table.first() == Some(&true) { "true" } else { "false" })?;
            } else {
                write!(f, "\n{name}: {}", list(self.extension(*arity, table).iter().map(|t| tuple(t)).collect()))?;
            }
        }
        Ok(())
    }
}
