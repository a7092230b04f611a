//! Updates from a real server on loopback: whole, cut short, slow, redirected, wrong, too large.

use std::{
    fs,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    sync::Arc,
    thread,
    time::Duration,
};

use inferplan_tests::{Run, run, run_at};

/// Answers every request by its path, until the test ends.
fn serve(answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let answer = Arc::clone(&answer);
            thread::spawn(move || {
                let mut request = Vec::new();
                let mut byte = [0; 1];
                while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|n| n > 0)
                {
                    request.push(byte[0]);
                }
                let text = String::from_utf8_lossy(&request).into_owned();
                let path = text.split_whitespace().nth(1).unwrap_or("/").to_owned();
                answer(&path, &mut stream);
            });
        }
    });
    address
}

fn send(stream: &mut TcpStream, status: &str, headers: &str, body: &[u8]) {
    // A reader that has gone is that reader's matter.
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nConnection: close\r\n{headers}\r\n"
    );
    let _ = stream.write_all(body);
}

fn whole(stream: &mut TcpStream, body: &str) {
    let length = format!("Content-Length: {}\r\n", body.len());
    send(stream, "200 OK", &length, body.as_bytes());
}

/// A table whose one price is `amount`.
fn table(amount: &str, released_on: &str) -> String {
    format!(
        r#"{{ "schema": "inferplan.price-book/1", "released_on": "{released_on}", "tables": [ {{
          "schema": "inferplan.prices/1", "provider": {{ "id": "somecloud", "name": {{ "en": "S", "zh": "S" }} }},
          "released_on": "{released_on}", "offers": [ {{ "id": "somecloud.h100", "name": {{ "en": "H100", "zh": "H100" }},
            "region": "us", "sells": {{ "kind": "accelerators", "accelerator": "H100 80GB SXM", "per_instance": 1, "up_to": 8 }},
            "versions": [ {{ "price": {{ "per": "hour", "amount": "{amount}", "of": "accelerator" }}, "currency": "USD",
              "observed_on": "{released_on}", "source": "a test's server", "confidence": "list" }} ] }} ] }} ] }}"#
    )
}

fn update(home: &Path, from: &str, more: &[&str]) -> Run {
    let mut args = vec!["prices", "update", "--from", from];
    args.extend(more);
    run_at(home, &args)
}

fn kept(home: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(home)
        .map(|entries| {
            let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
            entries
                .map(|entry| name(entry).into_string().unwrap())
                .collect()
        })
        .unwrap_or_default();
    names.sort();
    names
}

#[test]
fn an_update_is_shown_first_then_taken_and_the_old_one_kept() {
    let server = serve(|path, stream| match path {
        "/one" => whole(stream, &table("2", "2026-11-01")),
        "/two" => whole(stream, &table("2.5", "2026-11-20")),
        "/moved" => send(
            stream,
            "302 Found",
            "Location: /one\r\nContent-Length: 0\r\n",
            b"",
        ),
        _ => send(stream, "404 Not Found", "Content-Length: 0\r\n", b""),
    });
    let home = tempfile::tempdir().unwrap();
    let (one, two) = (format!("{server}/one"), format!("{server}/two"));
    // Without a yes it is shown and not taken.
    let shown = update(home.path(), &one, &[]);
    assert_eq!(shown.code, 1, "{}", shown.stderr);
    assert!(
        shown
            .stdout
            .contains("somecloud.h100: – → $2.00 / accel.-hour  new"),
        "{}",
        shown.stdout
    );
    assert!(
        shown.stdout.contains("1 prices would change."),
        "{}",
        shown.stdout
    );
    assert!(kept(home.path()).is_empty());
    // A redirect on this machine is followed.
    let taken = update(home.path(), &format!("{server}/moved"), &["--yes"]);
    assert_eq!(taken.code, 0, "{}", taken.stderr);
    assert_eq!(kept(home.path()), ["price-book.json"]);
    let list = |home: &Path| run_at(home, &["prices", "list", "--provider", "somecloud"]).stdout;
    assert!(list(home.path()).contains("$2.00"), "{}", list(home.path()));
    // The next shows what moves, and the old one stays beside it.
    let next = update(home.path(), &two, &["--yes"]);
    assert_eq!(next.code, 0, "{}", next.stderr);
    assert!(
        next.stdout
            .contains("$2.00 / accel.-hour → $2.50 / accel.-hour  +25%"),
        "{}",
        next.stdout
    );
    let names = kept(home.path());
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(names[0].ends_with(".json.old"), "{names:?}");
    // An older table than the one in use is told, and does not count.
    let older = update(home.path(), &one, &[]);
    assert!(
        older.stdout.contains("older than the one in use"),
        "{}",
        older.stdout
    );
    // A checksum that must hold.
    let wrong = update(home.path(), &two, &["--sha256", &"0".repeat(64), "--yes"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("checksum"), "{}", wrong.stderr);
    assert_eq!(
        update(home.path(), &format!("{server}/none"), &["--yes"]).code,
        2
    );
}

#[test]
fn what_is_cut_short_slow_wrong_or_too_large_changes_nothing() {
    let server = serve(|path, stream| {
        let body = table("2", "2026-11-01");
        match path {
            "/short" => {
                let length = format!("Content-Length: {}\r\n", body.len());
                send(stream, "200 OK", &length, &body.as_bytes()[..200]);
            }
            "/cut" => {
                let half = &body[..body.len() / 2];
                whole(stream, half);
            }
            "/slow" => {
                send(stream, "200 OK", "", b"");
                for byte in body.as_bytes().chunks(20) {
                    thread::sleep(Duration::from_millis(5));
                    if stream.write_all(byte).is_err() {
                        return;
                    }
                }
            }
            "/page" => whole(stream, "<!doctype html><title>Sign in</title>"),
            "/report" => whole(stream, "{\"schema\": \"inferplan.report/1\"}"),
            "/promised" => send(stream, "200 OK", "Content-Length: 99999999999\r\n", b"{"),
            "/huge" => {
                send(stream, "200 OK", "", b"");
                let block = vec![b' '; 1 << 20];
                while stream.write_all(&block).is_ok() {}
            }
            "/loop" => send(
                stream,
                "302 Found",
                "Location: /loop\r\nContent-Length: 0\r\n",
                b"",
            ),
            "/away" => {
                send(
                    stream,
                    "302 Found",
                    "Location: http://example.org/\r\nContent-Length: 0\r\n",
                    b"",
                );
            }
            "/fault" => whole(stream, &body.replace("\"2\"", "\"-2\"")),
            "/undated" => whole(
                stream,
                &body.replacen(
                    "\"observed_on\": \"2026-11-01\", \"source\"",
                    "\"source\"",
                    1,
                ),
            ),
            _ => send(
                stream,
                "500 Internal Server Error",
                "Content-Length: 0\r\n",
                b"",
            ),
        }
    });
    let home = tempfile::tempdir().unwrap();
    for (path, part) in [
        ("/short", "broke off after 200 bytes"),
        ("/cut", "cut off"),
        ("/page", "this is not JSON"),
        (
            "/report",
            "this is no file of prices (found inferplan.report/1)",
        ),
        ("/promised", "larger than 32 MiB"),
        ("/huge", "larger than 32 MiB"),
        ("/loop", "too many redirects"),
        ("/away", "a redirect to an address that is not https"),
        ("/fault", "above 0"),
        ("/undated", "no date at all"),
        ("/else", "500"),
    ] {
        let refused = update(home.path(), &format!("{server}{path}"), &["--yes"]);
        assert_eq!(refused.code, 2, "{path}: {}", refused.stdout);
        assert!(
            refused.stderr.contains(part),
            "{part} in {}",
            refused.stderr
        );
        assert!(
            kept(home.path()).is_empty(),
            "{path}: {:?}",
            kept(home.path())
        );
    }
    // Slow, but within the time there is: taken whole.
    let slow = update(home.path(), &format!("{server}/slow"), &["--yes"]);
    assert_eq!(slow.code, 0, "{}", slow.stderr);
}

#[test]
fn without_a_network_it_is_refused_politely_and_a_file_serves() {
    let home = tempfile::tempdir().unwrap();
    // Nobody listens on a port that was just given back.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let refused = update(
        home.path(),
        &format!("http://127.0.0.1:{port}/"),
        &["--yes"],
    );
    assert_eq!(refused.code, 2);
    assert!(
        refused.stderr.contains("could not be reached")
            && refused.stderr.contains("takes a file's path"),
        "{}",
        refused.stderr
    );
    let plain = update(home.path(), "http://example.org/book.json", &["--yes"]);
    assert!(plain.stderr.contains("only https"), "{}", plain.stderr);
    assert!(kept(home.path()).is_empty());
    // The exported book goes back in unchanged.
    let file = home.path().join("book.json").display().to_string();
    assert_eq!(run(&["prices", "export", "-o", &file]).code, 0);
    let taken = update(home.path(), &file, &["--yes"]);
    assert_eq!(taken.code, 0, "{}", taken.stderr);
    assert!(
        taken.stdout.contains("0 prices would change."),
        "{}",
        taken.stdout
    );
}

#[test]
fn exchange_rates_come_from_the_central_bank_s_file() {
    const XML: &str = "<gesmes:Envelope xmlns=\"http://www.ecb.int/vocabulary/2002-08-01/eurofxref\"><Cube>\
        <Cube time='2026-10-30'><Cube currency='USD' rate='1.1172'/><Cube currency='CNY' rate='7.4326'/></Cube></Cube></gesmes:Envelope>";
    let server = serve(|_, stream| whole(stream, XML));
    let home = tempfile::tempdir().unwrap();
    let fx = |more: &[&str]| {
        let mut args = vec!["prices", "update-fx", "--from", &server];
        args.extend(more);
        run_at(home.path(), &args)
    };
    let shown = fx(&[]);
    assert_eq!(shown.code, 1);
    assert!(
        shown.stdout.contains("1 USD = 6.6529 CNY 2026-10-30"),
        "{}",
        shown.stdout
    );
    assert!(kept(home.path()).is_empty());
    assert_eq!(fx(&["--yes"]).code, 0);
    let again = fx(&["--yes"]);
    assert!(again.stdout.contains("0 new rates"), "{}", again.stdout);
    // It converts from its day on: 0.002 × 1000 × 730 ÷ 24 = 60.83 USD × 6.6529.
    let compare = |as_of: &str| {
        let args = [
            "compare",
            "--requests-per-day",
            "1000",
            "--as-of",
            as_of,
            "--currency",
            "CNY",
            "--json",
        ];
        let comparison = run_at(home.path(), &args).json();
        let options = comparison["options"].as_array().unwrap().clone();
        options
            .into_iter()
            .find(|option| option["offer"] == "replicate.llama-3-8b.per-call")
            .unwrap()
    };
    let call = compare("2026-11-01");
    assert_eq!(call["monthly"]["amount"], "404.70");
    let converted = call["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|w| w["code"] == "converted");
    assert!(
        converted.unwrap()["en"]
            .as_str()
            .unwrap()
            .contains("6.6529 CNY of 2026-10-30")
    );
    let old = |call: &serde_json::Value| {
        let warnings = call["warnings"].as_array().unwrap().clone();
        warnings.iter().any(|w| w["code"] == "exchange-rate-old")
    };
    assert!(
        !old(&call) && old(&compare("2026-12-01")),
        "30 days and not more"
    );
}
