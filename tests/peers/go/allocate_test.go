// Package peers compares the Go package with the command, and with the allocator that is part of kube-scheduler.
package peers

import (
	"encoding/json"
	"fmt"
	"testing"

	claimkit "github.com/OWNER/claimkit-go"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

const (
	driver  = "gpu.example.com"
	release = "1.37"
)

func pointer[T any](value T) *T { return &value }

// cluster is one node with devices, half of which the claim can use.
type cluster struct {
	node   *corev1.Node
	class  *resourcev1.DeviceClass
	slices []*resourcev1.ResourceSlice
	claim  *resourcev1.ResourceClaim
}

func clusterOf(devices, wanted int) cluster {
	slice := &resourcev1.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: "node-a-gpu"},
		Spec: resourcev1.ResourceSliceSpec{
			Driver:   driver,
			NodeName: pointer("node-a"),
			Pool:     resourcev1.ResourcePool{Name: "node-a", Generation: 1, ResourceSliceCount: 1},
		},
	}
	for at := range devices {
		slice.Spec.Devices = append(slice.Spec.Devices, resourcev1.Device{
			Name:       fmt.Sprintf("gpu-%d", at),
			Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"model": {StringValue: pointer([]string{"A100", "H100"}[at%2])}},
			Capacity:   map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse("80Gi")}},
		})
	}
	selector := func(expression string) []resourcev1.DeviceSelector {
		return []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: expression}}}
	}
	return cluster{
		node: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-a"}},
		class: &resourcev1.DeviceClass{
			ObjectMeta: metav1.ObjectMeta{Name: driver},
			Spec:       resourcev1.DeviceClassSpec{Selectors: selector(`device.driver == "gpu.example.com"`)},
		},
		slices: []*resourcev1.ResourceSlice{slice},
		claim: &resourcev1.ResourceClaim{
			ObjectMeta: metav1.ObjectMeta{Name: "wanted", Namespace: "default", UID: "u"},
			Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{
				Name: "gpu",
				Exactly: &resourcev1.ExactDeviceRequest{
					DeviceClassName: driver,
					AllocationMode:  resourcev1.DeviceAllocationModeExactCount,
					Count:           int64(wanted),
					Selectors:       selector(`device.attributes["gpu.example.com"].model == "H100"`),
				},
			}}}},
		},
	}
}

type classes []*resourcev1.DeviceClass

func (c classes) List() ([]*resourcev1.DeviceClass, error) { return c, nil }

func (c classes) Get(name string) (*resourcev1.DeviceClass, error) {
	for _, class := range c {
		if class.Name == name {
			return class, nil
		}
	}
	return nil, fmt.Errorf("no class %s", name)
}

// upstream asks the allocator as kube-scheduler does. The cache keeps compiled selectors, as in kube-scheduler.
func upstream(tb testing.TB, in cluster, cache *cel.Cache) []string {
	inUse := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	allocator, err := structured.NewAllocator(tb.Context(), structured.Features{}, inUse, classes{in.class}, in.slices, cache)
	if err != nil {
		tb.Fatal(err)
	}
	results, err := allocator.Allocate(tb.Context(), in.node, []*resourcev1.ResourceClaim{in.claim})
	if err != nil {
		tb.Fatal(err)
	}
	return devices(results)
}

func devices(results []resourcev1.AllocationResult) []string {
	var found []string
	for _, result := range results {
		for _, device := range result.Devices.Results {
			found = append(found, device.Driver+"/"+device.Pool+"/"+device.Device)
		}
	}
	return found
}

func ours(tb testing.TB, in cluster) []string {
	options := claimkit.AllocateOptions{Cluster: claimkit.Cluster{Release: release}}
	placed, err := claimkit.Allocate(tb.Context(), options, in.node, in.class, in.slices, in.claim)
	if err != nil {
		tb.Fatal(err)
	}
	if err := placed.Common.Err(); err != nil {
		tb.Fatal(err)
	}
	var results []resourcev1.AllocationResult
	for _, text := range placed.Pods[0].Nodes[0].Allocations {
		var result resourcev1.AllocationResult
		if err := json.Unmarshal(text, &result); err != nil {
			tb.Fatal(err)
		}
		results = append(results, result)
	}
	return devices(results)
}

var sizes = []struct{ devices, wanted int }{{1, 1}, {8, 1}, {8, 4}, {8, 5}, {64, 16}}

func TestBothGiveTheSameDevices(t *testing.T) {
	cache := cel.NewCache(100, cel.Features{})
	for _, size := range append(sizes, struct{ devices, wanted int }{128, 32}) {
		in := clusterOf(size.devices, size.wanted)
		theirs, ours := upstream(t, in, cache), ours(t, in)
		if fmt.Sprint(theirs) != fmt.Sprint(ours) {
			t.Errorf("%d of %d devices: the allocator gives %v, claimkit %v", size.wanted, size.devices, theirs, ours)
		}
		if fits := size.wanted <= size.devices/2; fits != (len(theirs) == size.wanted) {
			t.Errorf("%d of %d devices: the allocator gives %v", size.wanted, size.devices, theirs)
		}
	}
}

func BenchmarkAllocate(b *testing.B) {
	// Starts the module.
	ours(b, clusterOf(1, 1))
	for _, size := range sizes {
		in := clusterOf(size.devices, size.wanted)
		name := fmt.Sprintf("%dof%d", size.wanted, size.devices)
		b.Run(name+"/allocator", func(b *testing.B) {
			cache := cel.NewCache(100, cel.Features{})
			for b.Loop() {
				upstream(b, in, cache)
			}
		})
		b.Run(name+"/allocator-without-cache", func(b *testing.B) {
			for b.Loop() {
				upstream(b, in, cel.NewCache(100, cel.Features{}))
			}
		})
		b.Run(name+"/claimkit", func(b *testing.B) {
			for b.Loop() {
				ours(b, in)
			}
		})
	}
}
