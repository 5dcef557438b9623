//! `policy`: the settings of a policy in another form.

use crate::exit::{Exit, Outcome, Problem};
use crate::host::Host;
use crate::options::PolicyArgs;
use crate::policy_settings::read_settings;
use claimkit::policy::vap::PolicyForm;
use claimkit::policy::{Settings, cluster, vap};
use claimkit_model::message::Words;

/// Runs the verb.
pub fn run(args: &PolicyArgs, host: &mut dyn Host) -> Outcome {
    let given = read_settings(&args.file, host)?;
    let settings = cluster::parse(given.json.get())
        .map_err(|problem| vec![Words::english(problem)])
        .and_then(|(tree, root)| Settings::read(&tree, Some(root)));
    match settings {
        Ok(settings) => {
            let name = given.name.as_deref().unwrap_or(vap::NAME);
            let form = PolicyForm::from(args.form);
            let printed = vap::yaml(&settings, name, form);
            if printed.count == 0 {
                // What is left out, and why, in comments: no policy that somebody could apply.
                let done = match form {
                    PolicyForm::Mutating => "changed",
                    PolicyForm::Validating | PolicyForm::Kyverno => "checked",
                };
                host.err(&printed.yaml);
                host.err(&format!(
                    "claimkit: {}: nothing would be {done}: no setting that a policy of this form can hold\n",
                    args.file
                ));
                return Ok(Exit::Findings);
            }
            host.out(&printed.yaml);
            Ok(Exit::Fine)
        }
        Err(problems) => {
            let lines = problems
                .iter()
                .map(|problem| format!("{}: {problem}", args.file));
            Err(Problem::of_lines(lines.collect()))
        }
    }
}
