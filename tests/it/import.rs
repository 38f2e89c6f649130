//! Importing: every record of an outside file gives an item or a defect, nothing of it is lost, and what is wrong is told
//! with its place. All records here are made for these tests.

mod defects;
mod formats;
mod law;
mod logicnli;
mod program;

use std::path::Path;

use llscore::import::{Defect, Import, KINDS, Source, find, import};
use llscore::item::{Item, parse_items, write_items};
use serde_json::Value;

/// Imports texts as files of these names.
fn read_files(format: &str, files: &[(&str, &[u8])]) -> Import {
    let sources = files.iter().map(|(name, bytes)| Source::new(Path::new(name), bytes.to_vec())).collect();
    let found = import(find(format).unwrap(), sources, None);
    check(&found);
    found
}

/// Imports one text as the file `set.jsonl` (or what is like it).
fn read(format: &str, text: impl AsRef<str>) -> Import {
    read_files(format, &[("set.jsonl", text.as_ref().as_bytes())])
}

/// What holds of every import: items are items as other commands read them, counts are sums, kinds are known, a record
/// without an item has a defect that says so.
fn check(found: &Import) {
    if !found.items.is_empty() {
        let mut bytes = Vec::new();
        write_items(&mut bytes, &found.items).unwrap();
        assert_eq!(parse_items(&bytes[..], Path::new("items")).unwrap(), found.items);
    }
    let sum = |of: fn(&llscore::import::Count) -> usize| found.files.iter().map(of).sum::<usize>();
    assert_eq!(sum(|count| count.items), found.items.len());
    assert_eq!(sum(|count| count.defects), found.defects.len());
    for defect in &found.defects {
        assert!(KINDS.iter().any(|(kind, _)| *kind == defect.kind), "{defect:?}");
        assert!(!defect.message.is_empty() && defect.column != Some(0) && defect.line != Some(0), "{defect:?}");
    }
    assert!(sum(|count| count.dropped) <= found.defects.iter().filter(|defect| defect.dropped).count());
}

/// Kind, row, field and column of a defect.
type Place<'a> = (&'a str, Option<usize>, Option<&'a str>, Option<usize>);

/// Kind, row, field and column of each defect.
fn places(found: &Import) -> Vec<Place<'_>> {
    found.defects.iter().map(|d| (d.kind, d.row, d.field.as_deref(), d.column)).collect()
}

/// The one defect of an import.
fn only(found: &Import) -> &Defect {
    assert_eq!(found.defects.len(), 1, "{:?}", found.defects);
    &found.defects[0]
}

/// The one item of an import without defects.
fn sole(found: &Import) -> &Item {
    assert_eq!(found.defects, []);
    assert_eq!(found.items.len(), 1);
    &found.items[0]
}

/// A field of an item's `meta`.
fn meta<'a>(item: &'a Item, field: &str) -> &'a Value {
    &item.meta.as_ref().unwrap()[field]
}
