//! The environment, variable by variable.

use std::path::Path;

use llscore::model::hub::HubEnv;

fn env(vars: &[(&str, &str)]) -> HubEnv {
    HubEnv::from_vars(|name| vars.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string()))
}

fn cache(vars: &[(&str, &str)]) -> String {
    env(vars).cache.unwrap().display().to_string().replace('\\', "/")
}

#[test]
fn the_cache_is_where_the_variables_say_the_nearer_first() {
    let home = ("HOME", "/u");
    assert_eq!(cache(&[home]), "/u/.cache/huggingface/hub");
    assert_eq!(cache(&[("USERPROFILE", "/w")]), "/w/.cache/huggingface/hub");
    assert_eq!(cache(&[home, ("XDG_CACHE_HOME", "/x")]), "/x/huggingface/hub");
    assert_eq!(cache(&[home, ("XDG_CACHE_HOME", "/x"), ("HF_HOME", "/h")]), "/h/hub");
    assert_eq!(cache(&[home, ("HF_HOME", "~/h")]), "/u/h/hub");
    assert_eq!(cache(&[home, ("HF_HOME", "/h"), ("HUGGINGFACE_HUB_CACHE", "/c")]), "/c");
    assert_eq!(cache(&[home, ("HUGGINGFACE_HUB_CACHE", "/c"), ("HF_HUB_CACHE", "/d")]), "/d");
    assert_eq!(cache(&[home, ("HF_HUB_CACHE", " ")]), "/u/.cache/huggingface/hub");
    assert!(env(&[]).cache.is_none());
}

#[test]
fn the_endpoint_loses_its_last_slash() {
    assert_eq!(env(&[]).endpoint, "https://huggingface.co");
    assert_eq!(env(&[("HF_ENDPOINT", "http://mirror/")]).endpoint, "http://mirror");
}

#[test]
fn offline_is_what_the_reference_library_takes_for_yes() {
    for (value, expected) in
        [("1", true), ("true", true), ("YES", true), ("On", true), ("0", false), ("no", false), ("", false)]
    {
        assert_eq!(env(&[("HF_HUB_OFFLINE", value)]).offline, expected, "{value:?}");
    }
    assert!(env(&[("TRANSFORMERS_OFFLINE", "1")]).offline);
}

#[test]
fn the_token_is_the_variable_or_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).unwrap();
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    at("home/token", "hf_file\n");
    let other = at("other", " hf_other ");
    let hf_home = folder.path().join("home").to_str().unwrap().to_string();
    let home = ("HF_HOME", hf_home.as_str());
    let token = |vars: &[(&str, &str)]| env(vars).token;
    assert_eq!(token(&[home]).as_deref(), Some("hf_file"));
    assert_eq!(token(&[home, ("HF_TOKEN_PATH", &other)]).as_deref(), Some("hf_other"));
    assert_eq!(token(&[home, ("HUGGING_FACE_HUB_TOKEN", "hf_old")]).as_deref(), Some("hf_old"));
    assert_eq!(token(&[home, ("HUGGING_FACE_HUB_TOKEN", "hf_old"), ("HF_TOKEN", "hf_new")]).as_deref(), Some("hf_new"));
    assert_eq!(token(&[]), None);
    assert!(!format!("{:?}", env(&[("HF_TOKEN", "hf_secret")])).contains("hf_secret"));
}
