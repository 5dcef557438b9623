/**
 * What a cluster always has, if it has devices at all: kubectl prints nothing where one kind is unknown. The pods that wait come
 * first.
 */
export const ALWAYS_SERVED = [
	"pods",
	"resourceclaims",
	"resourceclaimtemplates",
	"deviceclasses",
	"resourceslices",
	"persistentvolumeclaims",
	"nodes",
] as const;

/** Kinds that only some clusters serve: each is asked for alone, and its absence is not an error. */
const SOMETIMES_SERVED = [
	"devicetaintrules",
	"podgroups.scheduling.k8s.io",
] as const;

/** The command that prints all objects needed for placing, on every release. */
export const COMMAND = [
	`kubectl get ${ALWAYS_SERVED.join(",")} -A -o yaml`,
	...SOMETIMES_SERVED.map(
		(kind) => `echo ---; kubectl get ${kind} -A -o yaml 2>/dev/null`,
	),
].join("; ");
