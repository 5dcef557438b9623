//go:build v138

package scheduler

import (
	"k8s.io/client-go/informers"
	"k8s.io/dynamic-resource-allocation/api"
	"k8s.io/dynamic-resource-allocation/resourceslice/tracker"
)

// Slice is a ResourceSlice as the scheduler has it.
type Slice = api.ResourceSlice

func watchSlices(options *tracker.Options, factory informers.SharedInformerFactory) {
	options.SliceInformer = api.NewInformerForResourceSlice(factory)
	options.SliceLister = api.NewResourceSliceLister(options.SliceInformer.GetIndexer())
}
