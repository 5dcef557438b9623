//! What a policy judges in a running cluster, for `admit --stored`.

use super::cluster::Live;
use super::read::{ReadFor, Unseen, nothing_seen};
use crate::host::Host;
use crate::options::AdmitArgs;
use std::collections::BTreeMap;

/// The objects of a cluster.
pub struct StoredCluster {
    /// A List in JSON.
    pub text: String,
    /// The namespace of kubectl's context.
    pub namespace: String,
    /// The kinds that could not be seen.
    pub unseen: Vec<Unseen>,
}

/// Reads the cluster.
///
/// # Errors
/// Why nothing was seen.
pub fn read(args: &AdmitArgs, host: &mut dyn Host) -> Result<StoredCluster, String> {
    let live = Live::open(&args.connection, None, args.namespace.as_deref(), host)?;
    let (text, unseen) = live.list_of_objects(ReadFor::Admission, &BTreeMap::new(), host);
    if text.is_empty() {
        return Err(nothing_seen(&unseen));
    }
    live.tell(&unseen, host);
    Ok(StoredCluster {
        text,
        namespace: live.namespace,
        unseen,
    })
}
