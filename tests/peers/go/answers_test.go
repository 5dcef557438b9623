package peers

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	claimkit "github.com/OWNER/claimkit-go"
	admissionv1 "k8s.io/api/admission/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// The package answers with the bytes of the command.
func TestAnswersAreThoseOfTheCommand(t *testing.T) {
	command := os.Getenv("CLAIMKIT")
	if command == "" {
		t.Skip("CLAIMKIT does not name the command")
	}
	files, err := filepath.Glob("../../manifests/*.yaml")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d manifests: %v", len(files), err)
	}
	var requests [][]byte
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources := []map[string]string{{"name": file, "text": string(text)}}
		for _, request := range []map[string]any{
			{"verb": "validate", "sources": sources},
			{"verb": "validate", "sources": sources, "release": "1.31"},
			{"verb": "convert", "text": string(text), "to": "v1", "lossy": "allow"},
			{"verb": "allocate", "sources": sources},
			{"verb": "audit", "sources": sources},
			{"verb": "upgrade", "sources": sources, "to": "1.37"},
			{"verb": "cel", "expression": string(text), "devices": []any{}},
			{"verb": "admit", "request": map[string]string{"object": string(text)}},
		} {
			written, err := json.Marshal(request)
			if err != nil {
				t.Fatal(err)
			}
			requests = append(requests, written)
		}
	}
	batch := exec.Command(command, "batch")
	batch.Stdin = bytes.NewReader(append(bytes.Join(requests, []byte("\n")), '\n'))
	printed, err := batch.Output()
	if _, isExit := err.(*exec.ExitError); err != nil && !isExit {
		t.Fatal(err)
	}
	answers := bytes.Split(bytes.TrimSuffix(printed, []byte("\n")), []byte("\n"))
	if len(answers) != len(requests) {
		t.Fatalf("%d answers to %d requests", len(answers), len(requests))
	}
	for at, request := range requests {
		answer, err := claimkit.Answer(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(answer, answers[at]) {
			t.Errorf("%s\nthe package: %s\nthe command: %s", request, answer, answers[at])
		}
	}
	t.Logf("%d answers are the same", len(requests))
}

// Every member of the types is one of the contract.
func TestTypesAreThoseOfTheContract(t *testing.T) {
	contract, err := os.ReadFile("../../../src/bindings/types.d.ts")
	if err != nil {
		t.Fatal(err)
	}
	members := map[string]bool{}
	for _, found := range regexp.MustCompile(`(\w+)\??: `).FindAllSubmatch(contract, -1) {
		members[string(found[1])] = true
	}
	tried := map[string]bool{}
	var check func(reflect.Type)
	check = func(of reflect.Type) {
		switch of.Kind() {
		case reflect.Slice, reflect.Pointer, reflect.Map:
			check(of.Elem())
		case reflect.Struct:
			for at := range of.NumField() {
				name, _, _ := strings.Cut(of.Field(at).Tag.Get("json"), ",")
				if tried[name] = true; name != "" && name != "-" && !members[name] {
					t.Errorf("%s.%s is not in the contract", of, name)
				}
				check(of.Field(at).Type)
			}
		}
	}
	for _, of := range []any{
		claimkit.Common{}, claimkit.Conversion{}, claimkit.Placement{}, claimkit.AuditReport{}, claimkit.Selection{}, claimkit.Admission{},
		claimkit.ValidateOptions{}, claimkit.ConvertOptions{}, claimkit.AllocateOptions{}, claimkit.CELOptions{}, claimkit.AdmitOptions{},
	} {
		check(reflect.TypeOf(of))
	}
	if len(tried) < 80 {
		t.Errorf("only %d members", len(tried))
	}
}

func validate(t *testing.T, manifests ...any) *claimkit.Common {
	t.Helper()
	answer, err := claimkit.Validate(t.Context(), claimkit.ValidateOptions{Via: "server"}, manifests...)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestObjectsInAllForms(t *testing.T) {
	in := clusterOf(2, 1)
	slice := *in.slices[0]
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&slice)
	if err != nil {
		t.Fatal(err)
	}
	object["apiVersion"], object["kind"] = "resource.k8s.io/v1", "ResourceSlice"
	free := unstructured.Unstructured{Object: object}
	for _, manifest := range []any{
		slice, &slice, in.slices, []any{&slice}, []runtime.Object{&slice}, resourcev1.ResourceSliceList{Items: []resourcev1.ResourceSlice{slice}},
		object, free, &free, []unstructured.Unstructured{free}, &unstructured.UnstructuredList{Items: []unstructured.Unstructured{free}},
	} {
		answer := validate(t, manifest)
		if err := answer.Err(); err != nil || len(answer.Objects) != 1 || answer.Objects[0].APIVersion != "resource.k8s.io/v1" {
			t.Errorf("%T: %v: %+v", manifest, err, answer)
		}
	}
	if slice.Kind != "" {
		t.Error("the caller's object is changed")
	}
	answer := validate(t, in.node, in.class, in.claim, &resourcev1beta1.DeviceClass{})
	last := answer.Objects[3]
	if last.APIVersion != "resource.k8s.io/v1beta1" || last.Kind != "DeviceClass" || *last.Valid || !*answer.Objects[2].Valid {
		t.Errorf("%+v", answer.Objects)
	}
	finding := answer.Findings[len(answer.Findings)-1]
	if finding.Range != nil || finding.File != "DeviceClass " {
		t.Errorf("%+v", finding)
	}
}

func TestDevicesOfTypes(t *testing.T) {
	in := clusterOf(4, 1)
	selected, err := claimkit.CEL(t.Context(), claimkit.CELOptions{Driver: driver},
		`device.attributes["gpu.example.com"].model == "H100"`, in.slices[0].Spec.Devices)
	if err != nil {
		t.Fatal(err)
	}
	for at, result := range selected.Results {
		if result.Match != (at%2 == 1) || result.Error != "" {
			t.Errorf("device %d: %+v", at, result)
		}
	}
}

func TestReviewsOfTypes(t *testing.T) {
	in := clusterOf(1, 1)
	in.claim.APIVersion, in.claim.Kind = "resource.k8s.io/v1", "ResourceClaim"
	in.claim.Spec.Devices.Requests[0].Exactly.Count = -1
	request := admissionv1.AdmissionRequest{UID: "1", Operation: admissionv1.Create, Name: in.claim.Name, Namespace: "default"}
	request.Kind.Group, request.Kind.Version, request.Kind.Kind = "resource.k8s.io", "v1", "ResourceClaim"
	request.Resource.Group, request.Resource.Version, request.Resource.Resource = "resource.k8s.io", "v1", "resourceclaims"
	request.Object.Object = in.claim
	review := admissionv1.AdmissionReview{Request: &request}
	review.Kind = "AdmissionReview"
	for _, review := range []any{&request, review} {
		answer, err := claimkit.Admit(t.Context(), claimkit.AdmitOptions{}, review)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Response == nil || answer.Response.Accepted || !strings.Contains(answer.Response.Message, "must be greater than zero") {
			t.Errorf("%T: %+v", review, answer.Response)
		}
	}
}
