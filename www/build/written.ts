import type { CodeExample } from "./codeexamples.ts";

/** Examples of codes that need a text too long to be written in the tests. */
export const WRITTEN: Readonly<Record<string, CodeExample>> = {
	"annotations-too-long": {
		files: [
			{
				name: "manifest.yaml",
				role: "manifest",
				text: `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: large-gpu
  namespace: default
  annotations:
    notes: ${"0123456789abcdef".repeat(17_000)}
spec:
  devices:
    requests:
      - name: gpu
        exactly:
          deviceClassName: gpu.example.com
`,
			},
		],
	},
};
