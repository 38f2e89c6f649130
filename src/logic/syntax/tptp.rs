//! Theories to the TPTP language (FOF), for E, Vampire and other provers.
//!
//! A name that is no lower-case word stands in single quotes. TPTP knows ASCII only, so that any other character
//! becomes `_u` and its number. FOF provers (E is one) refuse a symbol that is both predicate and function or has two
//! numbers of arguments: the first use keeps the name, others get `_p2`, `_f0` and so on. Each such change is told in
//! a comment.

use std::fmt::Write;

use super::symbols::{Rules, Symbols, Variables, closed};
use crate::logic::formula::{Formula, Name, Term};

const RULES: Rules = Rules { allowed: |c| (' '..='~').contains(&c), reserved: &[] };

/// The theory as TPTP: each premise an axiom, the conclusion a conjecture; with `unique_names` one more axiom says that
/// all constants differ.
pub fn tptp(premises: &[Formula], conclusion: Option<&Formula>, unique_names: bool) -> String {
    let symbols = Symbols::of(premises.iter().chain(conclusion), &RULES);
    let mut out = String::new();
    for (symbol, name) in symbols.renamed() {
        let what = if symbol.predicate { "predicate" } else { "function" };
        out += &format!("% {} stands for the {what} {:?} of {} argument(s)\n", word(name), symbol.name, symbol.arity);
    }
    for (i, premise) in premises.iter().enumerate() {
        statement(&mut out, &format!("premise_{}", i + 1), "axiom", premise, &symbols);
    }
    let constants: Vec<String> = symbols.constants().map(|s| word(symbols.name(&s.name, false, 0))).collect();
    if unique_names && constants.len() > 1 {
        let pairs = constants.iter().enumerate().flat_map(|(i, a)| constants[i + 1..].iter().map(move |b| (a, b)));
        let all: Vec<String> = pairs.map(|(a, b)| format!("{a} != {b}")).collect();
        out += &format!("fof(unique_names, axiom, ({})).\n", all.join(" & "));
    }
    if let Some(conclusion) = conclusion {
        statement(&mut out, "conclusion", "conjecture", conclusion, &symbols);
    }
    out
}

fn statement(out: &mut String, name: &str, role: &str, formula: &Formula, symbols: &Symbols) {
    let _ = write!(out, "fof({name}, {role}, ");
    write_formula(out, &closed(formula), symbols, &mut Variables::new(symbols));
    out.push_str(").\n");
}

/// A formula that may stand as a part of any other: whatever has an operator is in parentheses.
fn write_formula(out: &mut String, formula: &Formula, symbols: &Symbols, variables: &mut Variables<'_>) {
    let mut infix = |sign: &str, parts: &[&Formula]| {
        for (i, part) in parts.iter().enumerate() {
            out.push_str(if i == 0 { "(" } else { sign });
            write_formula(out, part, symbols, variables);
        }
        out.push(')');
    };
    match formula {
        Formula::And(parts) if !parts.is_empty() => infix(" & ", &parts.iter().collect::<Vec<_>>()),
        Formula::Or(parts) if !parts.is_empty() => infix(" | ", &parts.iter().collect::<Vec<_>>()),
        Formula::Xor(a, b) => infix(" <~> ", &[a, b]),
        Formula::Implies(a, b) => infix(" => ", &[a, b]),
        Formula::Iff(a, b) => infix(" <=> ", &[a, b]),
        Formula::True | Formula::And(_) => out.push_str("$true"),
        Formula::False | Formula::Or(_) => out.push_str("$false"),
        Formula::Pred(name, args) => {
            out.push_str(&word(symbols.name(name, true, args.len())));
            write_args(out, args, symbols, variables);
        }
        Formula::Eq(s, t) => write_equation(out, s, " = ", t, symbols, variables),
        Formula::Not(inner) => match &**inner {
            Formula::Eq(s, t) => write_equation(out, s, " != ", t, symbols, variables),
            _ => {
                out.push('~');
                write_formula(out, inner, symbols, variables);
            }
        },
        Formula::ForAll(x, body) | Formula::Exists(x, body) => {
            let variable = variables.bind(x, upper(x));
            let sign = if matches!(formula, Formula::ForAll(..)) { '!' } else { '?' };
            let _ = write!(out, "{sign}[{variable}]: ");
            write_formula(out, body, symbols, variables);
            variables.leave();
        }
    }
}

fn write_equation(out: &mut String, s: &Term, sign: &str, t: &Term, symbols: &Symbols, variables: &Variables<'_>) {
    out.push('(');
    write_term(out, s, symbols, variables);
    out.push_str(sign);
    write_term(out, t, symbols, variables);
    out.push(')');
}

fn write_term(out: &mut String, term: &Term, symbols: &Symbols, variables: &Variables<'_>) {
    match term {
        Term::Var(x) => out.push_str(variables.name(x)),
        Term::App(name, args) => {
            out.push_str(&word(symbols.name(name, false, args.len())));
            write_args(out, args, symbols, variables);
        }
    }
}

fn write_args(out: &mut String, args: &[Term], symbols: &Symbols, variables: &Variables<'_>) {
    for (i, arg) in args.iter().enumerate() {
        out.push(if i == 0 { '(' } else { ',' });
        write_term(out, arg, symbols, variables);
    }
    if !args.is_empty() {
        out.push(')');
    }
}

/// The name as a lower-case word, or in quotes.
fn word(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain { name.to_string() } else { format!("'{}'", name.replace('\\', "\\\\").replace('\'', "\\'")) }
}

/// The name as an upper-case word.
fn upper(name: &Name) -> String {
    let kept: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    match kept.chars().next() {
        Some(c) if c.is_ascii_alphabetic() => c.to_ascii_uppercase().to_string() + &kept[1..],
        _ => format!("V{kept}"),
    }
}
