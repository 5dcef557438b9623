package dra

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"
)

// AllocationFields are the fields of a line that hold an answer of [Allocate].
var AllocationFields = []string{"allocator", "answers", "matrix", "unstable"}

type allocation struct {
	ID        string                       `json:"id"`
	Allocator string                       `json:"allocator"`
	Features  []string                     `json:"features"`
	CelLists  bool                         `json:"celLists"`
	Nodes     []*corev1.Node               `json:"nodes"`
	Classes   []*resourceapi.DeviceClass   `json:"classes"`
	Slices    []*resourceapi.ResourceSlice `json:"slices"`
	Claims    []*resourceapi.ResourceClaim `json:"claims"`
	State     *state                       `json:"state"`
	Matrix    json.RawMessage              `json:"matrix"`
}

type allocated struct {
	Allocator string                `json:"allocator"`
	Answers   map[string]nodeAnswer `json:"answers"`
	Matrix    *[]matrixRow          `json:"matrix,omitempty"`
	Unstable  bool                  `json:"unstable,omitempty"`
}

// state is what is in use beside the allocated claims.
type state struct {
	Devices  []string                                                   `json:"devices,omitempty"`
	Shared   []string                                                   `json:"shared,omitempty"`
	Capacity map[string]map[resourceapi.QualifiedName]resource.Quantity `json:"capacity,omitempty"`
}

type nodeAnswer struct {
	Results []resourceapi.AllocationResult `json:"results,omitempty"`
	Verdict string                         `json:"verdict"`
	Error   string                         `json:"error,omitempty"`
}

type matrixRow struct {
	Request string            `json:"request"`
	Class   []string          `json:"class"`
	Own     []string          `json:"own"`
	Errors  map[string]string `json:"errors,omitempty"`
}

// timeout is the longest that a search may take; kube-scheduler has a limit as well.
const timeout = 20 * time.Second

// classes is a lister of DeviceClasses.
type classes []*resourceapi.DeviceClass

func (all classes) List() ([]*resourceapi.DeviceClass, error) { return all, nil }

func (all classes) Get(name string) (*resourceapi.DeviceClass, error) {
	for _, class := range all {
		if class.Name == name {
			return class, nil
		}
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Group: "resource.k8s.io", Resource: "deviceclass"}, name)
}

// Allocate answers one request to the scheduler's allocator: each node is asked with an allocator of its own.
func Allocate(line []byte) (any, error) {
	var request allocation
	if err := json.Unmarshal(line, &request); err != nil {
		return nil, err
	}
	answer := allocated{Answers: map[string]nodeAnswer{}}
	var pending []*resourceapi.ResourceClaim
	for _, claim := range request.Claims {
		if claim.Status.Allocation == nil {
			pending = append(pending, claim)
		}
	}
	var expressions []string
	for gate, feature := range map[string]string{"DRAConsumableCapacity": "ConsumableCapacity", "DRAListTypeAttributes": "ListTypeAttributes"} {
		if request.has(feature) || gate == "DRAListTypeAttributes" && request.CelLists {
			expressions = append(expressions, gate)
		}
	}
	cache := cel.NewCache(100, features(expressions))
	structured.EnableAllocators()
	if request.Allocator != "" {
		structured.EnableAllocators(request.Allocator)
	}
	for _, node := range request.Nodes {
		found, name, err := request.allocate(node, pending, cache)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", request.ID, err)
		}
		answer.Answers[node.Name], answer.Allocator = found, name
		for range repeats {
			again, _, _ := request.allocate(node, pending, cache)
			answer.Unstable = answer.Unstable || !reflect.DeepEqual(again, found)
		}
	}
	if request.Matrix != nil {
		rows := request.matrix(pending, cache)
		answer.Matrix = &rows
	}
	return answer, nil
}

func (request *allocation) has(feature string) bool {
	for _, on := range request.Features {
		if on == feature {
			return true
		}
	}
	return false
}

// allocate asks for one node; the error is about the request, not upstream's answer.
func (request *allocation) allocate(node *corev1.Node, pending []*resourceapi.ResourceClaim, cache *cel.Cache) (answer nodeAnswer, name string, err error) {
	var on structured.Features
	fields := reflect.ValueOf(&on).Elem()
	for _, feature := range request.Features {
		field := fields.FieldByName(feature)
		if !field.IsValid() {
			return answer, "", fmt.Errorf("this release has no feature %s", feature)
		}
		field.SetBool(true)
	}
	inUse, err := request.inUse()
	if err != nil {
		return answer, "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	slices, err := Slices(request.Slices)
	if err != nil {
		return answer, "", err
	}
	allocator, err := structured.NewAllocator(ctx, on, inUse, classes(request.Classes), slices, cache)
	if err != nil {
		return nodeAnswer{Verdict: "error", Error: err.Error()}, "", nil
	}
	name = strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%T", allocator), "*"), ".Allocator")
	defer func() {
		if panicked := recover(); panicked != nil {
			answer = nodeAnswer{Verdict: "panic", Error: "PANIC: " + fmt.Sprint(panicked)}
		}
	}()
	results, problem := allocator.Allocate(ctx, node, pending)
	switch {
	case errors.Is(problem, context.DeadlineExceeded):
		return nodeAnswer{Verdict: "timeout"}, name, nil
	case errors.Is(problem, structured.ErrFailedAllocationOnNode):
		return nodeAnswer{Verdict: "node-error", Error: problem.Error()}, name, nil
	case problem != nil:
		return nodeAnswer{Verdict: "error", Error: problem.Error()}, name, nil
	case results == nil:
		return nodeAnswer{Verdict: "none"}, name, nil
	}
	for _, result := range results {
		for at := range result.Devices.Results {
			if result.Devices.Results[at].ShareID != nil {
				result.Devices.Results[at].ShareID = ptr.To(types.UID("share"))
			}
		}
	}
	return nodeAnswer{Verdict: "allocated", Results: results}, name, nil
}

// deviceID reads `driver/pool/device`.
func deviceID(text string) (structured.DeviceID, error) {
	parts := strings.SplitN(text, "/", 3)
	if len(parts) != 3 {
		return structured.DeviceID{}, fmt.Errorf("%q is not driver/pool/device", text)
	}
	return structured.MakeDeviceID(parts[0], parts[1], parts[2]), nil
}

// inUse gathers what the allocated claims and the state hold.
func (request *allocation) inUse() (structured.AllocatedState, error) {
	inUse := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[sharedID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	if request.State != nil {
		if err := request.State.addTo(inUse); err != nil {
			return inUse, err
		}
	}
	for _, claim := range request.Claims {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			id := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
			switch {
			case ptr.Deref(result.AdminAccess, false):
			case result.ShareID == nil || !request.has("ConsumableCapacity"):
				inUse.AllocatedDevices.Insert(id)
			default:
				inUse.AllocatedSharedDeviceIDs.Insert(makeShared(id, result.ShareID))
				if result.ConsumedCapacity != nil {
					inUse.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(id, result.ConsumedCapacity))
				}
			}
		}
	}
	return inUse, nil
}

func (given *state) addTo(inUse structured.AllocatedState) error {
	for _, device := range given.Devices {
		id, err := deviceID(device)
		if err != nil {
			return err
		}
		inUse.AllocatedDevices.Insert(id)
	}
	for _, shared := range given.Shared {
		device, share, _ := strings.Cut(shared, "#")
		id, err := deviceID(device)
		if err != nil {
			return err
		}
		inUse.AllocatedSharedDeviceIDs.Insert(makeShared(id, ptr.To(types.UID(share))))
	}
	for device, capacity := range given.Capacity {
		id, err := deviceID(device)
		if err != nil {
			return err
		}
		inUse.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(id, capacity))
	}
	return nil
}

// matrix evaluates every selector of every request on every device.
func (request *allocation) matrix(pending []*resourceapi.ResourceClaim, cache *cel.Cache) []matrixRow {
	rows := []matrixRow{}
	add := func(name, class string, own []resourceapi.DeviceSelector) {
		row := matrixRow{Request: name, Class: []string{}, Errors: map[string]string{}}
		if found, err := classes(request.Classes).Get(class); err == nil {
			row.Class = request.letters("class", found.Spec.Selectors, cache, row.Errors)
		}
		row.Own = request.letters("own", own, cache, row.Errors)
		rows = append(rows, row)
	}
	for _, claim := range pending {
		for _, asked := range claim.Spec.Devices.Requests {
			name := claim.Name + "/" + asked.Name
			if asked.Exactly != nil {
				add(name, asked.Exactly.DeviceClassName, asked.Exactly.Selectors)
			}
			for _, alternative := range asked.FirstAvailable {
				add(name+"/"+alternative.Name, alternative.DeviceClassName, alternative.Selectors)
			}
		}
	}
	return rows
}

// letters returns for each selector one letter for each device.
func (request *allocation) letters(of string, selectors []resourceapi.DeviceSelector, cache *cel.Cache, problems map[string]string) []string {
	all := []string{}
	for at, selector := range selectors {
		if selector.CEL == nil {
			continue
		}
		compiled := cache.GetOrCompile(selector.CEL.Expression)
		if compiled.Error != nil {
			all = append(all, "!")
			problems[fmt.Sprintf("%s/%d", of, at)] = compiled.Error.Detail
			continue
		}
		letters := ""
		for _, slice := range request.Slices {
			for _, device := range slice.Spec.Devices {
				given := Device{Driver: slice.Spec.Driver, Attributes: device.Attributes, Capacity: device.Capacity, AllowMultipleAllocations: device.AllowMultipleAllocations}
				input, err := given.input()
				match := false
				if err == nil {
					match, _, err = compiled.DeviceMatches(context.Background(), input)
				}
				switch {
				case err != nil:
					problems[fmt.Sprintf("%s/%d/%d", of, at, len(letters))] = err.Error()
					letters += "E"
				case match:
					letters += "T"
				default:
					letters += "F"
				}
			}
		}
		all = append(all, letters)
	}
	return all
}
