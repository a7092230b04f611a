//! The JSON Schemas, written from the types.

use std::fs;

use crate::{
    Error,
    run::{root, say},
};

/// Writes every schema into `schema/`. A test holds the files against the types.
///
/// # Errors
/// A file that cannot be written.
pub fn write() -> Result<(), Error> {
    let folder = root().join("schema");
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    for (name, schema) in inferplan_core::schemas::all() {
        let text = serde_json::to_string_pretty(&schema).map_err(|error| error.to_string())?;
        let path = folder.join(name);
        fs::write(&path, text + "\n").map_err(|error| format!("{}: {error}", path.display()))?;
        say(&format!("schema/{name}"));
    }
    Ok(())
}
