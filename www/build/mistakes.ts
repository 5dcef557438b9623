/**
 * Mistakes that people paste the messages of, beside those of tests/manifests: the engine answers them, so that the messages are the
 * server's own.
 */
export const MISTAKES: readonly string[] = [
	`apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: a, namespace: b}
spec: {devices: {requests: [{name: gpu, exactly: {count: 1}}]}}
`,
	`apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: a, namespace: b}
spec: {devices: {requests: [{name: gpu, count: 1}]}}
`,
	`apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: a}
spec: {selectors: [{cel: {expression: device.attributes}}]}
`,
	`# claimkit: release=1.36
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  sharedCounters: [{name: gpu-0, counters: {memory: {value: 80Gi}}}]
  devices: [{name: gpu-0}]
`,
	`apiVersion: v1
kind: Pod
metadata: {name: a, namespace: b}
spec:
  resourceClaims: [{name: gpu, resourceClaimName: gpu}]
  containers: [{name: c, image: i, resources: {claims: [{name: gpu}, {name: gpu}]}}]
`,
];
