//! The European Central Bank's reference rates, as its XML and CSV files state them.
//!
//! They are units of each currency for one euro, of each working day about 16:00 in Frankfurt. The
//! rate between two others is the quotient of theirs.

use super::ExchangeRate;
use crate::{Date, Decimal, day, money::Currency, problem::Problem};

const SOURCE: &str = "European Central Bank reference rates, by way of the euro";
/// Places of the quotient: as many as the rates themselves are worth.
const PLACES: u32 = 4;

/// USD/CNY of every day that a text holds, oldest first; `None` for text that is no such file.
#[must_use]
pub fn read(text: &str) -> Option<Result<Vec<ExchangeRate>, Problem>> {
    let start = text.trim_start();
    let rates = if start.starts_with('<') && text.contains("eurofxref") {
        xml(text)
    } else if start.starts_with("Date") && text.contains("USD") && text.contains("CNY") {
        csv(text)
    } else {
        return None;
    };
    Some(rates.map(|mut rates| {
        rates.sort_by_key(|rate| rate.date);
        rates
    }))
}

fn rate(date: Date, usd: Decimal, cny: Decimal) -> Result<ExchangeRate, Problem> {
    let quotient = cny
        .checked_div(usd)
        .filter(|_| usd > Decimal::ZERO)
        .ok_or_else(|| {
            Problem::new("a rate is not above 0", "汇率不大于 0").at(date.to_string())
        })?;
    let rate = ExchangeRate {
        base: Currency::Usd,
        quote: Currency::Cny,
        rate: quotient.round_dp(PLACES),
        date: Some(date),
        source: SOURCE.to_owned(),
    };
    rate.check()
        .map_err(|problem| problem.at(date.to_string()))?;
    Ok(rate)
}

/// `<Cube time='2026-11-27'><Cube currency='USD' rate='1.1172'/>…`, one `time` a day.
fn xml(text: &str) -> Result<Vec<ExchangeRate>, Problem> {
    let attribute = |tag: &str, name: &str| {
        let rest = tag.split(name).nth(1)?.trim_start().strip_prefix('=')?;
        let rest = rest.trim_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        rest[1..].split(quote).next().map(str::to_owned)
    };
    let mut rates = Vec::new();
    let (mut date, mut usd, mut cny) = (None, None, None);
    let mut close = |date: Option<Date>, usd: Option<Decimal>, cny: Option<Decimal>| {
        if let (Some(date), Some(usd), Some(cny)) = (date, usd, cny) {
            rates.push(rate(date, usd, cny)?);
        }
        Ok::<(), Problem>(())
    };
    for tag in text.split('<').filter(|tag| tag.starts_with("Cube")) {
        if let Some(time) = attribute(tag, "time") {
            close(date.take(), usd.take(), cny.take())?;
            let day = day::parse(&time).map_err(|_| {
                Problem::new("a day is not one", "日期有误")
                    .at("Cube time")
                    .found(&time)
            })?;
            date = Some(day);
        } else if let (Some(code), Some(figure)) =
            (attribute(tag, "currency"), attribute(tag, "rate"))
            && ["USD", "CNY"].contains(&code.as_str())
        {
            // A decimal comma here would be a file somebody's spreadsheet has changed.
            let figure = figure.parse::<Decimal>().map_err(|_| {
                Problem::new("a rate is not a number", "汇率不是数字")
                    .at(format!("Cube currency {code}"))
                    .found(&figure)
            })?;
            match code.as_str() {
                "USD" => usd = Some(figure),
                _ => cny = Some(figure),
            }
        }
    }
    close(date, usd, cny)?;
    if rates.is_empty() {
        return Err(Problem::new(
            "it holds no rate of USD and CNY",
            "其中没有美元与人民币汇率",
        ));
    }
    Ok(rates)
}

/// A column a currency, a row a day; the day is `2026-11-27` in the history and `27 November 2026`
/// in the file of one day.
fn csv(text: &str) -> Result<Vec<ExchangeRate>, Problem> {
    let broken = |error: csv::Error| Problem::new(error.to_string(), error.to_string());
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let header = reader.headers().map_err(broken)?.clone();
    let column = |name: &str| {
        let at = header.iter().position(|column| column == name);
        at.ok_or_else(|| Problem::new("a column is missing", "缺少列").found(name))
    };
    let (date, usd, cny) = (column("Date")?, column("USD")?, column("CNY")?);
    let mut rates = Vec::new();
    for record in reader.records() {
        let record = record.map_err(broken)?;
        let cell = |at: usize| record.get(at).unwrap_or_default();
        let figure = |at: usize| cell(at).parse::<Decimal>().ok();
        let day = day::parse(cell(date)).ok().or_else(|| long_day(cell(date)));
        let day = day.ok_or_else(|| {
            Problem::new("a day is not one", "日期有误")
                .at("Date")
                .found(cell(date))
        })?;
        // `N/A` where a currency was not quoted that day.
        if let (Some(usd), Some(cny)) = (figure(usd), figure(cny)) {
            rates.push(rate(day, usd, cny)?);
        }
    }
    if rates.is_empty() {
        return Err(Problem::new(
            "it holds no rate of USD and CNY",
            "其中没有美元与人民币汇率",
        ));
    }
    Ok(rates)
}

/// `30 October 2026`.
fn long_day(text: &str) -> Option<Date> {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let mut parts = text.split_whitespace();
    let day = parts.next()?.parse::<i8>().ok()?;
    let name = parts.next()?;
    let month = MONTHS.iter().position(|month| *month == name)? + 1;
    let year = parts.next()?.parse::<i16>().ok()?;
    Date::new(year, i8::try_from(month).ok()?, day).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const XML: &str = "<?xml version=\"1.0\"?><gesmes:Envelope xmlns=\"http://www.ecb.int/vocabulary/2002-08-01/eurofxref\">
      <Cube><Cube time='2015-01-23'><Cube currency='USD' rate='1.1198'/><Cube currency='JPY' rate='132.12'/>
      <Cube currency='CNY' rate='6.9750'/></Cube></Cube></gesmes:Envelope>";

    fn one(text: &str) -> (String, String) {
        let rates = read(text).unwrap().unwrap();
        assert_eq!(rates.len(), 1);
        (rates[0].label(), rates[0].date.unwrap().to_string())
    }

    #[test]
    fn the_quotient_of_two_euro_rates() {
        // 6.9750 ÷ 1.1198 = 6.2288.
        assert_eq!(one(XML), ("1 USD = 6.2288 CNY".into(), "2015-01-23".into()));
        // 7.4326 ÷ 1.1172 = 6.6529.
        let expected = ("1 USD = 6.6529 CNY".to_owned(), "2026-10-30".to_owned());
        assert_eq!(
            one("Date,USD,JPY,CNY,\n2026-10-30,1.1172,N/A,7.4326,\n"),
            expected
        );
        assert_eq!(
            one("Date, USD, CNY, \n30 October 2026, 1.1172, 7.4326, \n"),
            expected
        );
    }

    #[test]
    fn what_is_no_such_file_or_a_spoilt_one_is_told() {
        assert!(read("{}").is_none());
        assert!(read("<html>").is_none());
        for (text, part) in [
            (XML.replace("6.9750", "6,9750"), "found 6,9750"),
            (XML.replace("CNY", "CNX"), "no rate of USD and CNY"),
            (XML.replace("1.1198", "0"), "not above 0"),
            (
                "Date,USD,CNY\n31/10/2026,1,7\n".to_owned(),
                "found 31/10/2026",
            ),
        ] {
            let message = read(&text).unwrap().unwrap_err().to_string();
            assert!(message.contains(part), "{part} in {message}");
        }
    }
}
