//! `inferplan serve`: the planner's page, on loopback unless told otherwise.

use std::{
    io::{self, Write},
    net::{IpAddr, SocketAddr},
};

use axum::{
    Router,
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, Uri, header},
};
use inferplan_core::{problem::Problem, text::Lang};
use tokio::net::TcpListener;

use crate::{
    args::Serve,
    failure::{Failure, Outcome},
};

mod page {
    use super::File;

    include!(concat!(env!("OUT_DIR"), "/page.rs"));
}

/// A file of the page.
struct File {
    name: &'static str,
    /// Changes with its content.
    tag: &'static str,
    bytes: &'static [u8],
    /// The same by brotli, where that is smaller.
    brotli: Option<&'static [u8]>,
}

const FIRST_PORT: u16 = 7878;
const PORTS_TRIED: u16 = 20;

/// Nothing is loaded from any other place, and nothing sent to one; https addresses are there for the
/// file of prices that a user asks for by its address. Plotters measures text with an inline
/// style attribute; WebAssembly needs its own word.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
    style-src-attr 'unsafe-inline'; img-src 'self' data:; connect-src 'self' https:; worker-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Serves until interrupted.
pub fn run(args: &Serve, lang: Lang) -> Result<Outcome, Failure> {
    if page::FILES.is_empty() {
        return Err(Problem::new(
            "this build of inferplan holds no page",
            "此 inferplan 构建不含网页",
        )
        .remedy(
            "build it with `cargo xtask web`, then build inferplan again; or run `cargo xtask start`",
            "请先运行 `cargo xtask web` 再重新构建 inferplan；或运行 `cargo xtask start`",
        )
        .into());
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let listener = listen(args.host, args.port).await?;
        let address = listener.local_addr()?;
        let mut out = io::stdout();
        match lang {
            Lang::En => writeln!(out, "The planner is at http://{address} (Ctrl-C stops it)")?,
            Lang::Zh => writeln!(out, "规划页面：http://{address}（Ctrl-C 停止）")?,
        }
        out.flush()?;
        let router = Router::new()
            .fallback(|uri: Uri, headers: HeaderMap| async move { answer(uri.path(), &headers) });
        axum::serve(listener, router)
            .with_graceful_shutdown(async {
                // Without a handler for Ctrl-C the process simply ends on it.
                let _ = tokio::signal::ctrl_c().await;
            })
            .await?;
        Ok(Outcome::Done)
    })
}

/// Listens on the port asked for; where none was, on the first free one from [`FIRST_PORT`].
async fn listen(host: IpAddr, port: Option<u16>) -> Result<TcpListener, Problem> {
    let ports = match port {
        Some(port) => port..=port,
        None => FIRST_PORT..=FIRST_PORT + PORTS_TRIED,
    };
    let mut last = None;
    for port in ports {
        match TcpListener::bind(SocketAddr::new(host, port)).await {
            Ok(listener) => return Ok(listener),
            Err(error) => last = Some((port, error)),
        }
    }
    let (port, error) = last.unwrap_or((FIRST_PORT, io::ErrorKind::AddrInUse.into()));
    Err(Problem::new(
        format!("cannot listen on {host}:{port}: {error}"),
        format!("无法监听 {host}:{port}：{error}"),
    )
    .remedy(
        "give another --port, or 0 for any free one",
        "请换一个 --port，或用 0 自动选择",
    ))
}

fn answer(path: &str, asked: &HeaderMap) -> Response<Body> {
    let name = match path.trim_start_matches('/') {
        "" => "index.html",
        name => name,
    };
    let Some(file) = page::FILES.iter().find(|file| file.name == name) else {
        return response(
            StatusCode::NOT_FOUND,
            "not found\n".into(),
            &[(header::CONTENT_TYPE, "text/plain; charset=utf-8")],
        );
    };
    let mut headers = vec![
        (header::CONTENT_TYPE, content_type(file.name)),
        (header::ETAG, file.tag),
        (header::VARY, "accept-encoding"),
    ];
    if lists(asked, header::IF_NONE_MATCH, file.tag) {
        return response(StatusCode::NOT_MODIFIED, Body::empty(), &headers);
    }
    let small = file
        .brotli
        .filter(|_| lists(asked, header::ACCEPT_ENCODING, "br"));
    headers.extend(small.map(|_| (header::CONTENT_ENCODING, "br")));
    response(StatusCode::OK, small.unwrap_or(file.bytes).into(), &headers)
}

/// Whether a header of comma-separated words has one; a weight of nought is a refusal.
fn lists(asked: &HeaderMap, name: HeaderName, wanted: &str) -> bool {
    let values = asked.get_all(name).into_iter();
    let mut words = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    words.any(|word| {
        let (word, weight) = word.split_once(';').unwrap_or((word, ""));
        let is_refused = matches!(weight.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000");
        word.trim().trim_start_matches("W/") == wanted && !is_refused
    })
}

fn response(status: StatusCode, body: Body, own: &[(HeaderName, &'static str)]) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let always = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    for (name, value) in always.into_iter().chain(own.iter().cloned()) {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

fn content_type(file: &str) -> &'static str {
    match file.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brotli_goes_only_to_who_takes_it() {
        let asked = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(value));
            lists(&headers, header::ACCEPT_ENCODING, "br")
        };
        assert!(asked("gzip, deflate, br, zstd") && asked("br;q=0.5") && asked("br"));
        assert!(!asked("gzip, deflate") && !asked("br;q=0, gzip") && !asked("brx"));
    }
}
