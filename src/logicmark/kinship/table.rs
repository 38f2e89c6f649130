//! What the words of kinship mean: each as ways to walk from one person to the other.
//!
//! "X is the uncle of Y" holds when one of the walks of `uncle` leads from Y to X and X is male. The moves are
//! `F` father, `M` mother, `P` either parent, `C` a child, `S` the spouse, `B` a brother or sister.

/// Male or female.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sex {
    /// A man or a boy.
    Male,
    /// A woman or a girl.
    Female,
}

impl Sex {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Sex::Male => Sex::Female,
            Sex::Female => Sex::Male,
        }
    }
}

/// A word of kinship.
#[derive(Debug, PartialEq, Eq)]
pub struct Relation {
    /// The word, in small letters.
    pub name: &'static str,
    /// The sex of the person so called, where the word says it.
    pub sex: Option<Sex>,
    /// The walks, any of which will do.
    pub walks: &'static [&'static str],
}

impl Relation {
    /// Whether everybody has several such relatives, so that nobody's is the only one: two grandfathers, for instance.
    #[must_use]
    pub fn several(&self) -> bool {
        self.walks.iter().all(|walk| matches!((*walk, self.sex), ("P", None) | ("PP" | "PPP", _)))
    }
}

const M: Option<Sex> = Some(Sex::Male);
const F: Option<Sex> = Some(Sex::Female);

const fn word(name: &'static str, sex: Option<Sex>, walks: &'static [&'static str]) -> Relation {
    Relation { name, sex, walks }
}

/// Every word there is.
pub static RELATIONS: &[Relation] = &[
    word("father", M, &["F"]),
    word("mother", F, &["M"]),
    word("parent", None, &["P"]),
    word("son", M, &["C"]),
    word("daughter", F, &["C"]),
    word("child", None, &["C"]),
    word("husband", M, &["S"]),
    word("wife", F, &["S"]),
    word("spouse", None, &["S"]),
    word("brother", M, &["B"]),
    word("sister", F, &["B"]),
    word("sibling", None, &["B"]),
    word("grandfather", M, &["PP"]),
    word("grandmother", F, &["PP"]),
    word("grandparent", None, &["PP"]),
    word("paternal grandfather", M, &["FP"]),
    word("paternal grandmother", F, &["FP"]),
    word("maternal grandfather", M, &["MP"]),
    word("maternal grandmother", F, &["MP"]),
    word("grandson", M, &["CC"]),
    word("granddaughter", F, &["CC"]),
    word("grandchild", None, &["CC"]),
    word("great-grandfather", M, &["PPP"]),
    word("great-grandmother", F, &["PPP"]),
    word("great-grandson", M, &["CCC"]),
    word("great-granddaughter", F, &["CCC"]),
    word("uncle", M, &["PB", "PBS"]),
    word("aunt", F, &["PB", "PBS"]),
    word("paternal uncle", M, &["FB", "FBS"]),
    word("paternal aunt", F, &["FB", "FBS"]),
    word("maternal uncle", M, &["MB", "MBS"]),
    word("maternal aunt", F, &["MB", "MBS"]),
    word("nephew", M, &["BC", "SBC"]),
    word("niece", F, &["BC", "SBC"]),
    word("great-uncle", M, &["PPB", "PPBS"]),
    word("great-aunt", F, &["PPB", "PPBS"]),
    word("great-nephew", M, &["BCC", "SBCC"]),
    word("great-niece", F, &["BCC", "SBCC"]),
    word("cousin", None, &["PBC"]),
    word("father-in-law", M, &["SP"]),
    word("mother-in-law", F, &["SP"]),
    word("son-in-law", M, &["CS"]),
    word("daughter-in-law", F, &["CS"]),
    word("brother-in-law", M, &["SB", "BS"]),
    word("sister-in-law", F, &["SB", "BS"]),
];

/// The relation of this name.
#[must_use]
pub fn relation(name: &str) -> Option<&'static Relation> {
    RELATIONS.iter().find(|relation| relation.name == name)
}
