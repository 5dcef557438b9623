//! Selectors of devices against recorded answers and laws. The crate `claimkit-cel` holds what needs no device.

mod devices;
mod explain;
mod lines;
mod refusals;
mod selectors;
