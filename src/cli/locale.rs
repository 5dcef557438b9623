//! The locale files, embedded in the native program only; elsewhere they are files next to the module.

/// The file of a locale.
pub fn file(locale: &str) -> Option<&'static str> {
    match locale {
        "en" => Some(include_str!("../../pkg/locale/en.json")),
        "zh-Hans" => Some(include_str!("../../pkg/locale/zh-Hans.json")),
        _ => None,
    }
}
