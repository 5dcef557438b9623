//go:build v136

package scheduler

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
)

// nodeAllocatable is what the devices of a claim take of a node.
type nodeAllocatable = corev1.NodeAllocatableResourceClaimStatus

// assume writes into the status of a placed pod what its claims take of the node; returns a copy of it.
func assume(ctx context.Context, state fwk.CycleState, pod *corev1.Pod) []nodeAllocatable {
	pod.Status.NodeAllocatableResourceClaimStatuses =
		dynamicresources.ExtractPodNodeAllocatableResourceClaimStatus(klog.FromContext(ctx), state, pod.Spec.NodeName)
	return pod.DeepCopy().Status.NodeAllocatableResourceClaimStatuses
}
