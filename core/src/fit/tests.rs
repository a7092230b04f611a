use super::*;
use crate::accelerator::Accelerator;

fn asked<'a>(model: &'a Model, precision: Precision, accelerator: &str) -> Question<'a> {
    let accelerator: Accelerator = accelerator.parse().unwrap();
    let memory = accelerator.memory().unwrap();
    Question {
        model,
        precision,
        kv_precision: Precision::Fp16,
        accelerator: accelerator.to_string(),
        memory_bytes: memory.bytes,
        memory_source: Some(memory.source),
        utilization: MEMORY_UTILIZATION,
        overhead_bytes: None,
        context: None,
        concurrency: 1,
    }
}

fn model(name: &str) -> &'static Model {
    catalogue::find(name).unwrap()
}

#[test]
fn llama_3_70b_takes_two_cards_of_80_gb_in_16_bits_and_one_in_8() {
    let llama = model("Llama 3 70B");
    let fit = answer(&asked(llama, Precision::Fp16, "A100 80GB"));
    assert_eq!(fit.weights_bytes, 141_107_412_992.0);
    assert_eq!(fit.accelerators, Some(2));
    // 2 × 80 layers × 8 heads × 128 × 2 bytes.
    assert_eq!(fit.kv_bytes_per_token, 327_680.0);
    // (80 × 0.9 − 3.05) GiB − 65.708 GiB = 3.242 GiB a card, at 163,840 bytes a token.
    assert_eq!(fit.kv_tokens_free, Some(21_245));

    let fit = answer(&asked(llama, Precision::Int8, "A100 80GB"));
    assert_eq!(fit.weights_bytes, 70_553_706_496.0);
    assert_eq!(fit.kept_16_bit_bytes, 2_101_346_304.0);
    assert_eq!(fit.accelerators, Some(1));
    // 68.95 GiB − 67.665 GiB = 1.285 GiB at 327,680 bytes a token.
    assert_eq!(fit.kv_tokens_free, Some(4_209));
}

#[test]
fn a_context_and_a_concurrency_need_their_cache() {
    let llama = model("Llama 3 70B");
    let mut question = asked(llama, Precision::Fp16, "A100 80GB");
    question.context = Some(8192);
    question.concurrency = 16;
    let fit = answer(&question);
    // 16 × 8192 × 327,680 bytes = 40 GiB: two cards have 6.5 GiB of room, four 144.
    assert_eq!(fit.kv_bytes, Some(40.0 * GIB));
    assert_eq!(fit.accelerators, Some(4));
    assert_eq!(fit.tried[1].max_concurrency, Some(2));
    let keys: Vec<&str> = fit.lines.iter().map(|line| line.key.as_str()).collect();
    assert_eq!(keys, ["weights", "overhead", "kv-cache", "usable"]);
    // An 8-bit cache is half of it.
    question.kv_precision = Precision::Fp8;
    assert_eq!(answer(&question).kv_bytes, Some(20.0 * GIB));
}

#[test]
fn kv_heads_are_repeated_where_there_are_fewer_than_accelerators() {
    let qwen = model("Qwen3 235B-A22B");
    let cache = KvCache::of(qwen, Precision::Bf16);
    // 4 KV heads: at 4 one each, at 8 still one each.
    assert_eq!(cache.token_bytes(1), 4.0 * cache.token_bytes(4));
    assert_eq!(cache.token_bytes(8), cache.token_bytes(4));
    let fit = answer(&asked(qwen, Precision::Bf16, "H100"));
    assert_eq!(fit.accelerators, Some(8));
    assert!(fit.warnings.iter().any(|w| w.code == "kv-cache-repeated"));
}

#[test]
fn a_latent_is_cached_instead_of_heads() {
    let deepseek = model("DeepSeek-V3");
    let cache = KvCache::of(deepseek, Precision::Bf16);
    // 61 layers × (512 + 64) × 2 bytes, on every accelerator alike.
    assert_eq!(cache.token_bytes(1), 70_272.0);
    assert_eq!(cache.token_bytes(8), 70_272.0);
    // 671 GB of FP8 in eight cards of 80 GB would be 78 GiB each.
    let on = |card: &str| answer(&asked(deepseek, Precision::Fp8, card)).accelerators;
    assert_eq!(on("H100"), Some(16));
    assert_eq!(on("H200"), Some(8));
}

#[test]
fn a_window_bounds_what_its_layers_keep() {
    let gemma = model("Gemma 3 27B");
    let cache = KvCache::of(gemma, Precision::Bf16);
    // 10 layers of 32768 tokens and 52 of 1024, at 2 × 16 × 128 × 2 bytes.
    let expected = (10.0 * 32_768.0 + 52.0 * 1024.0) * 8192.0;
    assert_eq!(cache.sequence_bytes(1, 32_768), expected);
    assert_eq!(cache.sequence_bytes(1, 1000), 1000.0 * cache.token_bytes(1));
}

#[test]
fn a_checkpoint_s_own_format_gives_its_published_size() {
    // 60.8 and 12.8 GiB by the model card.
    for (name, gib) in [("gpt-oss 120b", 60.8), ("gpt-oss 20b", 12.8)] {
        let (weights, kept) = weights_bytes(model(name), Precision::Mxfp4);
        assert!(((weights + kept) / GIB - gib).abs() < 0.05, "{name}");
    }
}

#[test]
fn what_no_count_holds_says_why() {
    // 28 attention heads: 4 at most. 32-bit weights of 405B: 128 cards of 24 GB are too few.
    let qwen = model("Qwen2.5 7B");
    let mut question = asked(qwen, Precision::Bf16, "L4");
    question.context = Some(131_072);
    question.concurrency = 64;
    let fit = answer(&question);
    assert_eq!((fit.fits, fit.accelerators), (false, None));
    assert_eq!(fit.reasons[0].code, "kv-cache-does-not-fit");
    let last = fit.tried.last().unwrap();
    assert_eq!(last.accelerators, 4);
    let fit = answer(&asked(model("Llama 3.2 3B"), Precision::Bf16, "T4"));
    assert_eq!(fit.accelerators, Some(1));
    let mut tiny = asked(model("Llama 3.1 405B"), Precision::Fp32, "L4");
    tiny.utilization = 0.5;
    let fit = answer(&tiny);
    assert_eq!(fit.reasons[0].code, "does-not-fit");
}

#[test]
fn a_model_by_its_numbers_is_the_catalogue_s() {
    let stated = Model::of_numbers(70.6e9, 80, (8, 128), None);
    let fit = answer(&asked(&stated, Precision::Fp16, "A100 80GB"));
    assert_eq!(fit.weights_bytes, 141.2e9);
    assert_eq!(fit.accelerators, Some(2));
    assert!(fit.warnings.iter().any(|w| w.code == "heads-not-stated"));
}
