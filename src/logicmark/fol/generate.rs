//! Makes items: a theory, a question of one of six kinds, base and rewritten premises in words.

use serde_json::{Value, json};

use super::theory::Theory;
use super::vocabulary::Vocabulary;
use crate::logic::{Formula, Limits, Syntax, Verdict, derive, prove};
use crate::logicmark::english::{read, rewrite, say::Speaker};
use crate::logicmark::{Draw, Slot, Wording};

/// The endings, in this order.
pub(super) const ENDINGS: [&str; 3] = ["True", "False", "Unknown"];

/// Rewrites of one premise.
const MOST_REWRITES: usize = 4;
/// The longest sentence that a rewrite may lead to, in words.
const LONGEST: usize = 36;

/// One group.
pub(super) fn draw(draw: &mut Draw, slot: &Slot) -> Option<Vec<Wording>> {
    let hops = slot.hops as usize;
    let mut vocabulary = Vocabulary::draw(draw);
    let theory = Theory::draw(draw, &mut vocabulary, hops)?;
    holds(&theory, hops)?;
    // The label says what is true of the statement; whether it affirms or denies is drawn apart from that.
    let affirms = draw.below(2) == 0;
    let denied = |formula: &Formula| match formula {
        Formula::Not(inner) => (**inner).clone(),
        other => Formula::not(other.clone()),
    };
    let statement = match (slot.label, affirms) {
        (0, true) => theory.truth.clone(),
        (0, false) => theory.denial.clone(),
        (1, true) => denied(&theory.denial),
        (1, false) => denied(&theory.truth),
        (_, true) => theory.open.clone(),
        (_, false) => denied(&theory.open),
    };
    let statement = spoken(draw, &vocabulary, &statement)?;
    let question = match draw.below(3) {
        0 => format!("Is the following statement true, false or unknown? {statement}"),
        1 => format!("Judge this statement by what is known: is it true, false or unknown? {statement}"),
        _ => format!("By what has been said, is this true, false or unknown? {statement}"),
    };
    let about = &vocabulary.about;
    let opening = match draw.below(3) {
        0 => format!("The following is known about {about}."),
        1 => format!("This is all that is known about {about}."),
        _ => format!("What follows is true of {about}."),
    };
    let claim = ENDINGS[slot.label].to_lowercase();
    let mut base = Vec::new();
    for premise in &theory.premises {
        base.push(spoken(draw, &vocabulary, premise)?);
    }
    let mut certificate = json!({ "method": "entailment", "claim": claim });
    if slot.label == 2 {
        certificate["missing"] = spoken(draw, &vocabulary, &theory.missing)?.into();
    }
    let mut rewritten = Vec::new();
    let mut steps: Vec<Vec<&str>> = Vec::new();
    for premise in &theory.premises {
        let (sentence, names) = obfuscated(draw, &vocabulary, premise)?;
        rewritten.push(sentence);
        steps.push(names);
    }
    let formulas: Vec<String> =
        theory.premises.iter().map(|premise| premise.print(Syntax::Folio).ok()).collect::<Option<_>>()?;
    let wording = |extra: usize, sentences: &[String], certificate: Value| Wording {
        extra_hops: extra as u32,
        context: format!("{opening} {}", sentences.join(" ")),
        question: Some(question.clone()),
        endings: ENDINGS.map(String::from).to_vec(),
        certificate,
    };
    let mut of_rewritten = certificate.clone();
    of_rewritten["base"] = formulas.into();
    of_rewritten["rewrites"] = json!(steps);
    let extra = steps.iter().map(Vec::len).sum();
    Some(vec![wording(0, &base, certificate), wording(extra, &rewritten, of_rewritten)])
}

/// A sentence that is read back as the formula that it is to say.
fn spoken(draw: &mut Draw, vocabulary: &Vocabulary, formula: &Formula) -> Option<String> {
    // A form that is not read back, or in two ways, is no use; there are others.
    (0..6).find_map(|_| {
        let sentence = Speaker::new(&vocabulary.lexicon, draw).sentence(formula)?;
        let back = read::sentence(sentence.strip_suffix('.')?).ok()?;
        super::same(&back, formula).then_some(sentence)
    })
}

/// A premise after one to four rewrites, spoken, and their names.
fn obfuscated(draw: &mut Draw, vocabulary: &Vocabulary, premise: &Formula) -> Option<(String, Vec<&'static str>)> {
    for _ in 0..60 {
        let (mut formula, mut names) = (premise.clone(), Vec::new());
        for _ in 0..1 + draw.below(MOST_REWRITES) {
            // A rewrite after which nobody could follow is not made.
            if let Some((name, new)) = rewrite::once(draw, &formula).filter(|(_, new)| can_be_followed(new)) {
                names.push(name);
                formula = new;
            }
        }
        if names.is_empty() || super::same(&formula, premise) {
            continue;
        }
        if let Some(sentence) = spoken(draw, vocabulary, &formula)
            && sentence.split(' ').count() <= LONGEST
            // Of the clumsiest form a few will do.
            && (!sentence.contains("it holds that") || draw.below(3) == 0)
        {
            return Some((sentence, names));
        }
    }
    None
}

/// All that the theory promises holds: verdicts, and depths exactly.
fn holds(theory: &Theory, hops: usize) -> Option<()> {
    let limits = Limits::default();
    let verdict = |formula: &Formula| prove(&theory.premises, formula, &limits).ok().map(|answer| answer.verdict);
    let depth = |premises: &[Formula], formula: &Formula| {
        derive::shortest(premises, formula, hops + 1, &limits).ok()?.derivation().map(|derivation| derivation.count)
    };
    let entailed = [&theory.truth, &theory.denial];
    let right = entailed.iter().all(|formula| verdict(formula) == Some(Verdict::Entailed))
        && verdict(&theory.open) == Some(Verdict::Unknown)
        && entailed.iter().all(|formula| depth(&theory.premises, formula) == Some(hops));
    let mut more = theory.premises.clone();
    more.push(theory.missing.clone());
    let near = [theory.open.clone(), Formula::not(theory.open.clone())];
    let near = near.iter().filter_map(|formula| depth(&more, formula)).min();
    (right && near == Some(hops)).then_some(())
}

/// At most one doubled negation and none tripled, and no conjunction within a conjunction nor disjunction within a
/// disjunction: `both both …` is a riddle of another kind.
fn can_be_followed(formula: &Formula) -> bool {
    if let Formula::Not(inner) = formula
        && let Formula::Not(inner) = &**inner
        && let Formula::Not(inner) = &**inner
    {
        // Of a denied fact there is no other rewrite.
        return matches!(**inner, Formula::Pred(..));
    }
    let mut doubled = 0;
    followed(formula, &mut doubled) && doubled <= 1
}

fn followed(formula: &Formula, doubled: &mut usize) -> bool {
    match formula {
        Formula::Not(inner) => {
            if let Formula::Not(next) = &**inner {
                *doubled += 1;
                if matches!(**next, Formula::Not(_)) {
                    return false;
                }
            }
            followed(inner, doubled)
        }
        Formula::And(parts) => parts.iter().all(|part| !matches!(part, Formula::And(_)) && followed(part, doubled)),
        Formula::Or(parts) => {
            parts.iter().all(|part| !matches!(part, Formula::Or(_) | Formula::Xor(..)) && followed(part, doubled))
        }
        Formula::Xor(a, b) | Formula::Implies(a, b) | Formula::Iff(a, b) => {
            let nested = |part: &Formula| matches!(part, Formula::Xor(..) | Formula::Iff(..));
            !nested(a) && !nested(b) && followed(a, doubled) && followed(b, doubled)
        }
        Formula::ForAll(_, body) | Formula::Exists(_, body) => followed(body, doubled),
        _ => true,
    }
}
