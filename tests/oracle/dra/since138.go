//go:build v138

package dra

import (
	"fmt"

	celgo "cel.dev/cel-go/cel"
	"github.com/blang/semver/v4"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/api"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

// Details are what an evaluation says beside its result.
type Details = celgo.EvalDetails

// sharedID stands for the shares of devices that are in use.
type sharedID = structured.DeviceID

func makeShared(device structured.DeviceID, _ *types.UID) sharedID { return device }

func (device Device) input() (cel.Device, error) {
	slice := &resourceapi.ResourceSlice{Spec: resourceapi.ResourceSliceSpec{
		Driver: device.Driver,
		Devices: []resourceapi.Device{{
			Attributes: device.Attributes, Capacity: device.Capacity, AllowMultipleAllocations: device.AllowMultipleAllocations,
		}},
	}}
	slices, err := Slices([]*resourceapi.ResourceSlice{slice})
	if err != nil {
		return cel.Device{}, err
	}
	given := &slices[0].Spec.Devices[0]
	return cel.Device{
		Driver: device.Driver, Attributes: given.Attributes, Capacity: given.Capacity,
		AllowMultipleAllocations: given.AllowMultipleAllocations, LookupUniqueString: slices[0].LookupUniqueString,
	}, nil
}

// Slices returns slices as the allocator takes them.
func Slices(slices []*resourceapi.ResourceSlice) ([]*api.ResourceSlice, error) {
	all := make([]*api.ResourceSlice, len(slices))
	for at, slice := range slices {
		all[at] = &api.ResourceSlice{}
		if err := api.Convert_v1_ResourceSlice_To_api_ResourceSlice(slice, all[at], nil); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Attribute returns what an expression computed as the attribute of a device.
func Attribute(value any) (*resourceapi.DeviceAttribute, error) {
	attribute := &resourceapi.DeviceAttribute{}
	switch value := value.(type) {
	case bool:
		attribute.BoolValue = &value
	case int64:
		attribute.IntValue = &value
	case string:
		attribute.StringValue = &value
	case semver.Version:
		attribute.VersionValue = new(value.String())
	case []bool:
		attribute.BoolValues = value
	case []int64:
		attribute.IntValues = value
	case []string:
		attribute.StringValues = value
	case []semver.Version:
		for _, version := range value {
			attribute.VersionValues = append(attribute.VersionValues, version.String())
		}
	default:
		return nil, fmt.Errorf("no attribute has the type %T", value)
	}
	return attribute, nil
}
