//! The Common Expression Language as kube-apiserver and kube-scheduler run it in device selectors: the crate [`claimkit_cel`], and
//! devices as the variables of selectors.
//!
//! ```
//! use claimkit_model::cel::{CelDevice, EnvironmentMode, SELECTOR_COST_LIMIT, device};
//!
//! let environment = device::environment(34, &[], EnvironmentMode::New);
//! let program = environment.compile(r#"device.driver == "gpu.example.com""#).unwrap();
//! let device = CelDevice::new("gpu.example.com");
//! let variables = device.variables(&environment).unwrap();
//! assert_eq!(program.evaluate(&variables, SELECTOR_COST_LIMIT).matches(), Ok(true));
//! assert!(environment.compile("device.attributes[").is_err());
//! ```

pub mod device;
mod error;
pub mod explain;

pub use claimkit_cel::*;
pub use device::{CelDevice, DeviceAttribute, NamedAttribute};
pub use error::{DeviceError, DeviceErrorKind};
