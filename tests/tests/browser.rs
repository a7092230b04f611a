//! The page in a real headless Chromium, driven by ChromeDriver: the journey of a person who drops
//! a file, moves a slider and reads a figure, held against what the command line prints.

mod chromium;

use std::time::Duration;

use chromium::Browser;
use fantoccini::{Locator, elements::Element, key::Key};
use inferplan_tests::{Server, example_report, fixture, run};
use serde_json::{Value, json};

const RUNPOD: &str = "runpod.pod.h100-80gb-sxm.community";
const SWEEP: [&str; 4] = [
    "vllm-serve/seconds-conc1.json",
    "vllm-serve/seconds-conc4.json",
    "vllm-serve/seconds-conc16.json",
    "vllm-serve/seconds-conc32.json",
];

/// A page open in a browser.
struct Page {
    browser: Browser,
    server: Server,
}

impl Page {
    async fn open() -> Self {
        let server = Server::start();
        let browser = Browser::start().await;
        browser.client.goto(&server.address).await.unwrap();
        let page = Self { browser, server };
        page.wait("#answer").await;
        page.click_text(".seg button", "EN").await;
        page
    }

    async fn wait(&self, css: &str) -> Element {
        let wait = self.browser.client.wait().at_most(Duration::from_secs(20));
        wait.for_element(Locator::Css(css))
            .await
            .unwrap_or_else(|error| panic!("{css}: {error}"))
    }

    async fn text(&self, css: &str) -> String {
        self.wait(css).await.text().await.unwrap()
    }

    async fn click_text(&self, css: &str, text: &str) {
        for element in self
            .browser
            .client
            .find_all(Locator::Css(css))
            .await
            .unwrap()
        {
            if element.text().await.unwrap() == text {
                element.click().await.unwrap();
                return;
            }
        }
        panic!("no {css} says {text}");
    }

    async fn import(&self, files: &[&str]) {
        let paths: Vec<String> = files.iter().map(|name| fixture(name)).collect();
        let input = self.wait("#files").await;
        input.send_keys(&paths.join("\n")).await.unwrap();
    }

    async fn type_into(&self, css: &str, text: &str) {
        let field = self.wait(css).await;
        field.click().await.unwrap();
        let select_all = Key::Control + "a";
        field.send_keys(&select_all).await.unwrap();
        field.send_keys(text).await.unwrap();
    }

    /// Those that [`by_command_line`] asks for.
    async fn set_targets(&self) {
        self.type_into("#ttft-p99", "2").await;
        self.type_into("#itl-p50", "0.05").await;
    }

    /// The month of an option as the table's row carries it, and as a person reads it.
    async fn month(&self, offer: &str) -> (String, String) {
        let row = self.wait(&format!("tr[data-offer='{offer}']")).await;
        let exact = row.attr("data-monthly").await.unwrap().unwrap_or_default();
        let cell = row.find(Locator::Css(".cost")).await.unwrap();
        (exact, cell.text().await.unwrap())
    }

    async fn script(&self, script: &str) -> Value {
        self.browser.client.execute(script, vec![]).await.unwrap()
    }

    /// Waits until a script returns true.
    async fn wait_until(&self, script: &str, what: &str) {
        for _ in 0..100 {
            if self.script(script).await == true {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("not within ten seconds: {what}");
    }

    /// What every test ends with: no error on the console, no request to any other host.
    async fn close(self) {
        self.browser.assert_quiet(&self.server.address).await;
        self.browser.close().await;
    }
}

/// What the command line prints for the same question.
fn by_command_line(report: &[&str], volume: &str, tokens: [&str; 2]) -> Value {
    let mut args = vec!["compare", "--report"];
    args.extend(report);
    args.extend([
        "--accelerator",
        "H100 80GB SXM",
        "--accelerators",
        "1",
        "--requests-per-day",
        volume,
        "--input-tokens",
        tokens[0],
        "--output-tokens",
        tokens[1],
        "--slo",
        "ttft_p99=2",
        "itl_p50=0.05",
        "--json",
    ]);
    run(&args).json()
}

fn month_in(comparison: &Value, offer: &str) -> String {
    let options = comparison["options"].as_array().unwrap();
    let option = options
        .iter()
        .find(|option| option["offer"] == offer)
        .unwrap();
    option["monthly"]["amount"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_example_answers_at_once_as_the_command_line_does() {
    let page = Page::open().await;
    let report = example_report();
    let cli = by_command_line(&[&report], "86400", ["2048", "2048"]);
    let (exact, shown) = page.month(RUNPOD).await;
    assert_eq!(exact, month_in(&cli, RUNPOD));
    assert_eq!((exact.as_str(), shown.as_str()), ("1963.70", "$1,963.70"));
    let answer = page.text("#answer").await;
    assert!(answer.starts_with("At 86,400 requests a day, RunPod H100 80GB SXM pod, community is cheapest: $1,963.70 a month on 1 accelerator."), "{answer}");
    // Every feasible option, to the last digit.
    for option in cli["options"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|o| o["feasible"] == true)
    {
        let offer = option["offer"].as_str().unwrap();
        assert_eq!(
            page.month(offer).await.0,
            option["monthly"]["amount"].as_str().unwrap(),
            "{offer}"
        );
    }
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_sweep_a_moved_slider_and_the_other_language() {
    let page = Page::open().await;
    page.import(&SWEEP).await;
    // The file does not hold its accelerator, so the page asks.
    page.wait("#waiting").await;
    page.type_into("#accelerator", "A100").await;
    page.wait("#use-report").await.click().await.unwrap();
    let problem = page.text("#waiting .problem").await;
    assert!(problem.contains("40GB or 80GB"), "{problem}");
    page.type_into("#accelerator", "H100 SXM5").await;
    page.wait("#use-report").await.click().await.unwrap();
    let says_how_many =
        "return document.querySelector('#waiting .problem').textContent.includes('1 to 1024')";
    page.wait_until(says_how_many, "the number of accelerators is never assumed")
        .await;
    page.type_into("#accelerators", "1").await;
    page.wait("#use-report").await.click().await.unwrap();
    let card = page
        .text("[data-report='model-8b-h100-80gb-sxm-512-128']")
        .await;
    assert!(card.contains("4 loads measured"), "{card}");
    let fixtures = SWEEP.map(fixture);
    let files = fixtures.each_ref().map(String::as_str);
    // Nobody asked for the example's targets of this file.
    page.wait("#targets-cleared").await;
    page.set_targets().await;

    let slider = page.wait("#requests-per-day-slider").await;
    for _ in 0..40 {
        slider.send_keys(&Key::Right.to_string()).await.unwrap();
    }
    let volume = page
        .wait("#requests-per-day")
        .await
        .prop("value")
        .await
        .unwrap()
        .unwrap();
    assert_ne!(volume, "86,400", "the slider moved the volume");
    let cli = by_command_line(&files, &volume, ["512", "128"]);
    let (exact, shown) = page.month(RUNPOD).await;
    assert_eq!(exact, month_in(&cli, RUNPOD), "at {volume}");

    page.click_text(".seg button", "中文").await;
    let answer = page.text("#answer").await;
    assert!(
        answer.contains("最省") && answer.contains("次请求"),
        "{answer}"
    );
    assert_eq!(page.month(RUNPOD).await, (exact, shown));
    assert_eq!(
        page.script("return document.documentElement.lang").await,
        "zh-Hans-CN"
    );
    page.click_text(".seg button", "CNY").await;
    let (_, shown) = page.month(RUNPOD).await;
    assert!(shown.ends_with(" 元"), "{shown}");
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn typed_figures_are_understood_or_refused_beside_the_field() {
    let page = Page::open().await;
    page.type_into("#requests-per-day", "many").await;
    let problem = page.text("#requests-per-day-problem").await;
    assert!(problem.contains("Not a number"), "{problem}");
    assert!(
        page.text("#answer").await.contains("86,400"),
        "the last good value stays"
    );
    page.type_into("#requests-per-day", "100万").await;
    assert!(page.text("#answer").await.contains("1,000,000"));
    page.type_into("#requests-per-day", "0").await;
    page.wait("[data-code='no-requests']").await;
    page.type_into("#requests-per-day", "1e12").await;
    page.wait("[data-code='volume-large']").await;
    page.type_into("#requests-per-day", "1e13").await;
    let problem = page.text(".answer [role='alert']").await;
    assert!(problem.contains("0 to 10^12"), "{problem}");
    page.type_into("#requests-per-day", "86400").await;
    page.type_into("#ttft-p99", "0.01").await;
    let reasons = page.script("return document.querySelector(\"[data-out='runpod.pod.h100-80gb-sxm.community']\").textContent").await;
    assert!(
        reasons.as_str().unwrap().contains("TTFT p99 ≤ 0.01 s"),
        "{reasons}"
    );
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_file_is_explained_beside_the_reports_and_changes_nothing() {
    let page = Page::open().await;
    let before = page.text("#answer").await;
    for (file, part) in [
        ("bad/truncated.json", "truncated.json: line 1"),
        ("bad/another-tool.json", "not a benchmark result"),
        ("bad/zero-completed.json", "no request completed"),
        ("bad/not-json.txt", "Serving is fine"),
    ] {
        page.import(&[file]).await;
        // The file is read without blocking the page, so its message may be a moment away.
        let shown = format!(
            "return document.querySelector('#import-problems')?.textContent.includes({part:?}) ?? false"
        );
        page.wait_until(&shown, file).await;
    }
    assert_eq!(page.text("#answer").await, before);
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pasted_result_imports_and_details_open() {
    let page = Page::open().await;
    page.wait(".paste summary").await.click().await.unwrap();
    let text = std::fs::read_to_string(fixture(SWEEP[1])).unwrap();
    let area = page.wait(".paste textarea").await;
    page.browser
        .client
        .execute(
            "arguments[0].value = arguments[1]",
            vec![serde_json::to_value(&area).unwrap(), json!(text)],
        )
        .await
        .unwrap();
    page.wait(".paste .btn").await.click().await.unwrap();
    page.type_into("#accelerator", "H100 SXM").await;
    page.type_into("#accelerators", "1").await;
    page.wait("#use-report").await.click().await.unwrap();
    page.wait("[data-report='model-8b-h100-80gb-sxm-512-128']")
        .await;
    let name = page
        .wait(&format!("tr[data-offer='{RUNPOD}'] button.o"))
        .await;
    name.click().await.unwrap();
    let details = page.text("tr.details").await;
    assert!(details.contains("× 730 hours × $2.69 = $"), "{details}");
    assert!(details.contains("2026-11-09"), "{details}");
    assert!(
        page.script(
            "return document.querySelector(\"tr.details [data-code='single-point']\") !== null"
        )
        .await
        .as_bool()
        .unwrap()
    );
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_fits_a_phone_and_a_wide_screen_with_sharp_charts() {
    let page = Page::open().await;
    for width in [360, 768, 1440, 3840] {
        page.browser
            .client
            .set_window_size(width.max(500), 1000)
            .await
            .unwrap();
        page.browser.emulate(width, 2.0).await;
        let overflow = page
            .script("return document.documentElement.scrollWidth - innerWidth")
            .await;
        assert!(
            overflow.as_i64().unwrap() <= 0,
            "{width}: {overflow} px too wide"
        );
        page.wait_until(
            "return [...document.querySelectorAll('canvas')].every(c => Math.abs(c.width / c.clientWidth - 2) < 0.02)",
            &format!("{width}: two device pixels a CSS pixel"),
        )
        .await;
    }
    // A chart has more than its ground on it.
    let colours = page
        .script(
            "return [...document.querySelectorAll('canvas')].map(c => { const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; \
             const s = new Set(); for (let i = 0; i < d.length; i += 4) s.add(d[i] << 16 | d[i+1] << 8 | d[i+2]); return s.size; })",
        )
        .await;
    for count in colours.as_array().unwrap() {
        assert!(count.as_u64().unwrap() > 10, "{colours}");
    }
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_quote_is_stated_shown_as_one_s_own_and_taken_back() {
    let page = Page::open().await;
    let (before, _) = page.month(RUNPOD).await;
    page.wait("#state-price summary")
        .await
        .click()
        .await
        .unwrap();
    // A slip is told where it is, and nothing is added.
    page.type_into("#price-on", "runpod.none").await;
    page.type_into("#price-amount", "2").await;
    page.type_into("#price-source", "offer 17").await;
    page.wait("#add-price").await.click().await.unwrap();
    let problem = page.text("#price-problem").await;
    assert!(
        problem.contains("no table has it (found runpod.none)"),
        "{problem}"
    );
    page.type_into("#price-on", RUNPOD).await;
    page.wait("#add-price").await.click().await.unwrap();
    page.wait(&format!("[data-own='{RUNPOD}']")).await;
    // 730 × 2; the command line says the same of the same quote.
    let (own, _) = page.month(RUNPOD).await;
    assert_eq!(own, "1460.00");
    let home = tempfile::tempdir().unwrap();
    let quote = home.path().join("own.json").display().to_string();
    let added = run(&[
        "prices",
        "add",
        RUNPOD,
        "--per-hour",
        "2",
        "--source",
        "offer 17",
        "-o",
        &quote,
    ]);
    assert_eq!(added.code, 0, "{}", added.stderr);
    let report = example_report();
    let args = [
        "compare",
        "--report",
        &report,
        "--requests-per-day",
        "86400",
        "--input-tokens",
        "2048",
        "--output-tokens",
        "2048",
        "--slo",
        "ttft_p99=2",
        "itl_p50=0.05",
        "--prices",
        &quote,
        "--json",
    ];
    assert_eq!(month_in(&run(&args).json(), RUNPOD), own);
    page.wait(&format!("[data-own='{RUNPOD}'] button"))
        .await
        .click()
        .await
        .unwrap();
    page.wait_until(
        &format!("return document.querySelector(\"tr[data-offer='{RUNPOD}']\").dataset.monthly === '{before}'"),
        "the table's price is back",
    )
    .await;
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_catalogue_is_shown_first_and_then_taken() {
    let page = Page::open().await;
    page.import(&["prices/skypilot-vms.csv"]).await;
    let offered = page.text("#offered-prices").await;
    assert!(offered.contains("2 prices would change"), "{offered}");
    assert!(offered.contains("$1.50 / instance-hour"), "{offered}");
    assert!(offered.contains("1 rows do not fit"), "{offered}");
    page.wait("#take-prices").await.click().await.unwrap();
    let (month, _) = page.month("skypilot.skypilot-vms.h100-one.us-east-1").await;
    assert_eq!(month, "1095.00");
    // The same file of one's own prices that the command line reads.
    page.import(&["prices/own.json"]).await;
    let offered = page.text("#offered-prices").await;
    assert!(
        offered.contains("own.h100-server: – → $300,000.00 to buy, 36 months"),
        "{offered}"
    );
    page.wait("#take-prices").await.click().await.unwrap();
    let own = fixture("prices/own.json");
    let report = example_report();
    let args = [
        "compare",
        "--report",
        &report,
        "--requests-per-day",
        "86400",
        "--input-tokens",
        "2048",
        "--output-tokens",
        "2048",
        "--slo",
        "ttft_p99=2",
        "itl_p50=0.05",
        "--prices",
        &own,
        "--json",
    ];
    let comparison = run(&args).json();
    for offer in ["own.h100-server", "lambda.8x-h100-sxm"] {
        assert_eq!(page.month(offer).await.0, month_in(&comparison, offer));
    }
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peak_buys_what_the_command_line_buys() {
    let page = Page::open().await;
    page.type_into("#peak-to-mean", "3.2").await;
    let report = example_report();
    let args = [
        "compare",
        "--report",
        &report,
        "--requests-per-day",
        "86400",
        "--input-tokens",
        "2048",
        "--output-tokens",
        "2048",
        "--peak-to-mean",
        "3.2",
        "--slo",
        "ttft_p99=2",
        "itl_p50=0.05",
        "--json",
    ];
    let comparison = run(&args).json();
    // 3.2 a second in the busiest hour, 1.159 on each: three.
    assert_eq!(month_in(&comparison, RUNPOD), "5891.10");
    for offer in [RUNPOD, "modal.h100-80gb-sxm"] {
        assert_eq!(page.month(offer).await.0, month_in(&comparison, offer));
    }
    page.type_into("#peak-to-mean", "30").await;
    let wrong = page.text(".field .problem, .problem").await;
    assert!(wrong.contains("1 to 20"), "{wrong}");
    page.close().await;
}
