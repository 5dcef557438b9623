//! Profiles of drivers that exist for both families: the classes that their current releases install, and the meaning of the old
//! parameters. A driver without a profile gets the generic mapping.

use claimkit_model::message::{Template, template};

/// Why a property is lost that devices do not have any more.
pub const NO_SUCH_ATTRIBUTE: Template = template!(
    "loss.no-attribute",
    "the driver publishes no such attribute"
);

/// The facts about a driver.
#[derive(Debug)]
pub struct DriverProfile {
    /// Its name in the classic family, and the API group of its parameters.
    pub was: &'static str,
    /// Its name in the device family.
    pub driver: &'static str,
    /// The selector of the class that it installs, in CEL.
    pub class_selector: &'static str,
    /// Classes that it does not install any more.
    pub classes: &'static [ClassRow],
    /// The kinds of its parameters.
    pub kinds: &'static [KindRow],
    /// The source of the facts.
    pub source: &'static str,
    /// The date of the version that was read.
    pub date: &'static str,
}

/// A class of the old driver.
#[derive(Debug)]
pub struct ClassRow {
    pub was: &'static str,
    /// The class that the current driver installs in its place.
    pub is: &'static str,
    /// Its claims watch all devices without taking them.
    pub monitor: bool,
}

/// A kind of parameters.
#[derive(Debug)]
pub struct KindRow {
    pub kind: &'static str,
    /// The class of its claims, if it is not that of the claim.
    pub class: Option<&'static str>,
    /// `apiVersion` and `kind` of what the current driver reads as opaque parameters.
    pub config: Option<(&'static str, &'static str)>,
    /// The fields of its `spec`.
    pub fields: &'static [FieldRow],
}

/// A field of parameters.
#[derive(Debug)]
pub struct FieldRow {
    pub name: &'static str,
    pub means: Means,
}

/// The meaning of a field of parameters for the device family.
#[derive(Debug)]
pub enum Means {
    /// The number of devices of the request.
    Count,
    /// A tree of properties that devices must have.
    Selector(&'static [Property]),
    /// An attribute of the device has this value.
    Equals(&'static str),
    /// Part of the opaque parameters. Each triple renames a field there: parent field, old name, new name.
    Config(&'static [(&'static str, &'static str, &'static str)]),
    /// The claim watches all devices without taking them.
    Monitor,
    /// The default behavior if it has this value; any other value is lost.
    Implied(&'static str, ProfileLoss),
    Lost(ProfileLoss),
}

/// Why a field is lost, and what could be written instead.
#[derive(Clone, Copy, Debug)]
pub struct ProfileLoss {
    pub reason: Template,
    /// The alternative, of the field's value.
    pub instead: Option<Template>,
}

/// A property of devices in a selector.
#[derive(Debug)]
pub struct Property {
    /// Its name in the old selector.
    pub name: &'static str,
    /// The test of the value.
    pub test: PropertyTest,
    /// The first release of the driver that does not publish it any more.
    pub until: Option<&'static str>,
}

/// The test of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyTest {
    /// The attribute of the same name is this number or text.
    Equal,
    /// The attribute of the same name matches this pattern with `*`, in any case.
    Pattern,
    /// The attribute of the same name is compared with a version.
    Version,
    /// The capacity of the same name is compared with a quantity.
    Quantity,
    /// Current releases publish nothing like it.
    Unknown,
}

/// Returns the profile of a driver or API group of the classic family.
pub fn of(name: &str) -> Option<&'static DriverProfile> {
    PROFILES.iter().find(|profile| profile.was == name)
}

/// Returns the profile of a class that is not in the text, and its row.
pub fn of_class(name: &str) -> Option<(&'static DriverProfile, &'static ClassRow)> {
    PROFILES
        .iter()
        .find_map(|profile| Some((profile, profile.classes.iter().find(|row| row.was == name)?)))
}

const fn field(name: &'static str, means: Means) -> FieldRow {
    FieldRow { name, means }
}

const fn property(name: &'static str, test: PropertyTest) -> Property {
    Property {
        name,
        test,
        until: None,
    }
}

const fn lost(reason: Template, instead: Option<Template>) -> ProfileLoss {
    ProfileLoss { reason, instead }
}

/// The profiles of all known drivers.
pub const PROFILES: &[DriverProfile] = &[
    DriverProfile {
        was: "gpu.resource.example.com",
        driver: "gpu.example.com",
        class_selector: "device.driver == 'gpu.example.com'",
        classes: &[],
        kinds: &[KindRow {
            kind: "GpuClaimParameters",
            class: None,
            config: None,
            fields: &[field("count", Means::Count)],
        }],
        source: "kubernetes-sigs/dra-example-driver, deployments/helm/dra-example-driver/templates/deviceclass.yaml and demo/gpu-test4.yaml",
        date: "2024-08-06",
    },
    DriverProfile {
        was: "gpu.resource.nvidia.com",
        driver: "gpu.nvidia.com",
        class_selector: "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'",
        classes: &[],
        kinds: &[
            KindRow {
                kind: "GpuClaimParameters",
                class: None,
                config: Some(("resource.nvidia.com/v1beta1", "GpuConfig")),
                fields: &[
                    field("count", Means::Count),
                    field("selector", Means::Selector(NVIDIA_GPU)),
                    field("sharing", Means::Config(NVIDIA_SHARING)),
                    // v1alpha1 manifests of 2022 have it outside the selector.
                    field("migEnabled", Means::Lost(lost(NO_SUCH_ATTRIBUTE, None))),
                ],
            },
            KindRow {
                kind: "MigDeviceClaimParameters",
                class: Some("mig.nvidia.com"),
                config: Some(("resource.nvidia.com/v1beta1", "MigDeviceConfig")),
                fields: &[
                    field("profile", Means::Equals("profile")),
                    field("sharing", Means::Config(NVIDIA_SHARING)),
                    field(
                        "gpuClaimName",
                        Means::Lost(lost(
                            template!(
                                "loss.claim-of-claim",
                                "a claim cannot refer to the device of another claim"
                            ),
                            Some(template!(
                                "migrate.one-claim",
                                "one claim with a request for each device and the constraint `matchAttribute: gpu.nvidia.com/parentUUID`, \
                                 of which each container takes one by `resources.claims[].request`",
                            )),
                        )),
                    ),
                ],
            },
        ],
        source: "NVIDIA/k8s-dra-driver-gpu, demo/specs/quickstart, deployments/helm and cmd/gpu-kubelet-plugin/deviceinfo.go",
        date: "2026-05-15",
    },
    DriverProfile {
        was: "gpu.resource.intel.com",
        driver: "gpu.intel.com",
        class_selector: "device.driver == 'gpu.intel.com'",
        classes: &[
            ClassRow {
                was: "intel-gpu",
                is: "gpu.intel.com",
                monitor: false,
            },
            ClassRow {
                was: "intel-gpu-shared",
                is: "gpu.intel.com",
                monitor: false,
            },
            ClassRow {
                was: "intel-gpu-structured",
                is: "gpu.intel.com",
                monitor: false,
            },
            ClassRow {
                was: "intel-gpu-monitor",
                is: "gpu.intel.com",
                monitor: true,
            },
        ],
        kinds: &[
            KindRow {
                kind: "GpuClaimParameters",
                class: None,
                config: None,
                fields: &[
                    field("count", Means::Count),
                    field(
                        "type",
                        Means::Implied(
                            "gpu",
                            lost(
                                template!(
                                    "loss.gpu-type",
                                    "the driver has whole GPUs and no such types"
                                ),
                                None,
                            ),
                        ),
                    ),
                    field(
                        "memory",
                        Means::Lost(lost(
                            template!(
                                "loss.gpu-memory",
                                "the driver gives whole GPUs and no share of the memory"
                            ),
                            Some(template!(
                                "migrate.gpu-memory",
                                "the selector `device.capacity['gpu.intel.com'].memory.compareTo(quantity('{value}Mi')) >= 0`, for a whole GPU \
                                 with at least that much",
                            )),
                        )),
                    ),
                    field(
                        "millicores",
                        Means::Lost(lost(
                            template!(
                                "loss.gpu-time",
                                "the driver gives whole GPUs and no share of the time"
                            ),
                            None,
                        )),
                    ),
                ],
            },
            KindRow {
                kind: "GpuClassParameters",
                class: None,
                config: None,
                fields: &[
                    field(
                        "shared",
                        Means::Implied(
                            "false",
                            lost(
                                template!(
                                    "loss.gpu-shared",
                                    "the driver does not put several claims on one GPU"
                                ),
                                Some(template!(
                                    "migrate.gpu-shared",
                                    "one claim that several pods use"
                                )),
                            ),
                        ),
                    ),
                    field("monitor", Means::Monitor),
                ],
            },
        ],
        source: "intel/intel-resource-drivers-for-kubernetes, deployments/gpu",
        date: "2025-12-17",
    },
];

const NVIDIA_SHARING: &[(&str, &str, &str)] = &[("timeSlicingConfig", "timeSlice", "interval")];

const NVIDIA_GPU: &[Property] = &[
    property("uuid", PropertyTest::Equal),
    // The driver's demo selects by it still.
    Property {
        name: "index",
        test: PropertyTest::Equal,
        until: Some("v25.8.0"),
    },
    property("productName", PropertyTest::Pattern),
    property("brand", PropertyTest::Pattern),
    property("architecture", PropertyTest::Pattern),
    property("memory", PropertyTest::Quantity),
    property("cudaComputeCapability", PropertyTest::Version),
    property("driverVersion", PropertyTest::Version),
    property("migEnabled", PropertyTest::Unknown),
    property("cudaRuntimeVersion", PropertyTest::Unknown),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that a profile says where its facts come from, and that a name leads to one profile.
    #[test]
    fn profiles_have_sources() {
        for profile in PROFILES {
            assert!(
                profile.source.contains('/') && profile.date.len() == 10,
                "{}",
                profile.was
            );
            assert_eq!(
                of(profile.was).map(|found| found.driver),
                Some(profile.driver)
            );
            assert!(profile.class_selector.contains(profile.driver));
            for class in profile.classes {
                assert_eq!(
                    of_class(class.was).map(|(found, row)| (found.driver, row.is)),
                    Some((profile.driver, class.is))
                );
            }
        }
        assert!(of("other.example.com").is_none());
    }
}
