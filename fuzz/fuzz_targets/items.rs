//! Items as JSON Lines; what was read is written and read again.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use llscore::item::{parse_items, write_items};

fuzz_target!(|data: &[u8]| {
    let name = Path::new("d.jsonl");
    match parse_items(data, name) {
        Ok(items) => {
            let mut bytes = Vec::new();
            write_items(&mut bytes, &items).expect("writes");
            assert_eq!(parse_items(&bytes[..], name).expect("reads"), items);
        }
        Err(e) => assert!(e.exit_code() == 2 && e.to_string().starts_with("d.jsonl"), "{e}"),
    }
});
