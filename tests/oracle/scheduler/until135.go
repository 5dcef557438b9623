//go:build !v136

package scheduler

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// nodeAllocatable stands for what the devices of a claim take of a node: nothing before 1.36.
type nodeAllocatable struct{}

func assume(context.Context, fwk.CycleState, *corev1.Pod) []nodeAllocatable { return nil }
