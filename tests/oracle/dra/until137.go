//go:build !v138

package dra

import (
	celgo "github.com/google/cel-go/cel"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"
)

// Details are what an evaluation says beside its result.
type Details = celgo.EvalDetails

// sharedID stands for the shares of devices that are in use.
type sharedID = structured.SharedDeviceID

func makeShared(device structured.DeviceID, share *types.UID) sharedID {
	if share == nil {
		share = ptr.To(types.UID(""))
	}
	return structured.MakeSharedDeviceID(device, share)
}

func (device Device) input() (cel.Device, error) {
	return cel.Device{Driver: device.Driver, Attributes: device.Attributes, Capacity: device.Capacity, AllowMultipleAllocations: device.AllowMultipleAllocations}, nil
}

// Slices returns slices as the allocator takes them.
func Slices(slices []*resourceapi.ResourceSlice) ([]*resourceapi.ResourceSlice, error) {
	return slices, nil
}

// Attribute returns what an expression computed as the attribute of a device.
func Attribute(value *resourceapi.DeviceAttribute) (*resourceapi.DeviceAttribute, error) {
	return value, nil
}
