//! Requests to a token trie: each distinct prefix stands once, so that each distinct token is computed once.
//!
//! A node holds a maximal unbranched stretch of tokens (a *run*). Children keep the order in which requests brought them,
//! so that walking the trie depth-first meets the requests nearly in their own order.

use std::collections::HashMap;

use super::request::Request;

/// Index of the root, which holds no tokens.
pub const ROOT: u32 = 0;

/// A run of tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// The run before; `None` for the root.
    pub parent: Option<u32>,
    /// Position of the first token.
    pub start: u32,
    /// The tokens.
    pub tokens: Vec<u32>,
    /// The runs after, in the order of their first request.
    pub children: Vec<u32>,
    /// What is to be scored, by offset in the run.
    pub scored: Vec<Scored>,
}

/// A target to be scored after a token of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scored {
    /// Offset of the predicting token in its run.
    pub offset: u32,
    /// The id whose log-probability is asked for.
    pub target: u32,
    /// The slots that want it.
    pub slots: Vec<u32>,
}

/// A trie of token ids. Node 0 is the root.
#[derive(Clone, Debug, Default)]
pub struct Trie {
    nodes: Vec<Node>,
}

impl Trie {
    /// The trie of some requests, each with its first slot; the others follow, one for each scored id.
    pub fn new(requests: &[(&Request, u32)]) -> Self {
        let mut trie = Self { nodes: vec![Node::default()] };
        let mut next: HashMap<(u32, u32), u32> = HashMap::new();
        for (request, _) in requests {
            trie.insert(request.inputs(), &mut next);
        }
        for (request, slot) in requests {
            trie.mark(request, *slot, &next);
        }
        trie
    }

    /// The nodes; a parent may come after its children.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Number of tokens in all runs.
    pub fn tokens(&self) -> usize {
        self.nodes.iter().map(|n| n.tokens.len()).sum()
    }

    fn insert(&mut self, ids: &[u32], next: &mut HashMap<(u32, u32), u32>) {
        let (mut at, mut node) = (0, ROOT);
        while at < ids.len() {
            let Some(&child) = next.get(&(node, ids[at])) else {
                let end = &mut self.nodes[node as usize];
                if node != ROOT && end.children.is_empty() {
                    // The request goes on where an earlier one ended.
                    end.tokens.extend(&ids[at..]);
                    return;
                }
                let new = self.nodes.len() as u32;
                self.nodes.push(Node {
                    parent: Some(node),
                    start: at as u32,
                    tokens: ids[at..].to_vec(),
                    ..Node::default()
                });
                self.nodes[node as usize].children.push(new);
                next.insert((node, ids[at]), new);
                return;
            };
            let tokens = &self.nodes[child as usize].tokens;
            let same = tokens.iter().zip(&ids[at..]).take_while(|(a, b)| a == b).count();
            at += same;
            if same < tokens.len() && at < ids.len() {
                self.split(child, same, next);
            }
            node = child;
        }
    }

    /// Cuts a run in two at an offset; the second half becomes the only child of the first.
    fn split(&mut self, node: u32, offset: usize, next: &mut HashMap<(u32, u32), u32>) {
        let new = self.nodes.len() as u32;
        let n = &mut self.nodes[node as usize];
        let tail = n.tokens.split_off(offset);
        let children = std::mem::replace(&mut n.children, vec![new]);
        let start = n.start + offset as u32;
        for &child in &children {
            self.nodes[child as usize].parent = Some(new);
            let token = self.nodes[child as usize].tokens[0];
            next.remove(&(node, token));
            next.insert((new, token), child);
        }
        next.insert((node, tail[0]), new);
        self.nodes.push(Node { parent: Some(node), start, tokens: tail, children, scored: Vec::new() });
    }

    /// Attaches a request's targets to the tokens that predict them.
    fn mark(&mut self, request: &Request, first_slot: u32, next: &HashMap<(u32, u32), u32>) {
        let (inputs, context) = (request.inputs(), request.context_len());
        let (mut at, mut node) = (0, ROOT);
        while at < inputs.len() {
            let Some(&child) = next.get(&(node, inputs[at])) else { return };
            let run = &mut self.nodes[child as usize];
            let end = (at + run.tokens.len()).min(inputs.len());
            for position in at.max(context - 1)..end {
                let (offset, target) = ((position - at) as u32, request.ids()[position + 1]);
                let slot = first_slot + (position + 1 - context) as u32;
                match run.scored.iter_mut().rev().find(|s| s.offset == offset && s.target == target) {
                    Some(s) => s.slots.push(slot),
                    None => run.scored.push(Scored { offset, target, slots: vec![slot] }),
                }
            }
            (at, node) = (end, child);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(ids: &[u32], context: usize) -> Request {
        Request::new(ids.to_vec(), context).unwrap()
    }

    #[test]
    fn shared_prefixes_stand_once_and_branches_split_runs() {
        let requests = [request(&[1, 2, 3, 4, 9], 3), request(&[1, 2, 3, 5, 9], 3), request(&[1, 2, 7, 9], 2)];
        let trie = Trie::new(&[(&requests[0], 0), (&requests[1], 2), (&requests[2], 4)]);
        // inputs 1 2 3 4, 1 2 3 5, 1 2 7: distinct prefixes are 1, 12, 123, 1234, 1235, 127
        assert_eq!(trie.tokens(), 6);
        let run = |tokens: &[u32]| trie.nodes().iter().find(|n| n.tokens == tokens).unwrap();
        assert_eq!((run(&[1, 2]).start, run(&[3]).start, run(&[7]).start), (0, 2, 2));
        assert_eq!(run(&[1, 2]).children.len(), 2);
    }

    #[test]
    fn endings_that_differ_only_in_their_last_token_share_every_row() {
        let requests = [request(&[1, 2, 8], 2), request(&[1, 2, 9], 2), request(&[1, 2, 8], 2)];
        let trie = Trie::new(&[(&requests[0], 0), (&requests[1], 1), (&requests[2], 2)]);
        assert_eq!(trie.tokens(), 2);
        let scored: Vec<_> = trie.nodes().iter().flat_map(|n| n.scored.clone()).collect();
        assert_eq!(
            scored,
            vec![Scored { offset: 1, target: 8, slots: vec![0, 2] }, Scored { offset: 1, target: 9, slots: vec![1] }]
        );
    }
}
