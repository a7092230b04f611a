//! `inferplan serve`: the page, compressed for who takes it, and not sent twice.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use inferplan_tests::{Server, root};

/// One request with some headers: the head of the response, and its body.
fn get(server: &Server, path: &str, headers: &str) -> (String, Vec<u8>) {
    let host = server.address.trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {host}\r\n{headers}Connection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .unwrap();
    let head = String::from_utf8(answer[..end].to_vec()).unwrap();
    (head.to_lowercase(), answer[end + 4..].to_vec())
}

#[test]
fn a_file_is_sent_small_and_once() {
    let server = Server::start();
    let script = "/inferplan_web.js";
    let file = std::fs::read(root().join("dist/inferplan_web.js")).unwrap();

    let (head, body) = get(&server, script, "");
    assert!(head.starts_with("http/1.1 200"), "{head}");
    assert!(!head.contains("content-encoding"), "{head}");
    assert_eq!(body, file);

    let (head, small) = get(&server, script, "Accept-Encoding: gzip, br\r\n");
    assert!(head.contains("content-encoding: br"), "{head}");
    assert!(head.contains("content-type: text/javascript"), "{head}");
    assert!(head.contains("vary: accept-encoding"), "{head}");
    assert_eq!(
        small,
        std::fs::read(root().join("dist/inferplan_web.js.br")).unwrap()
    );
    assert!(small.len() * 3 < file.len(), "{}", small.len());

    let tag = head
        .lines()
        .find_map(|line| line.strip_prefix("etag: "))
        .unwrap();
    let (head, body) = get(&server, script, &format!("If-None-Match: {tag}\r\n"));
    assert!(head.starts_with("http/1.1 304"), "{head}");
    assert!(body.is_empty());
    let (head, _) = get(&server, script, "If-None-Match: \"other\"\r\n");
    assert!(head.starts_with("http/1.1 200"), "{head}");

    let (head, _) = get(&server, "/inferplan_web.js.br", "");
    assert!(head.starts_with("http/1.1 404"), "{head}");
    assert!(head.contains("content-security-policy"), "{head}");
}
