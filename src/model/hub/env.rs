//! The Hub's settings from the environment, with the meaning that `huggingface_hub` gives them. hf-hub reads few of
//! them itself, so they are all resolved here; the environment is passed in, which lets tests leave their own alone.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// The public Hub.
const ENDPOINT: &str = "https://huggingface.co";

/// The Hub's settings.
#[derive(Clone)]
pub struct HubEnv {
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The cache of repositories: `HF_HUB_CACHE`, else `HUGGINGFACE_HUB_CACHE`, else `hub` in `HF_HOME`, else
    /// `huggingface/hub` in `XDG_CACHE_HOME` or `~/.cache`.
    pub cache: Option<PathBuf>,
    /// `HF_ENDPOINT`, without a slash at its end.
    pub endpoint: String,
    /// `HF_TOKEN`, else `HUGGING_FACE_HUB_TOKEN`, else the content of `HF_TOKEN_PATH` or of `token` in `HF_HOME`.
    pub token: Option<String>,
    /// `HF_HUB_OFFLINE` or `TRANSFORMERS_OFFLINE` is set.
    pub offline: bool,
    /// How long the Hub may take to say what a repository holds: `HF_HUB_ETAG_TIMEOUT`, by default 10 s.
    pub timeout: Duration,
}

impl HubEnv {
    /// The settings of this process.
    pub fn from_process() -> Self {
        HubEnv::from_vars(|name| std::env::var(name).ok())
    }

    /// The settings that variables `get` give. An empty variable counts as unset.
    pub fn from_vars(get: impl Fn(&str) -> Option<String>) -> Self {
        let text = |name: &str| get(name).map(|v| v.trim().to_string()).filter(|v| !v.is_empty());
        let home = text("HOME").or_else(|| text("USERPROFILE")).map(PathBuf::from);
        let path = |name: &str| text(name).map(|v| expand(&v, home.as_deref()));
        let hf_home = path("HF_HOME").or_else(|| {
            let cache = path("XDG_CACHE_HOME").or_else(|| home.as_ref().map(|h| h.join(".cache")));
            cache.map(|c| c.join("huggingface"))
        });
        let cache = path("HF_HUB_CACHE")
            .or_else(|| path("HUGGINGFACE_HUB_CACHE"))
            .or_else(|| hf_home.as_ref().map(|h| h.join("hub")));
        let token_file = path("HF_TOKEN_PATH").or_else(|| hf_home.as_ref().map(|h| h.join("token")));
        let token = text("HF_TOKEN").or_else(|| text("HUGGING_FACE_HUB_TOKEN")).or_else(|| {
            let token = std::fs::read_to_string(token_file?).ok()?;
            Some(token.trim().to_string()).filter(|t| !t.is_empty())
        });
        let yes = |name: &str| {
            text(name).is_some_and(|v| ["1", "on", "yes", "true"].contains(&v.to_ascii_lowercase().as_str()))
        };
        let endpoint = text("HF_ENDPOINT").unwrap_or_else(|| ENDPOINT.into());
        let seconds = text("HF_HUB_ETAG_TIMEOUT").and_then(|v| v.parse().ok()).unwrap_or(10);
        HubEnv {
            home,
            cache,
            endpoint: endpoint.trim_end_matches('/').to_string(),
            token,
            offline: yes("HF_HUB_OFFLINE") || yes("TRANSFORMERS_OFFLINE"),
            timeout: Duration::from_secs(seconds),
        }
    }
}

impl std::fmt::Debug for HubEnv {
    /// Without the token.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HubEnv")
            .field("cache", &self.cache)
            .field("endpoint", &self.endpoint)
            .field("token", &self.token.as_ref().map(|_| "…"))
            .field("offline", &self.offline)
            .finish_non_exhaustive()
    }
}

fn expand(path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}
