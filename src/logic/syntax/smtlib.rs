//! Theories to SMT-LIB 2.6, for z3, cvc5 and other solvers: one sort `U` without further meaning, the premises and the
//! negated conclusion asserted, so that `unsat` says that the conclusion follows.
//!
//! A symbol has one signature in SMT-LIB: where a name is both predicate and function or has two numbers of arguments,
//! the first use keeps the name and others get `_p2`, `_f0` and so on; so do names that mean something to solvers
//! (`and`, `select`). Each such change is told in a comment.

use std::fmt::Write;

use super::symbols::{Rules, Symbols, Variables, closed};
use crate::logic::formula::{Formula, Term};

/// Reserved words, the theory of Booleans, and what solvers define beyond it.
const RESERVED: &[&str] = &[
    "!",
    "_",
    "as",
    "BINARY",
    "DECIMAL",
    "exists",
    "HEXADECIMAL",
    "forall",
    "let",
    "lambda",
    "match",
    "NUMERAL",
    "par",
    "STRING",
    "true",
    "false",
    "not",
    "and",
    "or",
    "xor",
    "=>",
    "=",
    "distinct",
    "ite",
    "if",
    "implies",
    "iff",
    "Bool",
    "U",
    "-",
    "+",
    "*",
    "/",
    "<",
    "<=",
    ">",
    ">=",
    "div",
    "mod",
    "rem",
    "abs",
    "select",
    "store",
    "const",
    "map",
    "concat",
    "extract",
    "repeat",
    "is",
    "is_int",
    "to_int",
    "to_real",
    "default",
    "union",
    "subset",
    "complement",
    "int2bv",
    "bv2int",
    "at-most",
    "at-least",
    "update-field",
    "pi",
    "euler",
    "sin",
    "cos",
    "tan",
    "divisible",
];

const RULES: Rules = Rules { allowed: |c| !c.is_control() && c != '|' && c != '\\', reserved: RESERVED };

/// The theory as an SMT-LIB script that ends in `(check-sat)`; with `unique_names` all constants are `distinct`.
pub fn smtlib(premises: &[Formula], conclusion: Option<&Formula>, unique_names: bool) -> String {
    let symbols = Symbols::of(premises.iter().chain(conclusion), &RULES);
    let mut out = String::new();
    for (symbol, name) in symbols.renamed() {
        let what = if symbol.predicate { "predicate" } else { "function" };
        out += &format!("; {} stands for the {what} {:?} of {} argument(s)\n", quoted(name), symbol.name, symbol.arity);
    }
    out.push_str("(set-logic UF)\n(declare-sort U 0)\n");
    for symbol in &symbols.order {
        let name = quoted(symbols.name(&symbol.name, symbol.predicate, symbol.arity));
        let result = if symbol.predicate { "Bool" } else { "U" };
        out += &format!("(declare-fun {name} ({}) {result})\n", vec!["U"; symbol.arity].join(" "));
    }
    let constants: Vec<String> = symbols.constants().map(|s| quoted(symbols.name(&s.name, false, 0))).collect();
    if unique_names && constants.len() > 1 {
        out += &format!("(assert (distinct {}))\n", constants.join(" "));
    }
    for premise in premises {
        out.push_str("(assert ");
        write_formula(&mut out, &closed(premise), &symbols, &mut Variables::new(&symbols));
        out.push_str(")\n");
    }
    if let Some(conclusion) = conclusion {
        out.push_str("(assert (not ");
        write_formula(&mut out, &closed(conclusion), &symbols, &mut Variables::new(&symbols));
        out.push_str("))\n");
    }
    out.push_str("(check-sat)\n");
    out
}

fn write_formula(out: &mut String, formula: &Formula, symbols: &Symbols, variables: &mut Variables<'_>) {
    let head = match formula {
        Formula::Pred(name, args) => {
            let name = quoted(symbols.name(name, true, args.len()));
            return write_application(out, &name, args, symbols, variables);
        }
        Formula::Eq(s, t) => {
            out.push_str("(= ");
            write_term(out, s, symbols, variables);
            out.push(' ');
            write_term(out, t, symbols, variables);
            out.push(')');
            return;
        }
        Formula::ForAll(x, body) | Formula::Exists(x, body) => {
            let sign = if matches!(formula, Formula::ForAll(..)) { "forall" } else { "exists" };
            let variable = variables.bind(x, x.replace(['|', '\\'], "_"));
            let _ = write!(out, "({sign} (({} U)) ", quoted(&variable));
            write_formula(out, body, symbols, variables);
            out.push(')');
            variables.leave();
            return;
        }
        Formula::And(parts) | Formula::Or(parts) if parts.len() == 1 => {
            return write_formula(out, &parts[0], symbols, variables);
        }
        Formula::True => return out.push_str("true"),
        Formula::False => return out.push_str("false"),
        Formula::And(parts) if parts.is_empty() => return out.push_str("true"),
        Formula::Or(parts) if parts.is_empty() => return out.push_str("false"),
        Formula::Not(_) => "(not",
        Formula::And(_) => "(and",
        Formula::Or(_) => "(or",
        Formula::Xor(..) => "(xor",
        Formula::Implies(..) => "(=>",
        Formula::Iff(..) => "(=",
    };
    out.push_str(head);
    for part in formula.parts() {
        out.push(' ');
        write_formula(out, part, symbols, variables);
    }
    out.push(')');
}

fn write_term(out: &mut String, term: &Term, symbols: &Symbols, variables: &Variables<'_>) {
    match term {
        Term::Var(x) => out.push_str(&quoted(variables.name(x))),
        Term::App(name, args) => {
            let name = quoted(symbols.name(name, false, args.len()));
            write_application(out, &name, args, symbols, variables);
        }
    }
}

fn write_application(out: &mut String, name: &str, args: &[Term], symbols: &Symbols, variables: &Variables<'_>) {
    if args.is_empty() {
        return out.push_str(name);
    }
    let _ = write!(out, "({name}");
    for arg in args {
        out.push(' ');
        write_term(out, arg, symbols, variables);
    }
    out.push(')');
}

/// The name as a plain symbol, or between bars.
fn quoted(name: &str) -> String {
    let plain = !name.starts_with(|c: char| c.is_ascii_digit() || c == '@' || c == '.')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "~!$%^&*_-+=<>.?/".contains(c))
        && !RESERVED.contains(&name);
    if plain { name.to_string() } else { format!("|{name}|") }
}
