//! `policy`: the settings of a policy in another form.

use super::arguments::Arguments;
use super::{FINE, Host, UNUSABLE, admit};
use crate::policy::{Settings, cluster, vap};

/// The beginning of the names of policies that are made from settings alone.
const NAME: &str = "claimkit";

pub fn run(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let [file] = arguments.operands.as_slice() else {
        host.err("claimkit: `policy` needs one file: settings, or a ClusterAdmissionPolicy\n");
        return UNUSABLE;
    };
    if !arguments.has("as") {
        host.err("claimkit: `policy` needs `--as vap`: ValidatingAdmissionPolicies\n");
        return UNUSABLE;
    }
    let Some((name, json)) = admit::settings(file, host) else {
        return UNUSABLE;
    };
    let read = cluster::parse(json.get()).map_err(|problem| vec![problem]);
    match read.and_then(|(tree, root)| Settings::read(&tree, Some(root))) {
        Ok(settings) => {
            host.out(&vap::yaml(&settings, name.as_deref().unwrap_or(NAME)));
            FINE
        }
        Err(problems) => {
            problems
                .iter()
                .for_each(|problem| host.err(&format!("claimkit: {file}: {problem}\n")));
            UNUSABLE
        }
    }
}
