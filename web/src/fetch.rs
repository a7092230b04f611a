//! A file of prices from an address that the user gives: asked for once, bounded in size and time.

use std::time::Duration;

use gloo_net::http::Request;
use inferplan_core::problem::{Problem, Problems};
use web_sys::AbortController;
use yew::{
    Callback,
    platform::{spawn_local, time::sleep},
};

use crate::{
    import,
    state::{Action, PriceAction},
};

/// A book of every provider is far below this.
const MOST_BYTES: usize = 32 << 20;
const MOST_S: u64 = 60;

/// Asks for it; the answer becomes an action.
pub fn prices(address: String, dispatch: Callback<Action>) {
    dispatch.emit(Action::Prices(PriceAction::Fetching));
    let abort = AbortController::new().ok();
    if let Some(abort) = abort.clone() {
        spawn_local(async move {
            sleep(Duration::from_secs(MOST_S)).await;
            // After the answer has come this does nothing.
            abort.abort();
        });
    }
    spawn_local(async move {
        let fetched = fetched(&address, abort.as_ref()).await;
        let problem = fetched.as_ref().err().cloned();
        dispatch.emit(Action::Prices(PriceAction::Fetched(problem)));
        if let Ok(text) = fetched {
            // From here on it is a file like any that is dropped.
            import::text(&address, &text, dispatch);
        }
    });
}

async fn fetched(address: &str, abort: Option<&AbortController>) -> Result<String, Problems> {
    let failed = |what: String| -> Problems {
        Problem::new(
            format!("it could not be brought: {what}"),
            format!("无法获取：{what}"),
        )
        .in_file(address)
        .remedy(
            "save the file and drop it here; the server may not let other pages read it",
            "请下载文件后拖到此处；该服务器可能不允许其他网页读取",
        )
        .into()
    };
    if !address.starts_with("https://") {
        return Err(
            Problem::new("only https addresses are asked", "只访问 https 地址")
                .found(address)
                .into(),
        );
    }
    let signal = abort.map(AbortController::signal);
    let answer = Request::get(address)
        .abort_signal(signal.as_ref())
        .send()
        .await
        .map_err(|error| failed(error.to_string()))?;
    if !answer.ok() {
        return Err(failed(format!(
            "{} {}",
            answer.status(),
            answer.status_text()
        )));
    }
    let promised = answer.headers().get("content-length");
    if promised.and_then(|length| length.parse::<usize>().ok()) > Some(MOST_BYTES) {
        return Err(failed(format!("> {} MiB", MOST_BYTES >> 20)));
    }
    let text = answer
        .text()
        .await
        .map_err(|error| failed(error.to_string()))?;
    if text.len() > MOST_BYTES {
        return Err(failed(format!("> {} MiB", MOST_BYTES >> 20)));
    }
    Ok(text)
}
