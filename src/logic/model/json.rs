//! Models as JSON that a person can read and anyone can check again:
//! `{"size":2,"constants":{"bonnie":0},"functions":{"father/1":[[0,1],[1,1]]},"predicates":{"Talks/1":[[0]],"Rains/0":true}}`.
//!
//! A function lists its arguments followed by the value, for all arguments; a predicate lists the tuples of which it
//! holds; a predicate without arguments is true or false.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::super::formula::Name;
use super::{Model, cells, tuple};

/// Tables with more cells than this are not read: a few bytes of JSON must not ask for gigabytes.
const MAX_CELLS: usize = 1 << 24;

impl Serialize for Model {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Model {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Model::from_json(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl Model {
    /// The model as JSON; fields and symbols in a fixed order.
    pub fn to_json(&self) -> Value {
        let (mut constants, mut functions, mut predicates) = (Map::new(), Map::new(), Map::new());
        for ((name, arity), table) in &self.functions {
            if *arity == 0 {
                constants.insert(name.to_string(), table.first().copied().into());
                continue;
            }
            let rows = table.iter().enumerate().map(|(row, value)| {
                let mut cells = tuple(self.size, *arity, row);
                cells.push(*value);
                Value::from(cells)
            });
            functions.insert(format!("{name}/{arity}"), rows.collect());
        }
        for ((name, arity), table) in &self.predicates {
            let holds = table.iter().enumerate().filter(|(_, holds)| **holds);
            let value = match arity {
                0 => table.first().copied().into(),
                _ => holds.map(|(row, _)| Value::from(tuple(self.size, *arity, row))).collect(),
            };
            predicates.insert(format!("{name}/{arity}"), value);
        }
        serde_json::json!({"size": self.size, "constants": constants, "functions": functions, "predicates": predicates})
    }

    /// Reads what [`Model::to_json`] writes. `constants`, `functions` and `predicates` may be left out where there are
    /// none.
    ///
    /// # Errors
    /// What is wrong, and with which field or symbol.
    pub fn from_json(json: &Value) -> Result<Model, String> {
        let fields =
            json.as_object().ok_or("a model is an object with the fields size, constants, functions, predicates")?;
        let known = ["size", "constants", "functions", "predicates"];
        if let Some(other) = fields.keys().find(|field| !known.contains(&field.as_str())) {
            return Err(format!("a model has no field {other:?}, only {}", known.join(", ")));
        }
        let size = fields.get("size").ok_or("the model has no field size")?;
        let size = size.as_u64().and_then(|size| usize::try_from(size).ok()).filter(|size| *size > 0);
        let size = size.ok_or("size: expected a positive whole number of elements")?;
        let mut model = Model { size, functions: Default::default(), predicates: Default::default() };
        for (name, value) in symbols(fields, "constants")? {
            let value = element(value, size).map_err(|why| format!("constants: {name}: {why}"))?;
            model.functions.insert((name.as_str().into(), 0), vec![value]);
        }
        for (key, rows) in symbols(fields, "functions")? {
            let read = || {
                let symbol = symbol(key)?;
                if symbol.1 == 0 {
                    return Err("a function without arguments belongs under constants".to_owned());
                }
                let table = function(size, symbol.1, rows)?;
                Ok((symbol, table))
            };
            let (symbol, table) = read().map_err(|why| format!("functions: {key}: {why}"))?;
            model.functions.insert(symbol, table);
        }
        for (key, rows) in symbols(fields, "predicates")? {
            let read = || {
                let symbol = symbol(key)?;
                let table = predicate(size, symbol.1, rows)?;
                Ok::<_, String>((symbol, table))
            };
            let (symbol, table) = read().map_err(|why| format!("predicates: {key}: {why}"))?;
            model.predicates.insert(symbol, table);
        }
        Ok(model)
    }
}

/// The symbols under a field; none where it is left out.
fn symbols<'a>(fields: &'a Map<String, Value>, field: &str) -> Result<Vec<(&'a String, &'a Value)>, String> {
    match fields.get(field) {
        None => Ok(Vec::new()),
        Some(Value::Object(symbols)) => Ok(symbols.iter().collect()),
        Some(_) => Err(format!("{field}: expected an object")),
    }
}

/// `father/1`
fn symbol(key: &str) -> Result<(Name, usize), String> {
    let parts = key.rsplit_once('/').filter(|(name, _)| !name.is_empty());
    let parsed = parts.and_then(|(name, arity)| Some((name.into(), arity.parse().ok()?)));
    // `P/01` and `P/+1` would be second spellings of one symbol.
    let parsed = parsed.filter(|(name, arity): &(Name, usize)| format!("{name}/{arity}") == key);
    parsed.ok_or_else(|| "expected a name, a slash and the number of arguments".to_owned())
}

fn element(value: &Value, size: usize) -> Result<usize, String> {
    let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
    number
        .filter(|number| *number < size)
        .ok_or_else(|| format!("{value} is not an element: those are 0 to {}", size - 1))
}

/// The elements of one row.
fn elements(row: &Value, length: usize, size: usize) -> Result<Vec<usize>, String> {
    let cells = row.as_array().filter(|cells| cells.len() == length);
    let cells = cells.ok_or_else(|| format!("{row} is not a list of {length} elements"))?;
    cells.iter().map(|cell| element(cell, size)).collect()
}

fn table_size(size: usize, arity: usize) -> Result<usize, String> {
    let cells = cells(size, arity).filter(|cells| *cells <= MAX_CELLS);
    cells.ok_or_else(|| format!("its table for {size} elements would have more than {MAX_CELLS} cells"))
}

fn place(size: usize, tuple: &[usize]) -> usize {
    tuple.iter().fold(0, |row, element| row * size + element)
}

fn function(size: usize, arity: usize, rows: &Value) -> Result<Vec<usize>, String> {
    let rows = rows.as_array().ok_or("expected a list of rows, each the arguments followed by the value")?;
    let mut table = vec![None; table_size(size, arity)?];
    for row in rows {
        let mut cells = elements(row, arity + 1, size)?;
        let value = cells.pop();
        if std::mem::replace(&mut table[place(size, &cells)], value).is_some() {
            return Err(format!("the arguments {cells:?} stand there twice"));
        }
    }
    if let Some(row) = table.iter().position(Option::is_none) {
        return Err(format!("there is no value for the arguments {:?}", tuple(size, arity, row)));
    }
    Ok(table.into_iter().flatten().collect())
}

fn predicate(size: usize, arity: usize, rows: &Value) -> Result<Vec<bool>, String> {
    if arity == 0 {
        return Ok(vec![rows.as_bool().ok_or("expected true or false")?]);
    }
    let rows = rows.as_array().ok_or("expected the list of tuples of which it holds")?;
    let mut table = vec![false; table_size(size, arity)?];
    for row in rows {
        let cells = elements(row, arity, size)?;
        if std::mem::replace(&mut table[place(size, &cells)], true) {
            return Err(format!("the tuple {cells:?} stands there twice"));
        }
    }
    Ok(table)
}
