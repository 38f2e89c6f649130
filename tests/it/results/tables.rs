//! Tables, as they look.

use llscore::results::{Attempt, Format, Results, Sample, Style, Tokens, render};

use super::{item, manifest, scored};

/// `right` of `n` questions answered rightly.
fn answers(task: &str, variant: &str, hops: u32, right: usize, n: usize) -> Vec<Sample> {
    let one = |i: usize| {
        let item = item(&format!("{task}-{hops}-{i}/{variant}"), task, variant, hops);
        scored(&item, if i < right { &[-1.0, -9.0] } else { &[-9.0, -1.0] })
    };
    (0..n).map(one).collect()
}

fn show(samples: &[Sample], format: Format, style: Style) -> String {
    let tokens = Tokens { requests: 142_676, computed: 6770, scored: 2264 };
    render(&Results::new(manifest(), Attempt { seconds: 12.34, tokens }, samples), format, &style)
}

fn two_tasks() -> Vec<Sample> {
    let mut samples = [answers("chain", "base", 1, 5, 5), answers("chain", "base", 10, 3, 5)].concat();
    samples.extend(answers("kinship", "base", 2, 4, 4));
    samples.extend(answers("kinship", "l1", 2, 2, 4));
    samples[0] = Sample::failed(&item("chain-1-0/base", "chain", "base", 1), "no", Vec::new());
    samples
}

#[test]
fn one_task_shows_its_curve_over_hops() {
    let samples = [answers("chain", "base", 1, 90, 100), answers("chain", "base", 10, 55, 100)].concat();
    // Twenty-four columns of eighths: 0.725 is 17 and 3 eighths, 0.9 is 21 and 5, 0.55 is 13 and 2; chance is at 12.
    let expected = "             n            acc       acc_norm  chance  0       acc_norm       1
chain      200  0.725 ± 0.032  0.725 ± 0.032   0.500  ████████████┆████▍
  1 hop    100  0.900 ± 0.030  0.900 ± 0.030   0.500  ████████████┆████████▋
  10 hops  100  0.550 ± 0.050  0.550 ± 0.050   0.500  ████████████┆▎

acc: by log-likelihood; acc_norm: per character; ± standard error; ┆ chance

computed 6,770 tokens for requests of 142,676 (21.1 times fewer) in 12.3 s
";
    assert_eq!(show(&samples, Format::Table, Style::default()), expected);
}

#[test]
fn several_tasks_and_variants_are_nested_and_errors_shown() {
    let expected = "            n    acc        acc_norm  chance  hops 1   2  10 errors
all tasks  17  0.765  0.765 +- 0.106   0.500                      1
chain       9  0.778  0.778 +- 0.147   0.500     1.0     .60      1
kinship     8  0.750  0.750 +- 0.164   0.500         .75          0
  base      4  1.000  1.000 +- 0.000   0.500         1.0          0
  l1        4  0.500  0.500 +- 0.289   0.500         .50          0

acc: by log-likelihood; acc_norm: per character; +- standard error; by depth: acc_norm

rewording   pairs   base  reworded  drop (95 % interval)  both right  McNemar p
kinship/l1      4  1.000     0.500  50.0 % (1.0 to 99.0)       0.500     0.5000

mean drop over tasks and variants: 50.0 % of base accuracy

computed 6,770 tokens for requests of 142,676 (21.1 times fewer) in 12.3 s
";
    assert_eq!(show(&two_tasks(), Format::Table, Style { width: 80, unicode: false }), expected);
}

#[test]
fn bars_give_way_in_a_narrow_terminal() {
    let text = show(
        &[answers("chain", "base", 1, 5, 5), answers("chain", "base", 10, 3, 5)].concat(),
        Format::Table,
        Style { width: 60, unicode: true },
    );
    assert!(!text.contains('█') && !text.contains('┆'), "{text}");
}

#[test]
fn markdown_is_a_table_a_parser_takes() {
    let expected = "| task | variant | hops | n | acc | acc_norm (char) | chance | errors |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
| all | all | all | 17 | 0.765 ± 0.106 | 0.765 ± 0.106 | 0.500 | 1 |
| chain | base | all | 9 | 0.778 ± 0.147 | 0.778 ± 0.147 | 0.500 | 1 |
| chain | base | 1 | 4 | 1.000 ± 0.000 | 1.000 ± 0.000 | 0.500 | 1 |
| chain | base | 10 | 5 | 0.600 ± 0.245 | 0.600 ± 0.245 | 0.500 | 0 |
| kinship | all | all | 8 | 0.750 ± 0.164 | 0.750 ± 0.164 | 0.500 | 0 |
| kinship | base | all | 4 | 1.000 ± 0.000 | 1.000 ± 0.000 | 0.500 | 0 |
| kinship | base | 2 | 4 | 1.000 ± 0.000 | 1.000 ± 0.000 | 0.500 | 0 |
| kinship | l1 | all | 4 | 0.500 ± 0.289 | 0.500 ± 0.289 | 0.500 | 0 |
| kinship | l1 | 2 | 4 | 0.500 ± 0.289 | 0.500 ± 0.289 | 0.500 | 0 |

| task | variant | pairs | base | variant's acc | drop | drop (95 % interval) | both right | McNemar p |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| kinship | l1 | 4 | 1.000 | 0.500 | 0.500 | 0.010 to 0.990 | 0.500 | 0.5000 |

Mean relative drop: 0.500
";
    assert_eq!(show(&two_tasks(), Format::Markdown, Style::default()), expected);
    let odd = [scored(&item("a", "a|b\n", "x", 0), &[-1.0, -2.0])];
    assert!(show(&odd, Format::Markdown, Style::default()).contains("| a\\|b  | x | all | 1 | 1.000 |"));
}

#[test]
fn csv_has_every_breakdown_and_reads_back() {
    let text = show(&two_tasks(), Format::Csv, Style::default());
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let keys: Vec<[&str; 5]> = rows.iter().map(|r| [&r[0], &r[1], &r[2], &r[3], &r[4]]).collect();
    assert_eq!(
        keys,
        [
            ["", "", "", "17", "0.7647058823529411"],
            ["chain", "", "", "9", "0.7777777777777778"],
            ["chain", "", "1", "4", "1"],
            ["chain", "", "10", "5", "0.6"],
            ["chain", "base", "", "9", "0.7777777777777778"],
            ["chain", "base", "1", "4", "1"],
            ["chain", "base", "10", "5", "0.6"],
            ["kinship", "", "", "8", "0.75"],
            ["kinship", "", "2", "8", "0.75"],
            ["kinship", "base", "", "4", "1"],
            ["kinship", "base", "2", "4", "1"],
            ["kinship", "l1", "", "4", "0.5"],
            ["kinship", "l1", "2", "4", "0.5"],
        ]
    );
    let header = "task,variant,hops,n,acc,acc_stderr,acc_norm,acc_norm_stderr,acc_token,acc_char,acc_byte,chance,ties,\
                  errors,truncated,skipped,brier\n";
    assert!(text.starts_with(header));
}
