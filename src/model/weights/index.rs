//! The index of sharded safetensors: which tensor is in which file. The names come from a file that anybody may have
//! written, so a path that leaves the folder is refused.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::file::refuse_lfs_pointer;
use crate::{Error, Result};

/// Reads `weight_map`: tensor name to shard file name.
///
/// # Errors
/// If the file cannot be read, is not JSON, or has no `weight_map` of strings.
pub(super) fn read_weight_map(index: &Path) -> Result<BTreeMap<String, String>> {
    refuse_lfs_pointer(index)?;
    let text = std::fs::read_to_string(index).map_err(|e| Error::model(index, format!("cannot be read: {e}")))?;
    let value: serde_json::Value = serde_json::from_str(&text)
        .map_err(|e| Error::model(index, format!("is not valid JSON ({e}); download it again")))?;
    let map = value
        .get("weight_map")
        .and_then(|map| map.as_object())
        .ok_or_else(|| Error::model(index, "has no object `weight_map`; download it again"))?;
    if map.is_empty() {
        return Err(Error::model(index, "has an empty `weight_map`; download it again"));
    }
    map.iter()
        .map(|(tensor, shard)| match shard.as_str() {
            Some(shard) => Ok((tensor.clone(), shard.to_string())),
            None => Err(Error::model(index, format!("`weight_map` of tensor `{tensor}` is {shard}, not a file name"))),
        })
        .collect()
}

/// The distinct shards of a weight map, by name, as paths beside the index.
///
/// # Errors
/// If a name leads outside the folder, or a shard is not there.
pub(super) fn shard_paths(index: &Path, map: &BTreeMap<String, String>) -> Result<BTreeMap<String, PathBuf>> {
    let folder = index.parent().unwrap_or(Path::new("."));
    let mut paths = BTreeMap::new();
    for shard in shard_names(index, map)? {
        let path = folder.join(&shard);
        if !path.is_file() {
            return Err(Error::model(
                index,
                format!("names the shard {shard}, which is not in {}; download it", folder.display()),
            ));
        }
        paths.insert(shard, path);
    }
    Ok(paths)
}

/// The distinct shard names of a weight map, sorted; each is known to stay inside the index's folder.
///
/// # Errors
/// If a name is absolute, empty or climbs out of the folder.
fn shard_names(index: &Path, map: &BTreeMap<String, String>) -> Result<Vec<String>> {
    let names: std::collections::BTreeSet<&String> = map.values().collect();
    for name in &names {
        let inside = Path::new(name).components().all(|c| matches!(c, Component::Normal(_)));
        if name.is_empty() || !inside || name.contains('\\') || name.contains(':') {
            return Err(Error::model(
                index,
                format!("names the shard `{name}`, which is a path outside the model's folder; refused"),
            ));
        }
    }
    Ok(names.into_iter().cloned().collect())
}

/// The distinct shards that an index file names, sorted.
///
/// # Errors
/// If the index cannot be read or names a path outside its folder.
pub fn shards_of_index(index: &Path) -> Result<Vec<String>> {
    shard_names(index, &read_weight_map(index)?)
}
