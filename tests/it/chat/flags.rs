//! `--chat-template`, through the built program.
