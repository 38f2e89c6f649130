//! Random theories with a conclusion each, by seed: rules and facts as in reading tests, quantifier prefixes with and
//! without alternation, functions, equality, unique names, and premises that contradict themselves.

use llscore::logic::{Formula, Term};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Premises and a conclusion.
pub struct Theory {
    /// Which generator made it: one of [`KINDS`].
    pub kind: &'static str,
    /// The premises.
    pub premises: Vec<Formula>,
    /// The conclusion.
    pub conclusion: Formula,
    /// Whether different constants are taken to name different things.
    pub unique_names: bool,
}

/// The generators. After Skolemization only `alternation` and `functions`, and few of `rules`, have functions.
pub const KINDS: [&str; 7] = ["rules", "epr", "alternation", "functions", "equality", "names", "inconsistent"];

/// The theory of a seed and a number, the same on every machine.
pub fn theory(seed: u64, number: u64) -> Theory {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    // Rules are what the data sets hold, so they come most often.
    let kind = KINDS[[0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 6][rng.random_range(0..11)]];
    let mut maker = Maker::new(rng, kind);
    let premises = maker.premises(kind);
    let conclusion = maker.conclusion(kind, &premises);
    Theory { kind, premises, conclusion, unique_names: kind == "names" }
}

struct Maker {
    rng: ChaCha8Rng,
    /// Name and number of arguments.
    predicates: Vec<(String, usize)>,
    constants: Vec<String>,
    /// Name and number of arguments.
    functions: Vec<(String, usize)>,
    /// How many of a hundred atoms are equations.
    equations: u32,
}

impl Maker {
    fn new(mut rng: ChaCha8Rng, kind: &str) -> Self {
        let (unary, binary, constants) = match kind {
            "rules" | "inconsistent" => (3..7, 0..3, 2..4),
            "equality" | "names" => (1..4, 0..2, 2..4),
            _ => (2..4, 1..3, 1..3),
        };
        let mut predicates: Vec<_> = (0..rng.random_range(unary)).map(|i| (format!("P{i}"), 1)).collect();
        predicates.extend((0..rng.random_range(binary)).map(|i| (format!("R{i}"), 2)));
        if rng.random_range(0..4) == 0 {
            predicates.push(("Rain".into(), 0));
        }
        let constants = (0..rng.random_range(constants)).map(|i| format!("c{i}")).collect();
        let functions = match kind {
            "functions" if rng.random_range(0..3) == 0 => vec![("f".into(), 1), ("g".into(), 2)],
            "functions" => vec![("f".into(), 1)],
            _ => Vec::new(),
        };
        let equations = match kind {
            "equality" | "names" => 40,
            "functions" => 15,
            _ => 0,
        };
        Maker { rng, predicates, constants, functions, equations }
    }

    fn chance(&mut self, of_hundred: u32) -> bool {
        self.rng.random_range(0..100) < of_hundred
    }
    fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.rng.random_range(0..all.len())].clone()
    }

    fn term(&mut self, vars: &[String], depth: usize) -> Term {
        if depth > 0 && !self.functions.is_empty() && self.chance(35) {
            let functions = self.functions.clone();
            let (f, arity) = self.one_of(&functions);
            return Term::App(f.as_str().into(), (0..arity).map(|_| self.term(vars, depth - 1)).collect());
        }
        if !vars.is_empty() && self.chance(75) {
            return Term::var(&self.one_of(vars));
        }
        let constants = self.constants.clone();
        Term::constant(&self.one_of(&constants))
    }

    fn atom(&mut self, vars: &[String]) -> Formula {
        if self.chance(self.equations) {
            return Formula::Eq(self.term(vars, 2), self.term(vars, 1));
        }
        let predicates = self.predicates.clone();
        let (p, arity) = self.one_of(&predicates);
        Formula::pred(&p, (0..arity).map(|_| self.term(vars, 2)).collect())
    }

    fn literal(&mut self, vars: &[String]) -> Formula {
        let atom = self.atom(vars);
        if self.chance(35) { Formula::not(atom) } else { atom }
    }

    /// Any formula without quantifiers.
    fn matrix(&mut self, vars: &[String], depth: usize) -> Formula {
        if depth == 0 || self.chance(15) {
            return self.literal(vars);
        }
        match self.rng.random_range(0..12) {
            0..3 => Formula::or((0..self.rng.random_range(2..4)).map(|_| self.matrix(vars, depth - 1)).collect()),
            3..5 => Formula::and((0..self.rng.random_range(2..4)).map(|_| self.matrix(vars, depth - 1)).collect()),
            5..8 => Formula::implies(self.matrix(vars, depth - 1), self.matrix(vars, depth - 1)),
            8 => Formula::iff(self.matrix(vars, depth - 1), self.matrix(vars, depth - 1)),
            9 => Formula::xor(self.matrix(vars, depth - 1), self.matrix(vars, depth - 1)),
            10 => Formula::not(self.matrix(vars, depth - 1)),
            _ => self.literal(vars),
        }
    }

    /// A rule as people write them.
    fn rule(&mut self) -> Formula {
        let x = ["x".to_string()];
        let body = match self.rng.random_range(0..3) {
            0 => Formula::and(vec![self.literal(&x), self.literal(&x)]),
            _ => self.literal(&x),
        };
        let head = match self.rng.random_range(0..8) {
            0 => Formula::or(vec![self.literal(&x), self.literal(&x)]),
            1 => Formula::xor(self.literal(&x), self.literal(&x)),
            2 => {
                let both = ["x".to_string(), "y".to_string()];
                Formula::exists("y", Formula::and(vec![self.atom(&both), self.literal(&both)]))
            }
            _ => self.literal(&x),
        };
        match self.rng.random_range(0..12) {
            0 => Formula::for_all("x", Formula::iff(body, head)),
            1 => Formula::exists("x", Formula::and(vec![body, head])),
            2 => Formula::for_all("x", Formula::xor(body, head)),
            3 => Formula::not(Formula::exists("x", Formula::and(vec![body, head]))),
            4 => self.matrix(&[], 2),
            _ => Formula::for_all("x", Formula::implies(body, head)),
        }
    }

    /// A prefix and a matrix; `exists` says which of the variables are bound by ∃.
    fn prenex(&mut self, exists: &[bool], depth: usize) -> Formula {
        let vars: Vec<String> = (0..exists.len()).map(|i| format!("x{i}")).collect();
        let matrix = self.matrix(&vars, depth);
        vars.iter().zip(exists).rev().fold(matrix, |body, (x, exists)| {
            if *exists { Formula::exists(x, body) } else { Formula::for_all(x, body) }
        })
    }

    fn premise(&mut self, kind: &str) -> Formula {
        match kind {
            "rules" | "inconsistent" if self.chance(40) => self.literal(&[]),
            "rules" | "inconsistent" => self.rule(),
            "epr" => {
                let some = self.rng.random_range(0..3);
                let all = self.rng.random_range(0..3);
                let prefix: Vec<bool> = (0..some).map(|_| true).chain((0..all).map(|_| false)).collect();
                self.prenex(&prefix, 2)
            }
            "alternation" => {
                let prefix: Vec<bool> = (0..self.rng.random_range(1..4)).map(|_| self.chance(50)).collect();
                self.prenex(&prefix, 2)
            }
            // How many things there are, or how many are something.
            "equality" | "names" if self.chance(25) => {
                let n = self.rng.random_range(1..4);
                let vars: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
                let is: Vec<Formula> = vars.iter().map(|x| Formula::Eq(Term::var("y"), Term::var(x))).collect();
                let all = Formula::for_all("y", Formula::implies(self.literal(&["y".to_string()]), Formula::or(is)));
                vars.iter().fold(all, |body, x| Formula::exists(x, body))
            }
            _ => {
                let prefix: Vec<bool> = (0..self.rng.random_range(0..3)).map(|_| self.chance(20)).collect();
                self.prenex(&prefix, 2)
            }
        }
    }

    fn premises(&mut self, kind: &str) -> Vec<Formula> {
        let count = match kind {
            "rules" => self.rng.random_range(4..10),
            "inconsistent" => self.rng.random_range(4..8),
            _ => self.rng.random_range(2..5),
        };
        let mut premises: Vec<Formula> = (0..count).map(|_| self.premise(kind)).collect();
        if kind == "inconsistent" {
            // What follows from two of them, denied; most such sets contradict themselves through a rule.
            let weaker = self.consequence(&premises);
            premises.push(Formula::not(weaker));
        }
        premises
    }

    /// Something that follows from the premises, by construction.
    fn consequence(&mut self, premises: &[Formula]) -> Formula {
        let (a, b) = (self.one_of(premises), self.one_of(premises));
        let c = self.literal(&[]);
        match self.rng.random_range(0..6) {
            0 => Formula::or(vec![c, a]),
            1 => Formula::implies(Formula::implies(a, c.clone()), Formula::and(vec![b, c])),
            2 => Formula::not(Formula::xor(a, b)),
            3 => self.instance(&a),
            4 => Formula::and(vec![self.instance(&a), self.instance(&b)]),
            _ => {
                let instance = self.instance(&a);
                Formula::implies(Formula::not(instance), c)
            }
        }
    }

    /// The formula with a constant for each outer ∀.
    fn instance(&mut self, f: &Formula) -> Formula {
        match f {
            Formula::ForAll(x, body) => {
                let value = self.term(&[], 1);
                let body = body.substitute(&[(x.clone(), value)].into());
                self.instance(&body)
            }
            _ => f.clone(),
        }
    }

    fn conclusion(&mut self, kind: &str, premises: &[Formula]) -> Formula {
        match self.rng.random_range(0..10) {
            0..2 => self.consequence(premises),
            2 => Formula::not(self.consequence(premises)),
            3..7 => self.literal(&[]),
            7 => self.matrix(&[], 2),
            _ => self.premise(kind),
        }
    }
}
