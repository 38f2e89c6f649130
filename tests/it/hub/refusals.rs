//! What the Hub refuses, and names that are refused before it is asked.

use llscore::model::source::{SourceOptions, locate, resolve};

use super::network::closed_endpoint;
use super::{Home, assert_has, message, tiny_hub};

#[test]
fn an_absent_repository_is_named() {
    let hub = tiny_hub();
    let home = Home::new(&hub.endpoint());
    let text = message(home.resolve("org/none"));
    assert_has(&text, &["org/none", "no such repository", &hub.endpoint(), "HF_TOKEN"]);
    let text = message(home.at("org/none", "v2"));
    assert_has(&text, &["no such repository"]);
}

#[test]
fn an_unknown_revision_is_named() {
    let hub = tiny_hub();
    let home = Home::new(&hub.endpoint());
    let text = message(home.at("org/tiny", "v2"));
    assert_has(&text, &["org/tiny", "no revision `v2`", "--revision"]);
}

#[test]
fn a_gated_or_private_repository_says_what_to_do() {
    let hub = tiny_hub();
    let home = Home::new(&hub.endpoint());
    let with_token = SourceOptions { env: home.env_with(&[("HF_TOKEN", "hf_bad")]), ..home.options() };
    let page = format!("{}/org/tiny", hub.endpoint());
    hub.fail_listing(Some(401));
    assert_has(&message(home.resolve("org/tiny")), &["401", "HF_TOKEN", "licence", &page]);
    assert_has(&message(resolve("org/tiny", &with_token, &())), &["refuses the token"]);
    hub.fail_listing(Some(403));
    assert_has(&message(home.resolve("org/tiny")), &["gated (403)", "HF_TOKEN", &page]);
    // Gated repositories list their files to everybody and refuse the files.
    hub.fail_listing(None);
    for status in [401, 403] {
        hub.fail_files(Some(status));
        assert_has(&message(home.resolve("org/tiny")), &["HF_TOKEN", "licence", &page]);
        assert_has(&message(resolve("org/tiny", &with_token, &())), &["token", "licence"]);
    }
    assert!(!message(resolve("org/tiny", &with_token, &())).contains("hf_bad"));
}

#[test]
fn a_refusal_is_not_glossed_over_with_the_cache() {
    let hub = tiny_hub();
    let home = Home::new(&hub.endpoint());
    home.resolve("org/tiny").unwrap();
    hub.fail_listing(Some(403));
    assert_has(&message(home.resolve("org/tiny")), &["gated"]);
}

#[test]
fn an_unreachable_hub_is_named() {
    let home = Home::new(&closed_endpoint());
    let text = message(home.resolve("org/tiny"));
    assert_has(&text, &["org/tiny", &home.endpoint, "cannot be reached", "HF_ENDPOINT"]);
}

#[test]
fn a_repository_without_what_is_needed_is_refused_before_a_download() {
    let hub = tiny_hub();
    let home = Home::new(&hub.endpoint());
    hub.remove("org/tiny", "model.safetensors");
    let text = message(home.resolve("org/tiny"));
    assert_has(&text, &["org/tiny", "no safetensors", "pytorch_model.bin", "save_pretrained"]);
    assert_eq!(hub.requests().len(), 1);
    let files = locate("org/tiny", &home.options(), &()).unwrap();
    assert_eq!(files.missing.len(), 1);
    assert_has(&message(files.open_weights()), &["org/tiny", "pytorch_model.bin"]);

    let hub = tiny_hub();
    let home = Home::new(&hub.endpoint());
    hub.remove("org/tiny", "tokenizer.json");
    assert_has(&message(home.resolve("org/tiny")), &["tokenizer.json", "--tokenizer"]);
    assert_eq!(hub.requests().len(), 1);
    let given = home.folder.path().join("own.json");
    std::fs::write(&given, "{}").unwrap();
    let files = resolve("org/tiny", &SourceOptions { tokenizer: Some(given.clone()), ..home.options() }, &()).unwrap();
    assert_eq!(files.tokenizer, Some(given));
    hub.remove("org/tiny", "config.json");
    hub.commit("3333333333333333333333333333333333333333");
    assert_has(&message(home.resolve("org/tiny")), &["config.json"]);
}

#[test]
fn odd_names_are_refused_without_a_request() {
    let hub = tiny_hub();
    let home = Home::new(&hub.endpoint());
    for name in ["org/na me", "org/..", "-x/y", "org/a--b", "org/näme", "http:x", "org/x.", "a\u{0}b"] {
        message(home.resolve(name));
    }
    for revision in ["", "../..", "a b", "x..y", "/main", "main/", "v~1", ".hidden", "a%2e"] {
        assert_has(&message(home.at("org/tiny", revision)), &["revision"]);
    }
    let mut broken = home.options();
    for endpoint in ["localhost:1", "ftp://x", "http://", "http://a b"] {
        broken.env.endpoint = endpoint.into();
        assert_has(&message(resolve("org/tiny", &broken, &())), &["HF_ENDPOINT"]);
    }
    let mut broken = home.options();
    broken.env.token = Some("two\nlines".into());
    assert_has(&message(resolve("org/tiny", &broken, &())), &["HF_TOKEN"]);
    broken.env.cache = None;
    assert_has(&message(resolve("org/tiny", &broken, &())), &["HF_HOME"]);
    assert!(hub.requests().is_empty());
}
