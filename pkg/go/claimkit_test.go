package claimkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const slice = `apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: node-a-gpu}
spec:
  driver: gpu.example.com
  nodeName: node-a
  pool: {name: node-a, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
    attributes: {model: {string: H100}}
    capacity: {memory: {value: 80Gi}}
`

const class = `apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.example.com}
spec: {selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}
`

func claim(count int) string {
	return fmt.Sprintf(`apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: wanted}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com, count: %d}}]}}
`, count)
}

// stored is a claim as the server has it.
func stored(name string, count int) string {
	metadata := fmt.Sprintf(`{name: %s, namespace: default, uid: u, resourceVersion: "1"}`, name)
	return strings.Replace(claim(count), "{name: wanted}", metadata, 1)
}

// has fails unless a text has all parts.
func has(t *testing.T, text any, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(fmt.Sprint(text), part) {
			t.Errorf("%v\nhas no %s", text, part)
		}
	}
}

func TestValidate(t *testing.T) {
	answer, err := Validate(t.Context(), ValidateOptions{Cluster: Cluster{Release: "1.36"}}, slice, class, claim(1))
	if err != nil {
		t.Fatal(err)
	}
	if answer.Err() != nil || len(answer.Objects) != 3 || !strings.HasPrefix(answer.Objects[0].Release, "1.36.") {
		t.Errorf("%+v", answer)
	}
	bad := File{"slices.yaml", []byte(strings.ReplaceAll(slice, "gpu-0", "GPU_0"))}
	if answer, err = Validate(t.Context(), ValidateOptions{}, bad, class); err != nil {
		t.Fatal(err)
	}
	has(t, answer.Err(), "slices.yaml:9:11: error: spec.devices[0].name: Invalid value: \"GPU_0\"", "\n  use lower case letters")
	if *answer.Objects[0].Valid || !*answer.Objects[1].Valid {
		t.Errorf("%+v", answer.Objects)
	}
	has(t, string(answer.Objects[0].Status), `"code":422`)
}

func TestValidateAnUpdate(t *testing.T) {
	options := ValidateOptions{Operation: "update", Old: stored("wanted", 1), Via: "server"}
	answer, err := Validate(t.Context(), options, stored("wanted", 2))
	if err != nil {
		t.Fatal(err)
	}
	has(t, answer.Err(), "field is immutable")
}

func TestConvert(t *testing.T) {
	text := "# kept\n" + strings.ReplaceAll(claim(1), "/v1", "/v1beta2")
	converted, err := Convert(t.Context(), ConvertOptions{To: "v1beta1"}, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(converted.Text, "# kept\n") || strings.Contains(converted.Text, "exactly") || !converted.Objects[0].Changed {
		t.Errorf("%+v", converted)
	}
}

func TestConvertSeveral(t *testing.T) {
	old := strings.ReplaceAll(claim(1), "/v1", "/v1beta2")
	manifests := []File{{"old.yaml", []byte(old)}, {"broken.yaml", []byte("a: [")}, {"new.yaml", []byte(claim(1))}}
	converted, err := Convert(t.Context(), ConvertOptions{To: "v1"}, manifests)
	if err != nil {
		t.Fatal(err)
	}
	want := []ConvertedFile{{"old.yaml", claim(1)}, {"broken.yaml", ""}, {"new.yaml", claim(1)}}
	if !slices.Equal(converted.Files, want) || converted.Text != "" || converted.OK {
		t.Errorf("%+v", converted)
	}
	has(t, converted.Err(), "broken.yaml:")
}

func TestUpdatesOfSeveralObjects(t *testing.T) {
	options := ValidateOptions{Operation: "update", Old: []string{stored("a", 1), stored("b", 1)}, Via: "server"}
	answer, err := Validate(t.Context(), options, File{"a.yaml", []byte(stored("a", 1))}, File{"b.yaml", []byte(stored("b", 2))})
	if err != nil {
		t.Fatal(err)
	}
	has(t, answer.Err(), "b.yaml:", "field is immutable")
	if strings.Contains(answer.Err().Error(), "a.yaml") {
		t.Error(answer.Err())
	}
}

func TestAllocate(t *testing.T) {
	placed, err := Allocate(t.Context(), AllocateOptions{}, slice, class, claim(1))
	if err != nil {
		t.Fatal(err)
	}
	if err := placed.Err(); err != nil {
		t.Error(err)
	}
	has(t, string(placed.Pods[0].Nodes[0].Allocations[0]), `"device":"gpu-0"`)
	if placed, err = Allocate(t.Context(), AllocateOptions{}, slice, class, claim(2)); err != nil {
		t.Fatal(err)
	}
	has(t, placed.Err(), "default/wanted:\n  node-a: cannot allocate all claims; request gpu:", "\n  count 1 instead of 2 in request gpu")
}

const pod = `apiVersion: v1
kind: Pod
metadata: {name: %s}
spec:
  containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]
  resourceClaims: [{name: gpu, resourceClaimTemplateName: gpu}]
---
`

const template = `apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpu}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}}
`

func TestAllocatePods(t *testing.T) {
	pods := fmt.Sprintf(pod, "a") + fmt.Sprintf(pod, "b")
	for _, test := range []struct {
		alone bool
		slice string
		wrong string
	}{
		{true, slice, ""},
		{false, slice, "default/b:"},
		{true, strings.Replace(slice, "gpu.example.com", "other.example.com", 1), "default/a:\ndefault/b:"},
	} {
		placed, err := Allocate(t.Context(), AllocateOptions{Alone: test.alone}, test.slice, class, template, pods)
		if err != nil {
			t.Fatal(err)
		}
		var wrong []string
		if err := placed.Err(); err != nil {
			for line := range strings.Lines(err.Error()) {
				if !strings.HasPrefix(line, " ") {
					wrong = append(wrong, strings.TrimSpace(line))
				}
			}
		}
		if found := strings.Join(wrong, "\n"); found != test.wrong {
			t.Errorf("alone %t: %q get no devices, not %q: %v", test.alone, found, test.wrong, placed.Err())
		}
	}
	placed, err := Allocate(t.Context(), AllocateOptions{HowMany: true}, slice, class, template, fmt.Sprintf(pod, "a"))
	if err != nil {
		t.Fatal(err)
	}
	if placed.HowMany == nil || placed.HowMany.Count != 1 {
		t.Errorf("%+v", placed.HowMany)
	}
}

func TestAudit(t *testing.T) {
	report, err := Audit(t.Context(), Cluster{}, strings.Replace(slice, "resourceSliceCount: 1", "resourceSliceCount: 2", 1), class)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Findings) == 0 || *report.Usage.Pools[0].Devices.Total != 1 {
		t.Errorf("%+v", report)
	}
}

func TestCEL(t *testing.T) {
	devices := json.RawMessage(`[
		{"name": "a", "attributes": {"model": {"string": "H100"}}, "taints": []},
		{"name": "b", "basic": {"attributes": {"model": {"string": "A100"}}, "capacity": {"memory": {"value": "80Gi"}}}},
		{"name": "c"}
	]`)
	selected, err := CEL(t.Context(), CELOptions{Driver: "gpu.example.com"}, `device.attributes["gpu.example.com"].model == "H100"`, devices)
	if err != nil {
		t.Fatal(err)
	}
	results := selected.Results
	if !selected.Compile.OK || *selected.Compile.Cost == 0 || !results[0].Match || results[1].Match || results[2].Error == "" {
		t.Errorf("%+v", selected)
	}
	if selected, err = CEL(t.Context(), CELOptions{}, "device.drivers", nil); err != nil {
		t.Fatal(err)
	}
	has(t, selected.Compile.Error, "undefined field 'drivers'")
}

func TestAdmit(t *testing.T) {
	request := map[string]any{
		"uid": "1", "operation": "CREATE",
		"kind":     map[string]any{"group": "resource.k8s.io", "version": "v1", "kind": "ResourceClaim"},
		"resource": map[string]any{"group": "resource.k8s.io", "version": "v1", "resource": "resourceclaims"},
		"name":     "wanted", "namespace": "default",
		"object": map[string]any{
			"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
			"metadata": map[string]any{"name": "wanted", "namespace": "default"},
			"spec": map[string]any{"devices": map[string]any{"requests": []any{
				map[string]any{"name": "gpu", "exactly": map[string]any{"deviceClassName": "gpu", "count": -1}},
			}}},
		},
	}
	text, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	for _, request := range []any{request, text, map[string]any{"kind": "AdmissionReview", "request": request}} {
		answer, err := Admit(t.Context(), AdmitOptions{}, request)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Response == nil || answer.Response.Accepted {
			t.Fatalf("%+v", answer)
		}
		has(t, answer.Response.Message, "must be greater than zero")
	}
	answer, err := Admit(t.Context(), AdmitOptions{Settings: map[string]int{"nonsense": 1}}, nil)
	if err != nil || answer.OK || answer.Response != nil {
		t.Errorf("%v: %+v", err, answer)
	}
}

func TestWhatCannotBeUsed(t *testing.T) {
	_, err := Validate(t.Context(), ValidateOptions{Cluster: Cluster{Release: "1.99"}}, slice)
	has(t, err, "claimkit: unknown release")
	for _, manifest := range []any{nil, 7, (*File)(nil), func() {}, struct{ F func() }{}} {
		if _, err := Validate(t.Context(), ValidateOptions{}, manifest); err == nil {
			t.Errorf("%v is a manifest", manifest)
		}
	}
	// Mistakes in manifests are answers.
	for _, manifest := range []any{"", "a: [", "a: \xff", map[string]any{}, struct{ Kind string }{"x"}} {
		answer, err := Validate(t.Context(), ValidateOptions{}, manifest)
		if err != nil || answer.Err() == nil || answer.Err().Error() == "" {
			t.Errorf("%v: %v: %+v", manifest, err, answer)
		}
	}
	text, err := Answer(t.Context(), []byte("\xff{"))
	if err != nil {
		t.Fatal(err)
	}
	has(t, string(text), `"ok":false`)
}

func TestBytesThatAreNotUTF8(t *testing.T) {
	text := "# caf\xe9\n" + claim(1)
	answer, err := Validate(t.Context(), ValidateOptions{}, File{"latin.yaml", []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	has(t, answer.Findings[0], "latin.yaml:1:6:", "not-utf8")
	converted, err := Convert(t.Context(), ConvertOptions{To: "v1beta1"}, text)
	if err != nil || converted.OK || converted.Text != "" {
		t.Errorf("%v: %+v", err, converted)
	}
}

func TestARequestEndsWithItsContext(t *testing.T) {
	many := strings.Repeat(slice+"---\n"+claim(1)+"---\n", 5000)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := Validate(ctx, ValidateOptions{}, many); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if answer, err := Validate(t.Context(), ValidateOptions{}, slice); err != nil || !answer.OK {
		t.Errorf("%v: %+v", err, answer)
	}
}

// Calls from many goroutines get each their own answer, and leave no memory behind.
func TestManyCalls(t *testing.T) {
	calls := func(number int) {
		var group sync.WaitGroup
		work := make(chan int)
		for range 32 {
			group.Go(func() {
				for at := range work {
					count := at%2*2 - 1
					answer, err := Validate(t.Context(), ValidateOptions{}, claim(count))
					if err != nil || (answer.Err() == nil) != (count == 1) {
						t.Errorf("call %d: %v: %+v", at, err, answer)
					}
				}
			})
		}
		for at := range number {
			work <- at
		}
		close(work)
		group.Wait()
	}
	// The memory of instances is part of the heap.
	inUse := func() uint64 {
		runtime.GC()
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapInuse
	}
	number := 10_000
	if testing.Short() {
		number = 500
	}
	calls(number / 10)
	before := inUse()
	began := time.Now()
	calls(number)
	took := time.Since(began)
	after := inUse()
	t.Logf("%d calls in %s: %d KiB in use before, %d KiB after", number, took, before>>10, after>>10)
	if after > before+4<<20 {
		t.Errorf("%d calls use %d bytes more", number, after-before)
	}
}

func TestALargeInstanceIsNotKept(t *testing.T) {
	engine, err := started()
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{maxIdleMemory, 1} {
		for len(engine.idle) > 0 {
			<-engine.idle
		}
		if _, err := Validate(t.Context(), ValidateOptions{}, strings.Repeat(" ", size)); err != nil {
			t.Fatal(err)
		}
		if isKept := len(engine.idle) == 1; isKept != (size == 1) {
			t.Errorf("after a text of %d bytes, the instance is kept: %t", size, isKept)
		}
	}
}

func BenchmarkValidate(b *testing.B) {
	if _, err := started(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Validate(b.Context(), ValidateOptions{}, claim(1)); err != nil {
			b.Fatal(err)
		}
	}
}
