//! Small files of each kind's shape, with its traps.

use super::*;
use crate::price::{
    Basis, PriceBook, Sells,
    tariff::{LongMode, LongStep},
};

fn dec(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn request() -> Request {
    Request::of_day("2026-12-01".parse().unwrap())
}

fn read_as(text: &str, file: &str, request: &Request) -> Catalogue {
    let catalogue = read(text, file, None, request).unwrap();
    // Whatever was read is a book without fault.
    let tables = catalogue.tables.clone();
    let book = PriceBook::of(tables.clone(), Vec::new()).unwrap();
    book.with(&catalogue.own).unwrap();
    for table in &tables {
        let json = serde_json::to_string(table).unwrap();
        crate::price::file::read(&json, "t").unwrap();
    }
    catalogue
}

fn refused(text: &str, request: &Request) -> String {
    read(text, "f", None, request).unwrap_err().to_string()
}

/// `id: price` of every offer.
fn offers(catalogue: &Catalogue) -> Vec<String> {
    let shown = |offer: &Offer| {
        let version = offer.versions.last().unwrap();
        let amounts: Vec<String> = version
            .price
            .amounts()
            .iter()
            .map(|(_, amount)| amount.to_string())
            .collect();
        format!("{}: {}", offer.id, amounts.join(" "))
    };
    catalogue
        .tables
        .iter()
        .flat_map(|table| table.offers.iter().map(shown))
        .collect()
}

fn left_out(catalogue: &Catalogue) -> Vec<String> {
    let shown = |left: &LeftOut| format!("{} {}", left.row, left.why.code);
    catalogue.left_out.iter().map(shown).collect()
}

#[test]
fn skypilot_s_machines_with_their_spot_prices() {
    let text = "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,SpotPrice\n\
        a2-highgpu-1g,12.0,85.0,,,,us-central1,us-central1-a,0.73948,0.36975\n\
        ,,,A100,1.0,\"{'Gpus': [1, 2]}\",us-central1,us-central1-a,2.93,1.2\n\
        gpu_8x_a100,96,1000,A100-80GB,8.0,,us-east-1,a,12.5,4\n\
        gpu_8x_a100,96,1000,A100-80GB,8.0,,us-east-1,b,12.6,3.5\n\
        1x_A100-80GB_SECURE,8,117,A100-80GB,1.0,,US,,1.39,1.39\n\
        x,8,64,H200,0.25,,US,,1,\n\
        y,8,64,H200,1,,US,,,\n\
        z,8,64,A100,1,,US,,0,\n\
        v,8,64,V100,8,\"{'Gpus': [{'MemoryInfo': {'SizeInMiB': 16384}}]}\",US,,6.32,\n\
        w,8,64,A100,4,\"{'Gpus': [{'MemoryInfo': {'SizeInMiB': 327680}}]}\",US,,4,\n\
        u,8,64,A100,1,,US,,1,\n";
    let catalogue = read_as(text, "catalogs/v8/aws/vms.csv", &request());
    assert_eq!(
        offers(&catalogue),
        [
            "skypilot.aws.gpu-8x-a100.us-east-1: 12.6",
            "skypilot.aws.gpu-8x-a100.us-east-1.spot: 4",
            "skypilot.aws.1x-a100-80gb-secure.us: 1.39",
            "skypilot.aws.v.us: 6.32",
            "skypilot.aws.w.us: 4",
        ]
    );
    assert_eq!(
        left_out(&catalogue),
        [
            "row 2 no-accelerator",
            "row 3 host-apart",
            "row 7 bad-count",
            "row 8 no-price",
            "row 9 zero",
            "row 12 accelerator-unclear",
        ]
    );
    let offer = &catalogue.tables[0].offers[0];
    assert_eq!(offer.versions[0].price.basis(), Some(Basis::Instance));
    assert_eq!(offer.versions[0].confidence, Confidence::Catalogue);
    assert!(offer.versions[0].source.contains("aws vms.csv"));
    let Sells::Accelerators { per_instance, .. } = offer.sells else {
        panic!()
    };
    assert_eq!(per_instance, 8, "a node's price is the node's");
    assert_eq!(catalogue.notices[0].code, "zones-joined");
}

#[test]
fn gpuhunt_tells_memory_and_special_terms() {
    let text = "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags,cpu_arch,provider_data\r\n\
        p4d,us-east-1,21.957642,96,1152.0,8,A100,40.0,False,,nvidia,,x86,{}\r\n\
        p4d,us-east-1,8.5,96,1152.0,8,A100,40.0,True,,nvidia,,x86,{}\r\n\
        t3,us-east-1,0.0052,2,0.5,0,,,False,,,,x86,{}\r\n\
        a3,us-central1,9,208,1872,8,H100,80.0,False,,nvidia,gcp-dws-calendar-mode,x86,\"{\"\"a\"\": [1, 2]}\"\r\n";
    let catalogue = read_as(text, "aws.csv", &request());
    assert_eq!(
        offers(&catalogue),
        [
            "gpuhunt.aws.p4d.us-east-1: 21.957642",
            "gpuhunt.aws.p4d.us-east-1.spot: 8.5"
        ]
    );
    assert_eq!(
        left_out(&catalogue),
        ["row 4 no-accelerator", "row 5 special-terms"]
    );
    let sold = &catalogue.tables[0].offers[0].sells;
    let Sells::Accelerators { accelerator, .. } = sold else {
        panic!()
    };
    assert_eq!(accelerator.as_ref().unwrap().to_string(), "A100 40GB");
}

#[test]
fn litellm_s_tokens_with_steps_caches_batches_and_peaks() {
    let text = r#"{
      "sample_spec": { "litellm_provider": "one of …", "mode": "chat", "input_cost_per_token": 0.0 },
      "deepinfra/Qwen/Qwen3-14B": { "litellm_provider": "deepinfra", "mode": "chat",
        "input_cost_per_token": 1.2000000000000002e-07, "output_cost_per_token": "0.00000024" },
      "gemini-x": { "litellm_provider": "google", "mode": "chat",
        "input_cost_per_token": 1.25e-06, "output_cost_per_token": 1e-05, "cache_read_input_token_cost": 3.125e-07,
        "input_cost_per_token_above_200k_tokens": 2.5e-06, "output_cost_per_token_above_200k_tokens": 1.5e-05,
        "cache_creation_input_token_cost_above_1hr": 1e-05,
        "input_cost_per_token_batches": 6.25e-07, "output_cost_per_token_batches": 5e-06 },
      "dashscope/qwen-flash": { "litellm_provider": "dashscope", "mode": "chat", "tiered_pricing": [
        { "range": [0, 256000.0], "input_cost_per_token": 5e-08, "output_cost_per_token": 4e-07 },
        { "range": [256000.0, 1000000.0], "input_cost_per_token": 2.5e-07, "output_cost_per_token": 2e-06 } ] },
      "deepseek-flash": { "litellm_provider": "deepseek", "mode": "chat",
        "input_cost_per_token": 3e-07, "output_cost_per_token": 1.2e-06,
        "off_peak_pricing": { "input_cost_per_token": 1.5e-07, "output_cost_per_token": 6e-07, "windows": [
          { "hours_utc": ["00:00-01:00", "04:00-06:00", "10:00-00:00"], "weekdays": [1, 2, 3, 4, 5] },
          { "hours_utc": "00:00-00:00", "weekdays": [6, 7] } ] } },
      "whisper": { "litellm_provider": "openai", "mode": "audio_transcription", "input_cost_per_second": 0.0001 },
      "free": { "litellm_provider": "x", "mode": "chat", "input_cost_per_token": 0.0, "output_cost_per_token": 0.0 },
      "unknown": { "litellm_provider": "x", "mode": "chat" } }"#;
    let catalogue = read_as(text, "model_prices.json", &request());
    assert_eq!(
        offers(&catalogue),
        [
            "litellm.deepinfra.qwen-qwen3-14b: 0.12 0.24",
            "litellm.google.gemini-x: 1.25 10 0.3125 2.5 15",
            "litellm.dashscope.qwen-flash: 0.05 0.4 0.25 2",
            "litellm.deepseek.deepseek-flash: 0.3 1.2",
        ]
    );
    assert_eq!(
        left_out(&catalogue),
        ["whisper other-mode", "free zero", "unknown no-token-price"]
    );
    let price = |table: usize| catalogue.tables[table].offers[0].versions[0].price.clone();
    let Price::MillionTokens { batch, long, .. } = price(1) else {
        panic!()
    };
    assert_eq!(batch, Some(dec("0.5")));
    let long = long.unwrap();
    assert_eq!(long.mode, LongMode::WholeRequest);
    assert_eq!(long.steps[0].above_input_tokens, 200_000);
    let Price::MillionTokens { off_peak, .. } = price(3) else {
        panic!()
    };
    let off_peak = off_peak.unwrap();
    // 01–04 and 06–10 UTC on weekdays: 35 hours; at half elsewhere.
    assert_eq!((off_peak.peak_hours(), off_peak.factor), (35, dec("0.5")));
    assert!(off_peak.is_peak(1) && !off_peak.is_peak(4) && !off_peak.is_peak(6 * 24 + 1));
}

#[test]
fn genai_prices_keep_their_days() {
    let text = r#"[ { "id": "deepseek", "name": "DeepSeek", "api_pattern": "https://api", "models": [
      { "id": "a", "match": {}, "prices_checked": "2026-11-20", "prices": { "input_mtok": 0.27, "output_mtok": 1.1, "cache_read_mtok": 0.07 } },
      { "id": "b", "match": {}, "prices": [
        { "prices": { "input_mtok": { "base": 3, "tiers": [ { "start": 200000, "price": 6 } ] }, "output_mtok": { "base": 15, "tiers": [ { "start": 200000, "price": 22.5 } ] }, "cache_write_mtok": 3.75 } },
        { "constraint": { "start_date": "2026-03-13" }, "prices": { "input_mtok": 3, "output_mtok": 15 } } ] },
      { "id": "c", "match": {}, "prices": [
        { "prices": { "input_mtok": 1, "output_mtok": 2 } },
        { "constraint": { "start_time": "16:30:00Z", "end_time": "00:30:00Z" }, "prices": { "input_mtok": 0.5, "output_mtok": 1 } } ] },
      { "id": "d", "match": {}, "prices": { "input_mtok": 0.1 } },
      { "id": "e", "match": {}, "prices": {} },
      { "id": "f", "match": {}, "prices": { "requests_kcount": 12 } } ] } ]"#;
    let catalogue = read_as(text, "data.json", &request());
    assert_eq!(
        offers(&catalogue),
        [
            "genai-prices.deepseek.a: 0.27 1.1 0.07",
            "genai-prices.deepseek.b: 3 15",
            "genai-prices.deepseek.f: 0.012",
        ]
    );
    assert_eq!(
        left_out(&catalogue),
        [
            "deepseek/c time-of-day",
            "deepseek/d no-token-price",
            "deepseek/e no-price"
        ]
    );
    let table = &catalogue.tables[0];
    assert_eq!(
        table.offers[0].versions[0].observed_on.unwrap().to_string(),
        "2026-11-20"
    );
    // Its first price was never seen to hold by now: it is history.
    let b = &table.offers[1];
    let early: Date = "2026-03-12".parse().unwrap();
    assert_eq!(b.in_force(early).unwrap_err().code, "no-price-at-date");
    // In a catalogue of that time it holds, and the next one is announced.
    let then = Request {
        observed_on: "2026-03-01".parse().unwrap(),
        ..request()
    };
    let catalogue = read_as(text, "data.json", &then);
    let b = &catalogue.tables[0].offers[1];
    let on = |day: &str| b.in_force(day.parse().unwrap()).unwrap().version;
    let Price::MillionTokens { long, .. } = &on("2026-03-12").price else {
        panic!()
    };
    let LongStep { input, output, .. } = long.as_ref().unwrap().steps[0];
    assert_eq!((input, output), (dec("6"), dec("22.5")));
    assert!(on("2026-03-12").note.as_ref().unwrap().contains("3.75"));
    let Price::MillionTokens { long, .. } = &on("2026-03-13").price else {
        panic!()
    };
    assert!(long.is_none());
}

/// An ECS answer with a discount, in the shape of the documents.
const ECS: &str = r#"{ "RequestId": "r", "PriceInfo": { "Rules": { "Rule": [] }, "Price": {
  "OriginalPrice": 9.74, "DiscountPrice": 1.46, "TradePrice": 8.28, "Currency": "CNY",
  "DetailInfos": { "ResourcePriceModel": [
    { "Resource": "instanceType", "OriginalPrice": "9.50" }, { "Resource": "systemDisk", "OriginalPrice": 0.24 },
    { "Resource": "bandwidth", "OriginalPrice": 0 } ] } } } }"#;

#[test]
fn an_ecs_answer_keeps_the_list_price_and_the_account_s() {
    assert!(refused(ECS, &request()).contains("--instance-type"));
    let asked = Request {
        region: Some("cn-shanghai".to_owned()),
        instance_type: Some("ecs.gn7i-c8g1.2xlarge".to_owned()),
        unit: Some(Unit::Hour),
        ..request()
    };
    let mut catalogue = read_as(ECS, "a.json", &asked);
    let id = "alibaba-ecs.cn-shanghai.ecs-gn7i-c8g1.2xlarge";
    assert_eq!(offers(&catalogue), [format!("{id}.hourly: 9.74")]);
    let quote = &catalogue.own.quotes[0];
    assert_eq!(quote.price.amounts()[0].1, dec("8.28"));
    let version = &catalogue.tables[0].offers[0].versions[0];
    assert_eq!(version.confidence, Confidence::List);
    assert_eq!(
        version.note.as_deref(),
        Some("The sum is of: instanceType 9.5, systemDisk 0.24.")
    );
    // The month's answer goes in beside it; the two meet at 480 hours.
    let month = ECS.replace("9.74", "4675.66").replace("8.28", "4675.66");
    let by_month = Request {
        unit: Some(Unit::Month),
        ..asked.clone()
    };
    catalogue.join(read_as(&month, "b.json", &by_month));
    assert_eq!(
        offers(&catalogue),
        [
            format!("{id}.hourly: 9.74"),
            format!("{id}.monthly: 4675.66")
        ]
    );
    // Three years, and a type that no list has.
    let years = Request {
        unit: Some(Unit::Year),
        periods: 3,
        instance_type: Some("ecs.gn9x.large".to_owned()),
        ..asked
    };
    assert!(refused(ECS, &years).contains("--accelerators N"));
    let stated = Request {
        accelerator: Some("H20".parse().unwrap()),
        accelerators: Some(8),
        ..years
    };
    let catalogue = read_as(ECS, "a.json", &stated);
    let offer = &catalogue.tables[0].offers[0];
    assert!(matches!(
        offer.versions[0].price,
        Price::Term { months: 36, .. }
    ));
}

#[test]
fn huawei_s_answers_on_demand_and_for_a_period() {
    let on_demand = r#"{ "amount": 383.25, "discount_amount": 42.583333, "official_website_amount": 425.833333,
      "measure_id": 1, "currency": "CNY", "product_rating_results": [ { "id": "1", "amount": 383.25,
      "official_website_amount": 425.833333, "measure_id": 1 } ] }"#;
    let asked = Request {
        region: Some("cn-north-4".to_owned()),
        instance_type: Some("modelarts.bm.npu.arm.8snt9b2.d".to_owned()),
        unit: Some(Unit::Hour),
        periods: 730,
        ..request()
    };
    let catalogue = read_as(on_demand, "a.json", &asked);
    let id = "huawei-inquiry.cn-north-4.modelarts.bm.npu.arm.8snt9b2.d";
    // 425.833333 ÷ 730 hours; the account pays 383.25 ÷ 730.
    assert_eq!(offers(&catalogue), [format!("{id}.hourly: 0.583333")]);
    assert_eq!(catalogue.own.quotes[0].price.amounts()[0].1, dec("0.525"));
    let Sells::Accelerators {
        accelerator,
        per_instance,
        ..
    } = &catalogue.tables[0].offers[0].sells
    else {
        panic!()
    };
    assert_eq!(
        (accelerator.as_ref().unwrap().to_string(), *per_instance),
        ("Ascend 910B".to_owned(), 8)
    );
    let period = r#"{ "official_website_rating_result": { "official_website_amount": 1750, "measure_id": 1,
      "product_rating_results": [ { "id": "1", "official_website_amount": 1750, "measure_id": 1 } ] },
      "optional_discount_rating_results": [ { "amount": 1600, "best_offer": 0 }, { "amount": 1650, "best_offer": 1 } ],
      "currency": "CNY" }"#;
    assert!(refused(period, &asked).contains("another unit"));
    let by_month = Request {
        unit: Some(Unit::Month),
        periods: 1,
        ..asked.clone()
    };
    let catalogue = read_as(period, "b.json", &by_month);
    assert_eq!(offers(&catalogue), [format!("{id}.monthly: 1750")]);
    assert_eq!(catalogue.own.quotes[0].price.amounts()[0].1, dec("1650"));
    for (from, to, part) in [
        ("\"CNY\"", "\"\"", "currency is not known"),
        (
            "\"measure_id\": 1,",
            "\"measure_id\": 9,",
            "measure is not known",
        ),
        (
            "[ { \"id\": \"1\"",
            "[ {}, { \"id\": \"1\"",
            "one at a time",
        ),
        ("1750, \"measure", "0, \"measure", "price is 0"),
    ] {
        let message = refused(&period.replacen(from, to, 1), &by_month);
        assert!(message.contains(part), "{part} in {message}");
    }
}

#[test]
fn figures_are_exact_however_they_are_written() {
    for (written, exact) in [
        ("5.e-7", "0.0000005"),
        ("1.e-7", "0.0000001"),
        ("0.0000003", "0.0000003"),
        ("8e-06", "0.000008"),
        ("1.29", "1.29"),
    ] {
        assert_eq!(decimal(written), Some(dec(exact)), "{written}");
    }
    for written in ["", "1,29", "N/A", "inf", "1.2.3"] {
        assert_eq!(decimal(written), None, "{written}");
    }
}

#[test]
fn what_is_no_catalogue_is_refused() {
    for (text, part) in [
        ("", "known: skypilot"),
        ("a,b\n1,2\n", "known: skypilot"),
        ("{\"litellm_provider\"", "JSON"),
        (
            "InstanceType,AcceleratorName,AcceleratorCount,Price,Region\nx,,,1,US\n",
            "no row of it is a price",
        ),
        (
            "InstanceType,AcceleratorName,AcceleratorCount,Price,Region\nx,H200,1\n",
            "cannot be read",
        ),
    ] {
        let message = refused(text, &request());
        assert!(message.contains(part), "{part} in {message}");
    }
}
