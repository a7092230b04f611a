//! What the page asks of the browser, each with a fallback: none of it may fail the page.

use gloo_storage::{LocalStorage, Storage};
use inferplan_core::{Date, text::Lang};

use crate::state::Theme;

const LANG: &str = "inferplan.lang";
const THEME: &str = "inferplan.theme";

/// The language kept from last time, or the browser's own.
pub fn lang() -> Lang {
    let kept: Option<String> = LocalStorage::get(LANG).ok();
    let own = || gloo_utils::window().navigator().language();
    kept.or_else(own)
        .map_or(Lang::En, |tag| Lang::of_locale(&tag))
}

/// Keeps the language, and tells the document, so that a screen reader speaks it.
pub fn keep_lang(lang: Lang) {
    // Storage may be full or forbidden; the choice then lasts as long as the page.
    let _ = LocalStorage::set(LANG, lang.tag());
    set_root_attribute("lang", Some(lang.tag()));
}

/// The theme kept from last time.
pub fn theme() -> Theme {
    let kept: Option<String> = LocalStorage::get(THEME).ok();
    match kept.as_deref() {
        Some("light") => Theme::Light,
        Some("dark") => Theme::Dark,
        _ => Theme::System,
    }
}

/// Keeps and shows the theme.
pub fn keep_theme(theme: Theme) {
    let name = match theme {
        Theme::System => None,
        Theme::Light => Some("light"),
        Theme::Dark => Some("dark"),
    };
    let _ = LocalStorage::set(THEME, name.unwrap_or("system"));
    set_root_attribute("data-theme", name);
}

fn set_root_attribute(attribute: &str, value: Option<&str>) {
    let Some(root) = gloo_utils::document().document_element() else {
        return;
    };
    // Both attribute names are valid, so neither call can fail.
    let _ = match value {
        Some(value) => root.set_attribute(attribute, value),
        None => root.remove_attribute(attribute),
    };
}

/// Today, where the reader is.
pub fn today() -> Date {
    let now = js_sys::Date::new_0();
    let year = i16::try_from(now.get_full_year()).unwrap_or(2026);
    let month = i8::try_from(now.get_month() + 1).unwrap_or(1);
    let day = i8::try_from(now.get_date()).unwrap_or(1);
    Date::new(year, month, day).unwrap_or_default()
}

/// A custom property of the style sheet, such as `--ink`.
pub fn css_variable(name: &str) -> String {
    let style = gloo_utils::document().document_element().and_then(|root| {
        gloo_utils::window()
            .get_computed_style(&root)
            .ok()
            .flatten()
    });
    style
        .and_then(|style| style.get_property_value(name).ok())
        .unwrap_or_default()
        .trim()
        .to_owned()
}

/// Device pixels to a CSS pixel.
pub fn pixel_ratio() -> f64 {
    gloo_utils::window().device_pixel_ratio().clamp(0.5, 4.0)
}
