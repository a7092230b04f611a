//! How a command ends.

use std::io;

use inferplan_core::{
    problem::{Problem, Problems},
    text::Lang,
};

/// A command that ran.
pub enum Outcome {
    /// It did what was asked.
    Done,
    /// It did, and no option is feasible or a check failed.
    Failed,
}

/// A command that could not run.
pub enum Failure {
    /// The input is wrong.
    Input(Problems),
    /// Standard output could not be written.
    Output(io::Error),
}

impl Failure {
    pub fn text(&self, lang: Lang) -> String {
        let error = match lang {
            Lang::En => "error: ",
            Lang::Zh => "错误：",
        };
        match self {
            Self::Input(problems) => {
                let lines: Vec<_> = problems
                    .iter()
                    .map(|p| format!("{error}{}", p.text(lang)))
                    .collect();
                lines.join("\n")
            }
            Self::Output(io_error) => format!("{error}{io_error}"),
        }
    }

    /// Whether the reader of standard output has gone, as `| head` does: nothing to report.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Self::Input(problems)
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Input(problem.into())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::Output(error.into())
    }
}
