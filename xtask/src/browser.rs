//! Chromium and its driver, for the tests of the page.

use std::{env, path::PathBuf};

use crate::{Error, apt, run::on_path};

/// The browser and its driver.
pub struct Browser {
    pub chromium: PathBuf,
    pub driver: PathBuf,
}

/// Finds both, or installs Debian's, with a font that has Chinese.
///
/// # Errors
/// Neither found nor to be installed.
pub fn find() -> Result<Browser, Error> {
    if let Some(browser) = here() {
        return Ok(browser);
    }
    apt::install(
        &["chromium", "chromium-driver", "fonts-noto-cjk"],
        "a browser to test the page in",
    )?;
    here().ok_or_else(|| "chromium and chromedriver are not on the path".to_owned())
}

fn here() -> Option<Browser> {
    let given = |name: &str| env::var_os(name).map(PathBuf::from);
    Some(Browser {
        chromium: given("CHROMIUM")
            .or_else(|| on_path(&["chromium", "chromium-browser", "google-chrome"]))?,
        driver: given("CHROMEDRIVER").or_else(|| on_path(&["chromedriver"]))?,
    })
}
