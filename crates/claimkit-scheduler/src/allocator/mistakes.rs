//! Mistakes of the releases' allocators that keep pods waiting.

use super::behaviour::{Behaviour, V31};
use claimkit_model::message::{Template, template};

/// A mistake of an allocator that keeps pods waiting.
#[derive(Debug)]
pub struct Mistake {
    /// The same allocator without the mistake.
    pub without: fn(Behaviour) -> Behaviour,
    /// The mistake and the release that mends it, in one line.
    pub text: Template,
}

/// The mistakes that are known. Whether one matters is found by trying the allocator without it.
pub static MISTAKES: &[Mistake] = &[
    Mistake {
        without: |own| Behaviour {
            most_chosen: V31.most_chosen,
            ..own
        },
        text: template!(
            "device.mistake-half-the-devices",
            "kube-scheduler 1.33.0 gives a claim at most 16 devices; Kubernetes 1.33.1 fixes it",
        ),
    },
    Mistake {
        without: |own| Behaviour {
            all_forgets_subrequest: false,
            ..own
        },
        text: template!(
            "device.mistake-all-first-only",
            "kube-scheduler 1.33 to 1.35 gives several devices to an alternative with allocationMode All only if it is the first; Kubernetes 1.36 fixes it",
        ),
    },
    Mistake {
        without: |own| Behaviour {
            capacity_of_wrong_device: false,
            ..own
        },
        text: template!(
            "device.mistake-other-capacity",
            "kube-scheduler 1.34 may compare the capacity of another device; Kubernetes 1.35 fixes it",
        ),
    },
    Mistake {
        without: |own| Behaviour {
            refused_gives_back: true,
            share_gives_back: true,
            ..own
        },
        text: template!(
            "device.mistake-not-given-back",
            "kube-scheduler up to 1.35 does not give back what a device uses that it tried in vain; Kubernetes 1.36 fixes it",
        ),
    },
];
