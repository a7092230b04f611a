//! A small server that streams tokens as an engine does, for load tools to measure.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    thread,
    time::Duration,
};

/// Tokens of every answer.
pub const TOKENS: usize = 8;
const FIRST_TOKEN: Duration = Duration::from_millis(10);
const EACH_TOKEN: Duration = Duration::from_millis(2);

/// Serves on a free port of loopback until the process ends; returns the address.
///
/// # Panics
/// Where no port can be had.
#[must_use]
pub fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || answer_all(stream));
        }
    });
    format!("http://{address}")
}

/// Answers request after request on one connection.
fn answer_all(stream: TcpStream) {
    let Ok(mut out) = stream.try_clone() else {
        return;
    };
    let mut reader = BufReader::new(stream);
    while let Some(body) = request(&mut reader) {
        if answer(&mut out, &body).is_err() {
            return;
        }
    }
}

/// The body of the next request; `None` at the connection's end.
fn request(reader: &mut impl BufRead) -> Option<String> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    String::from_utf8(body).ok()
}

/// An OpenAI-style completion: streamed where the request asks for that.
fn answer(out: &mut TcpStream, body: &str) -> std::io::Result<()> {
    let usage = format!(
        "\"usage\":{{\"prompt_tokens\":16,\"completion_tokens\":{TOKENS},\"total_tokens\":{}}}",
        TOKENS + 16
    );
    thread::sleep(FIRST_TOKEN);
    if !body.replace(' ', "").contains("\"stream\":true") {
        thread::sleep(EACH_TOKEN * TOKENS as u32);
        let text = format!(
            "{{\"id\":\"x\",\"object\":\"chat.completion\",\"choices\":[{{\"index\":0,\"message\":{{\"role\":\"assistant\",\"content\":\"ok\"}},\"finish_reason\":\"stop\"}}],{usage}}}"
        );
        return write!(
            out,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{text}",
            text.len()
        );
    }
    out.write_all(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
    )?;
    let mut event = |text: &str| -> std::io::Result<()> {
        let text = format!("data: {text}\n\n");
        write!(out, "{:x}\r\n{text}\r\n", text.len())?;
        out.flush()
    };
    for i in 0..TOKENS {
        event(&format!(
            "{{\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"t{i} \"}}}}]}}"
        ))?;
        thread::sleep(EACH_TOKEN);
    }
    event(&format!(
        "{{\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"stop\"}}],{usage}}}"
    ))?;
    event("[DONE]")?;
    out.write_all(b"0\r\n\r\n")
}
