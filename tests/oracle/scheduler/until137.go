//go:build !v138

package scheduler

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/client-go/informers"
	"k8s.io/dynamic-resource-allocation/resourceslice/tracker"
)

// Slice is a ResourceSlice as the scheduler has it.
type Slice = resourceapi.ResourceSlice

func watchSlices(options *tracker.Options, factory informers.SharedInformerFactory) {
	options.SliceInformer = factory.Resource().V1().ResourceSlices()
}
