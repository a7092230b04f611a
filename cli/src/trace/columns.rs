//! Which columns hold the time and the lengths.

use inferplan_core::problem::Problem;

/// Where the fields of a row are.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    /// The three columns, in the order of [`FIELDS`]: time, input tokens, output tokens.
    pub at: [Option<usize>; 3],
    /// Their names.
    pub names: [String; 3],
}

/// The fields, as `--column` calls them.
pub const FIELDS: [&str; 3] = ["time", "input", "output"];

/// Usual names, letters and digits only, the surest first.
const USUAL: [&[&str]; 3] = [
    &[
        "timestamp",
        "time",
        "ts",
        "arrivaltime",
        "arrivaltimestamp",
        "arrivedat",
        "arrival",
        "requesttime",
        "requesttimestamp",
        "requestedat",
        "requeststarttime",
        "receivedat",
        "starttime",
        "startedat",
        "start",
        "eventtime",
        "datetime",
        "createdat",
        "createdtime",
        "created",
        "submittime",
        "logtime",
        "date",
    ],
    &[
        "inputtokens",
        "contexttokens",
        "prompttokens",
        "inputlength",
        "inputlen",
        "promptlength",
        "promptlen",
        "requesttokens",
        "numinputtokens",
        "numprompttokens",
        "inputtokencount",
        "prompttokencount",
        "ninputtokens",
        "nprompttokens",
        "tokensin",
        "numprefilltokens",
        "usageprompttokens",
        "usageinputtokens",
        "responseusageprompttokens",
        "responseusageinputtokens",
        "genaiusageinputtokens",
        "llmusageprompttokens",
        "inputtoks",
    ],
    &[
        "outputtokens",
        "generatedtokens",
        "completiontokens",
        "outputlength",
        "outputlen",
        "responsetokens",
        "generationtokens",
        "numoutputtokens",
        "numgeneratedtokens",
        "numcompletiontokens",
        "outputtokencount",
        "completiontokencount",
        "noutputtokens",
        "tokensout",
        "numdecodetokens",
        "usagecompletiontokens",
        "usageoutputtokens",
        "responseusagecompletiontokens",
        "responseusageoutputtokens",
        "genaiusageoutputtokens",
        "llmusagecompletiontokens",
        "outputtoks",
        "responselength",
        "generationlength",
    ],
];

fn plain(header: &str) -> String {
    header
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The columns of the headers: those named by `--column`, else those with usual names.
///
/// # Errors
/// No column of times, or a named one that is not there.
pub fn find(headers: &[String], named: &[(String, String)]) -> Result<Columns, Problem> {
    let simple: Vec<String> = headers.iter().map(|header| plain(header)).collect();
    // A field within objects is known by its own name too.
    let last: Vec<String> = headers
        .iter()
        .map(|header| plain(header.rsplit('.').next().unwrap_or(header)))
        .collect();
    let mut columns = Columns {
        at: [None; 3],
        names: Default::default(),
    };
    for (field, (usual, key)) in USUAL.iter().zip(FIELDS).enumerate() {
        let wanted = named.iter().rev().find(|(name, _)| name == key);
        columns.at[field] = match wanted {
            Some((_, header)) => Some(
                headers
                    .iter()
                    .position(|there| there.trim() == header)
                    .ok_or_else(|| absent(header, key, headers))?,
            ),
            None => {
                let among = |names: &[String]| {
                    usual
                        .iter()
                        .find_map(|name| names.iter().position(|there| there == name))
                };
                among(&simple).or_else(|| among(&last))
            }
        };
        if let Some(at) = columns.at[field] {
            columns.names[field] = headers[at].trim().to_owned();
        }
    }
    if columns.at[0].is_none() {
        return Err(Problem::new(
            "no column is known to hold the time of a request",
            "未找到请求时间所在的列",
        )
        .found(headers.join(", "))
        .remedy(
            "name it: --column time=HEADER, with input=HEADER and output=HEADER for the tokens",
            "请指明：--column time=列名，以及 input=列名、output=列名",
        ));
    }
    Ok(columns)
}

fn absent(header: &str, field: &str, headers: &[String]) -> Problem {
    Problem::new(
        format!("there is no column `{header}`"),
        format!("没有名为 {header} 的列"),
    )
    .at(format!("--column {field}"))
    .found(headers.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_headers_are_known_and_named_ones_come_first() {
        let headers =
            |names: &[&str]| -> Vec<String> { names.iter().map(|n| (*n).into()).collect() };
        for (names, at) in [
            (
                vec!["TIMESTAMP", "ContextTokens", "GeneratedTokens"],
                [Some(0), Some(1), Some(2)],
            ),
            (
                vec!["Response tokens", "Request tokens", "Timestamp"],
                [Some(2), Some(1), Some(0)],
            ),
            (
                vec!["timestamp", "input_length", "output_length", "hash_ids"],
                [Some(0), Some(1), Some(2)],
            ),
            (
                vec!["id", "created_at", "usage.prompt_tokens"],
                [Some(1), Some(2), None],
            ),
        ] {
            assert_eq!(find(&headers(&names), &[]).unwrap().at, at, "{names:?}");
        }
        let names = headers(&["timestamp", "开始"]);
        let named = [("time".to_owned(), "开始".to_owned())];
        assert_eq!(find(&names, &named).unwrap().at[0], Some(1));
        assert!(find(&names, &[("input".to_owned(), "x".to_owned())]).is_err());
        assert!(find(&headers(&["a", "b"]), &[]).is_err());
    }
}
