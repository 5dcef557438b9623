// Package driver is the part of a driver that publishes devices: what a node has becomes a ResourceSlice. Its test is the example.
package driver

import (
	"fmt"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Name of the driver.
const Name = "gpu.example.com"

// GPU is what the driver finds on a node.
type GPU struct {
	Model    string
	Memory   string
	NUMANode int64
}

// Slices returns what the driver publishes for a node.
func Slices(node string, found []GPU) []resourcev1.ResourceSlice {
	devices := make([]resourcev1.Device, len(found))
	for at, gpu := range found {
		devices[at] = resourcev1.Device{
			Name: fmt.Sprintf("gpu-%d", at),
			Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
				"model":                           {StringValue: ptr.To(gpu.Model)},
				"resource.kubernetes.io/numaNode": {IntValue: ptr.To(gpu.NUMANode)},
			},
			Capacity: map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{
				"memory": {Value: resource.MustParse(gpu.Memory)},
			},
		}
	}
	return []resourcev1.ResourceSlice{{
		ObjectMeta: metav1.ObjectMeta{Name: node + "-gpus"},
		Spec: resourcev1.ResourceSliceSpec{
			Driver:   Name,
			NodeName: ptr.To(node),
			Pool:     resourcev1.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1},
			Devices:  devices,
		},
	}}
}
