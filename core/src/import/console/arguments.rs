//! How a tool was called, as a paste says it: the `Namespace(…)` that Python tools print, or the
//! command itself.

/// The arguments found in a text.
pub(in crate::import) struct Arguments<'t> {
    text: &'t str,
}

impl<'t> Arguments<'t> {
    pub(in crate::import) fn of(text: &'t str) -> Self {
        Self { text }
    }

    /// An argument's text by its name in Python (`max_concurrency`), which the command line spells
    /// `--max-concurrency`. A `Namespace` is believed first: it holds what the call came to.
    pub(in crate::import) fn text(&self, name: &str) -> Option<&'t str> {
        self.in_namespaces(name).or_else(|| self.in_commands(name))
    }

    /// An argument's number; `inf` and a shell's variables are none.
    pub(in crate::import) fn number(&self, name: &str) -> Option<f64> {
        let number: f64 = self.text(name)?.parse().ok()?;
        number.is_finite().then_some(number)
    }

    /// The last `name=value`, for a later print knows more: the model that was left to be found.
    fn in_namespaces(&self, name: &str) -> Option<&'t str> {
        let assigned = format!("{name}=");
        let lines = self.text.lines().filter(|line| line.contains("Namespace("));
        lines
            .flat_map(|line| {
                let places = line.match_indices(assigned.as_str());
                places.filter_map(move |(at, found)| {
                    let (before, after) = (line.get(..at)?, line.get(at + found.len()..)?);
                    before.ends_with(['(', ' ', ',']).then(|| value(after))
                })
            })
            .filter(|value| !matches!(*value, "None" | ""))
            .last()
    }

    fn in_commands(&self, name: &str) -> Option<&'t str> {
        let option = format!("--{}", name.replace('_', "-"));
        let mut words = self.text.split_whitespace();
        let mut last = None;
        while let Some(word) = words.next() {
            let Some(rest) = word.strip_prefix(option.as_str()) else {
                continue;
            };
            let said = match rest.strip_prefix('=') {
                Some(said) => said,
                None if rest.is_empty() => words.next().unwrap_or_default(),
                None => continue,
            };
            let said = said.trim_end_matches(';').trim_matches(['"', '\'']);
            if !said.is_empty() && !said.starts_with(['-', '$', '\\']) {
                last = Some(said);
            }
        }
        last
    }
}

/// A value of a `Namespace`: a quoted text, or what stands before the next comma.
fn value(after: &str) -> &str {
    for quote in ['\'', '"'] {
        if let Some(rest) = after.strip_prefix(quote) {
            return rest.split(quote).next().unwrap_or_default();
        }
    }
    after.split([',', ')']).next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_and_a_command_are_read_alike() {
        let paste = "$ vllm bench serve --model org/a --max-concurrency 8 \\\n  --num-prompts=100\n\
                     Namespace(subparser='bench', model=None, base_model='no', request_rate=inf)\n\
                     Namespace(model='org/b, c', max_concurrency=16, lora=None)\n";
        let arguments = Arguments::of(paste);
        assert_eq!(arguments.text("model"), Some("org/b, c"));
        assert_eq!(arguments.number("max_concurrency"), Some(16.0));
        assert_eq!(arguments.number("num_prompts"), Some(100.0));
        assert_eq!(arguments.text("request_rate"), Some("inf"));
        assert_eq!(arguments.number("request_rate"), None);
        assert_eq!(arguments.text("lora"), None);
    }

    #[test]
    fn a_loop_s_variables_and_a_log_s_words_are_no_arguments() {
        let paste = "for c in 8 16; do bench --max-concurrency $c --model \"org/a\"; done\n\
                     INFO starting: dataset_name=x --num-prompts";
        let arguments = Arguments::of(paste);
        assert_eq!(arguments.text("max_concurrency"), None);
        assert_eq!(arguments.text("model"), Some("org/a"));
        assert_eq!(arguments.text("dataset_name"), None);
        assert_eq!(arguments.text("num_prompts"), None);
    }
}
