//! Data sets of others to items: one small file a format, behind one trait.
//!
//! **The law.** A *record* is what poses one question (a line, a row, a statement of a context). Each record gives an item,
//! or a [`Defect`], or both; one that gives no item has a defect that is marked `dropped`. Nothing of the source is lost:
//! `meta.source` holds the record verbatim, and `meta.formulas` the formulas as they are spelt.
//!
//! **Ids** are the file's stem and the record's 0-based row, `folio-validation-000017`, and where a record gives several
//! items, what tells them apart: `…/l1`. Files of one stem get the names of their folders before it. An id that is taken
//! all the same gets `~2`, `~3`, … behind it.
//!
//! **Labels** become endings, spelt as in the source and in its order. `meta.gold` is `entailed`, `contradicted` or
//! `unknown` where the label says so.

mod answer;
mod clutrr;
mod csv;
mod defect;
mod folio;
mod formulas;
mod hellaswag;
mod json;
mod lm_eval;
mod logicbench;
mod logicnli;
mod logiqa;
mod logiqate;
mod prontoqa;
mod proverqa;
mod python_list;
mod record;
mod sink;
mod source;
mod table;

pub use defect::{Defect, Finding, KINDS};
pub use sink::{Count, Import, Sink};
pub use source::Source;

/// An outside format.
pub trait Format: Sync {
    /// The name on the command line.
    fn name(&self) -> &'static str;
    /// What its files are, in one line.
    fn about(&self) -> &'static str;
    /// Puts the records of a file, already opened, into the sink.
    fn read(&self, source: &Source, sink: &mut Sink);
    /// Puts the records of all files into the sink; for formats whose files belong together.
    fn read_all(&self, sources: &[Source], sink: &mut Sink) {
        for source in sources {
            sink.open(source);
            self.read(source, sink);
        }
    }
}

/// Every format there is.
pub static FORMATS: &[&dyn Format] = &[
    &folio::Folio,
    &proverqa::ProverQa,
    &logicnli::LogicNli,
    &logicbench::LogicBench,
    &prontoqa::ProntoQa,
    &logiqate::LogiQate,
    &clutrr::Clutrr,
    &logiqa::LogiQa,
    &hellaswag::HellaSwag,
    &lm_eval::LmEval,
    &csv::Csv,
];

/// The format of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().find(|format| format.name() == name).copied()
}

/// Reads files of one format. `task` replaces the task that the format gives its items.
#[must_use]
pub fn import(format: &dyn Format, mut sources: Vec<Source>, task: Option<&str>) -> Import {
    source::tell_apart(&mut sources);
    let mut sink = Sink::new(format.name(), task.map(str::to_string));
    format.read_all(&sources, &mut sink);
    sink.finish()
}
