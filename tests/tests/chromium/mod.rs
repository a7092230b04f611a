//! ChromeDriver and a Chromium it drives.

use std::{
    env,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use fantoccini::{Client, ClientBuilder, wd::WebDriverCompatibleCommand};
use http::Method;
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use url::{ParseError, Url};

/// A browser with a driver of its own; both end when it is closed or dropped.
pub struct Browser {
    driver: Child,
    pub client: Client,
}

fn program(variable: &str, name: &str) -> PathBuf {
    env::var_os(variable).map_or_else(|| name.into(), PathBuf::from)
}

impl Browser {
    pub async fn start() -> Self {
        let mut driver = Command::new(program("CHROMEDRIVER", "chromedriver"))
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts: run `cargo xtask test`, which installs it");
        let port = port_of(&mut driver);
        let capabilities = json!({
            "goog:chromeOptions": {
                "binary": program("CHROMIUM", "/usr/bin/chromium"),
                "args": [
                    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                    "--disable-background-networking", "--disable-component-update", "--disable-sync",
                    "--disable-dev-shm-usage", "--window-size=1440,1200", "--lang=en-US",
                ],
            },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        });
        let Value::Object(capabilities) = capabilities else {
            unreachable!("an object")
        };
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&format!("http://127.0.0.1:{port}"))
            .await
            .expect("a session");
        Self { driver, client }
    }

    /// Shows the page at a width and a number of device pixels to a CSS pixel.
    pub async fn emulate(&self, width: u32, ratio: f64) {
        let parameters =
            json!({ "width": width, "height": 1000, "deviceScaleFactor": ratio, "mobile": false });
        let command = json!({ "cmd": "Emulation.setDeviceMetricsOverride", "params": parameters });
        self.client
            .issue_cmd(Vendor {
                path: "goog/cdp/execute",
                body: command,
            })
            .await
            .expect("emulated");
    }

    /// No error on the console, no content-security violation, no request to another host.
    pub async fn assert_quiet(&self, address: &str) {
        let console = self.log("browser").await;
        let errors: Vec<&Value> = console
            .iter()
            .filter(|entry| entry["level"] == "SEVERE")
            .collect();
        assert!(errors.is_empty(), "on the console: {errors:?}");
        let mut requests = 0;
        for entry in self.log("performance").await {
            let message: Value = serde_json::from_str(entry["message"].as_str().unwrap()).unwrap();
            if message["message"]["method"] == "Network.requestWillBeSent" {
                let url = message["message"]["params"]["request"]["url"]
                    .as_str()
                    .unwrap();
                let own = url.starts_with(address)
                    || url.starts_with("data:")
                    || url.starts_with("chrome");
                assert!(own, "a request to {url}");
                requests += 1;
            }
        }
        assert!(requests >= 4, "the page itself was seen on the network");
    }

    async fn log(&self, kind: &str) -> Vec<Value> {
        let command = Vendor {
            path: "se/log",
            body: json!({ "type": kind }),
        };
        let entries = self.client.issue_cmd(command).await.expect("a log");
        entries.as_array().cloned().unwrap_or_default()
    }

    pub async fn close(self) {
        self.client.clone().close().await.expect("the session ends");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// The port the driver says it listens on.
fn port_of(driver: &mut Child) -> u16 {
    let stdout = driver.stdout.take().expect("piped");
    let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
    // Its first line repeats the port asked for, 0.
    let port = lines
        .by_ref()
        .filter(|line| line.contains("started successfully"))
        .find_map(|line| {
            line.split("on port ")
                .nth(1)?
                .trim_end_matches('.')
                .parse()
                .ok()
        })
        .expect("chromedriver names its port");
    // What it says later must be read, or it stops at a full pipe.
    std::thread::spawn(move || lines.for_each(drop));
    port
}

/// A command of ChromeDriver's own.
#[derive(Debug)]
struct Vendor {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for Vendor {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!(
            "session/{}/{}",
            session.unwrap_or_default(),
            self.path
        ))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.body.to_string()))
    }
}
