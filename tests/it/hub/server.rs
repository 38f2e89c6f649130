//! A small hub on loopback: the two addresses that llscore asks, and the ways in which they fail.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tiny_http::{Header, Request, Response, Server};

use super::COMMIT;

/// What the hub holds and how it behaves.
#[derive(Default)]
struct State {
    /// Repository, then file, then content.
    repos: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
    /// The commit of `main`.
    main: String,
    /// Status for the listing, instead of an answer.
    listing_status: Option<u16>,
    /// Status for files, instead of an answer.
    file_status: Option<u16>,
    /// Files whose content comes from another address, as large files do.
    redirected: Vec<String>,
    /// How long to wait before any answer.
    delay: Duration,
    /// `path range authorization` of each request, in order.
    log: Vec<String>,
}

/// The running hub; it stops when dropped.
pub(super) struct Hub {
    server: Arc<Server>,
    state: Arc<Mutex<State>>,
}

impl Hub {
    pub(super) fn start() -> Hub {
        let server = Arc::new(Server::http("127.0.0.1:0").unwrap());
        let state = Arc::new(Mutex::new(State { main: COMMIT.into(), ..State::default() }));
        let (running, shared) = (server.clone(), state.clone());
        std::thread::spawn(move || {
            for request in running.incoming_requests() {
                let delay = shared.lock().unwrap().delay;
                std::thread::sleep(delay);
                answer(request, &mut shared.lock().unwrap());
            }
        });
        Hub { server, state }
    }

    /// The address for HF_ENDPOINT.
    pub(super) fn endpoint(&self) -> String {
        format!("http://{}", self.server.server_addr())
    }

    pub(super) fn put(&self, repo: &str, file: &str, content: &[u8]) {
        let mut state = self.state.lock().unwrap();
        state.repos.entry(repo.into()).or_default().insert(file.into(), content.to_vec());
    }

    pub(super) fn remove(&self, repo: &str, file: &str) {
        self.state.lock().unwrap().repos.get_mut(repo).unwrap().remove(file);
    }

    /// Moves `main` to another commit.
    pub(super) fn commit(&self, commit: &str) {
        self.state.lock().unwrap().main = commit.into();
    }

    pub(super) fn fail_listing(&self, status: Option<u16>) {
        self.state.lock().unwrap().listing_status = status;
    }

    pub(super) fn fail_files(&self, status: Option<u16>) {
        self.state.lock().unwrap().file_status = status;
    }

    pub(super) fn redirect(&self, file: &str) {
        self.state.lock().unwrap().redirected.push(file.into());
    }

    pub(super) fn delay(&self, delay: Duration) {
        self.state.lock().unwrap().delay = delay;
    }

    /// The requests since the last call.
    pub(super) fn requests(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().log)
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.server.unblock();
    }
}

/// The etag of a content: anything that differs for other contents.
pub(super) fn etag(content: &[u8]) -> String {
    blake3::hash(content).to_hex()[..40].to_string()
}

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).unwrap()
}

fn plain(status: u16) -> Response<Cursor<Vec<u8>>> {
    Response::from_string("no").with_status_code(status)
}

fn answer(request: Request, state: &mut State) {
    let find = |name: &'static str| {
        let header = request.headers().iter().find(|h| h.field.equiv(name));
        header.map(|h| h.value.to_string()).unwrap_or_default()
    };
    let (path, range) = (request.url().to_string(), find("Range"));
    state.log.push(format!("{path} {range} {}", find("Authorization")).trim_end().to_string());
    let host = find("Host");
    let response = match path.strip_prefix("/api/models/") {
        Some(rest) => listing(rest, state),
        None => file(&path, &range, &host, state),
    };
    // A client that has hung up is none of our concern.
    let _ = request.respond(response);
}

fn listing(rest: &str, state: &State) -> Response<Cursor<Vec<u8>>> {
    if let Some(status) = state.listing_status {
        return plain(status);
    }
    let (repo, revision) = rest.split_once("/revision/").unwrap_or((rest, "main"));
    let Some(files) = state.repos.get(repo).filter(|_| revision == "main" || revision == state.main) else {
        return plain(404);
    };
    let siblings: Vec<_> = files.keys().map(|name| serde_json::json!({"rfilename": name})).collect();
    Response::from_string(serde_json::json!({"sha": state.main, "siblings": siblings}).to_string())
}

fn file(path: &str, range: &str, host: &str, state: &State) -> Response<Cursor<Vec<u8>>> {
    let (moved, path) = match path.strip_prefix("/cdn") {
        Some(rest) => (true, rest),
        None => (false, path),
    };
    let found = path.strip_prefix('/').and_then(|p| p.split_once("/resolve/"));
    let found = found.and_then(|(repo, rest)| Some((repo, rest.split_once('/')?.1)));
    let Some((content, name)) = found.and_then(|(repo, name)| Some((state.repos.get(repo)?.get(name)?, name))) else {
        return plain(404);
    };
    if let Some(status) = state.file_status {
        return plain(status);
    }
    let tag = format!("\"{}\"", etag(content));
    if !moved && state.redirected.iter().any(|r| r == name) {
        return plain(302)
            .with_header(header("X-Linked-Etag", &tag))
            .with_header(header("ETag", "\"of the pointer\""))
            .with_header(header("X-Repo-Commit", &state.main))
            .with_header(header("Location", &format!("http://{host}/cdn{path}")));
    }
    let (start, end) = range.strip_prefix("bytes=").and_then(|r| r.split_once('-')).unwrap_or(("0", ""));
    let start: usize = start.parse().unwrap();
    let end = end.parse().map_or(content.len(), |end: usize| (end + 1).min(content.len()));
    if start >= content.len() {
        return plain(416);
    }
    Response::from_data(&content[start..end])
        .with_status_code(206)
        .with_header(header("ETag", &tag))
        .with_header(header("X-Repo-Commit", &state.main))
        .with_header(header("Content-Range", &format!("bytes {start}-{}/{}", end - 1, content.len())))
}
