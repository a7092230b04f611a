//! A small server that streams tokens as an engine does, for load tools to measure, and what runs
//! them.

use std::{
    env, fs,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

use inferplan_core::{
    import::{Loader, Options, read_loaded},
    report::Report,
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
            // Else a token waits for the acknowledgement of the one before, 40 ms.
            if stream.set_nodelay(true).is_err() {
                continue;
            }
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

/// Runs a program of a tool's environment, which `cargo xtask` sets up, in a folder.
///
/// # Panics
/// A tool that is not there or that fails, with what it printed.
pub fn run(environment: &str, program: &str, args: &[&str], folder: &Path) {
    let tools = env::var_os("INFERPLAN_TOOLS").expect("`cargo xtask test` installs the tools");
    let bin = Path::new(&tools).join(environment).join("bin");
    let output = Command::new(bin.join(program))
        .args(args)
        .current_dir(folder)
        .output()
        .expect("the tool starts");
    assert!(
        output.status.success(),
        "{program}: {}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Imports a folder as the command line does; each format recognised, and the reports.
///
/// # Panics
/// What does not import.
#[must_use]
pub fn import(folder: &Path) -> (Vec<String>, Vec<Report>) {
    let mut files = Vec::new();
    below(folder, &mut files);
    let mut loaded = Vec::new();
    for path in files {
        let bytes = fs::read(&path).expect("the tool wrote it");
        if bytes.contains(&0) {
            continue;
        }
        let mut loader = Loader::new(&path.display().to_string(), false);
        loader.push(&bytes).expect("a whole file");
        let mut file = loader.finish(|_| None).expect("UTF-8");
        file.found = true;
        loaded.push(file);
    }
    let imported =
        read_loaded(loaded, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
    let mut formats: Vec<String> = imported
        .recognised
        .iter()
        .map(|seen| seen.format.to_owned())
        .collect();
    formats.dedup();
    (formats, imported.reports)
}

fn below(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            below(&path, files);
        } else {
            files.push(path);
        }
    }
}
