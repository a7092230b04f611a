//! Bringing a file from an address or a path: bounded in size and time, and never from an address
//! that someone on the way could read or change.

use std::{
    io::Read,
    net::IpAddr,
    path::Path,
    time::{Duration, Instant},
};

use inferplan_core::problem::Problem;
use reqwest::{
    Url,
    blocking::{Client, Response},
    redirect::Policy,
};

use crate::files;

/// A book of every provider is far below this.
const MOST_BYTES: u64 = 32 << 20;
const CONNECT: Duration = Duration::from_secs(10);
/// For the whole transfer; a server that drips is no better than one that is silent.
const WHOLE: Duration = Duration::from_secs(60);
const MOST_REDIRECTS: usize = 5;

/// The text at an https address or in a file.
///
/// # Errors
/// What kept it from being brought whole: the message says what to do.
pub fn text(from: &str) -> Result<String, Problem> {
    let bytes = match Url::parse(from) {
        Ok(url) if url.scheme().len() > 1 && url.has_host() => download(url)?,
        // A letter before a colon is a drive, and all else a path.
        _ => local(Path::new(from))?,
    };
    let text = inferplan_core::document::utf8(&bytes).map_err(|problem| problem.in_file(from))?;
    Ok(text.to_owned())
}

/// The status and body of a monitor's answer, whatever the status. `name` is what messages call it.
///
/// http is asked too: monitors stand in the asker's own network and seldom have a certificate. A
/// redirect is not followed, as it may lead out of there.
///
/// # Errors
/// What kept it from being brought whole.
pub fn answer(url: Url, name: &str) -> Result<(reqwest::StatusCode, Vec<u8>), Problem> {
    let (en, zh) = ("check the address, and try again", "请检查地址后重试");
    let response = client(Policy::none())
        .and_then(|client| client.get(url).send())
        .map_err(|error| failed(name, &error.without_url()).remedy(en, zh))?;
    let status = response.status();
    let body = body(response, name).map_err(|problem| {
        problem.remedy(
            "ask for less: a shorter span, or fewer series by --selector",
            "请减少数据量：缩短时间范围，或用 --selector 减少序列",
        )
    })?;
    Ok((status, body))
}

fn client(redirects: Policy) -> reqwest::Result<Client> {
    // The default is not set twice where another call has set it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .user_agent(concat!("inferplan/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT)
        .timeout(WHOLE)
        .redirect(redirects)
        .build()
}

fn local(path: &Path) -> Result<Vec<u8>, Problem> {
    let unreadable = |error| files::unreadable(path, &error);
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(too_large(&path.display().to_string()));
    }
    Ok(bytes)
}

fn download(url: Url) -> Result<Vec<u8>, Problem> {
    let name = url.to_string();
    if !may_be_asked(&url) {
        return Err(
            Problem::new("only https addresses are asked", "只访问 https 地址")
                .in_file(&name)
                .remedy(
                    "anyone on the way could change what http brings",
                    "http 传输的内容可能在途中被篡改",
                ),
        );
    }
    let redirects = Policy::custom(|attempt| {
        if attempt.previous().len() > MOST_REDIRECTS {
            attempt.error("too many redirects")
        } else if may_be_asked(attempt.url()) {
            attempt.follow()
        } else {
            attempt.error("a redirect to an address that is not https")
        }
    });
    let response = client(redirects)
        .and_then(|client| client.get(url).send())
        .map_err(|error| failed(&name, &error))?;
    let status = response.status();
    if !status.is_success() {
        return Err(Problem::new(
            format!("the server answered {status}"),
            format!("服务器返回 {status}"),
        )
        .in_file(&name));
    }
    body(response, &name)
}

/// https, or any on this machine: nobody is on the way to it.
fn may_be_asked(url: &Url) -> bool {
    let loopback = url.host_str().is_some_and(|host| {
        let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
        host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    });
    url.scheme() == "https" || (url.scheme() == "http" && loopback)
}

fn body(mut response: Response, name: &str) -> Result<Vec<u8>, Problem> {
    let promised = response.content_length();
    if promised.is_some_and(|length| length > MOST_BYTES) {
        return Err(too_large(name));
    }
    let began = Instant::now();
    let mut bytes = Vec::new();
    let mut chunk = vec![0; 64 << 10];
    loop {
        if began.elapsed() > WHOLE {
            return Err(Problem::new(
                format!("it took longer than {} s", WHOLE.as_secs()),
                format!("超过 {} 秒仍未完成", WHOLE.as_secs()),
            )
            .in_file(name)
            .remedy(
                "nothing was changed; try again later",
                "未作任何改动；请稍后再试",
            ));
        }
        match response.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => bytes.extend_from_slice(&chunk[..length]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => {
                return Err(Problem::new(
                    format!("it broke off after {} bytes: {error}", bytes.len()),
                    format!("传输在 {} 字节后中断：{error}", bytes.len()),
                )
                .in_file(name)
                .remedy("nothing was changed; try again", "未作任何改动；请重试"));
            }
        }
        if bytes.len() as u64 > MOST_BYTES {
            return Err(too_large(name));
        }
    }
    Ok(bytes)
}

fn too_large(name: &str) -> Problem {
    Problem::new(
        format!("it is larger than {} MiB", MOST_BYTES >> 20),
        format!("文件大于 {} MiB", MOST_BYTES >> 20),
    )
    .in_file(name)
    .remedy(
        "a book of prices is far smaller: is the address right?",
        "价格文件远小于此：请检查地址",
    )
}

/// A request that did not come back; the innermost cause is the one that tells.
fn failed(name: &str, error: &reqwest::Error) -> Problem {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    Problem::new(
        format!("it could not be reached: {cause}"),
        format!("无法访问：{cause}"),
    )
    .in_file(name)
    .remedy(
        "nothing was changed; without a network, --from takes a file's path",
        "未作任何改动；没有网络时，--from 也可给出文件路径",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_or_this_machine_is_asked() {
        for (address, may) in [
            ("https://example.org/book.json", true),
            ("http://example.org/book.json", false),
            ("http://127.0.0.1:8080/book.json", true),
            ("http://[::1]:8080/book.json", true),
            ("http://localhost/book.json", true),
            ("http://127.0.0.1.example.org/", false),
            ("ftp://127.0.0.1/book.json", false),
        ] {
            assert_eq!(
                may_be_asked(&Url::parse(address).unwrap()),
                may,
                "{address}"
            );
        }
    }
}
