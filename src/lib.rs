//! claimkit reads Kubernetes Dynamic Resource Allocation manifests (`resource.k8s.io`).
