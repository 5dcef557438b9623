// Package dra asks the module k8s.io/dynamic-resource-allocation: device selectors and the allocator.
package dra

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sort"

	resourceapi "k8s.io/api/resource/v1"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/dynamic-resource-allocation/cel"
)

// Derive evaluates an expression for a derived attribute.
type Derive func(context.Context, cel.CompilationResult, cel.Device) (*resourceapi.DeviceAttribute, *Details, error)

// Cel answers requests about expressions.
type Cel struct {
	// Derive is nil for releases without derived attributes.
	Derive Derive
	// Gates are those that are on by default, of those that concern expressions.
	Gates []string
	// Devices has the devices that requests name.
	Devices map[string]Device
}

// Device is a device as files name it.
type Device struct {
	Driver                   string                                                    `json:"driver"`
	Attributes               map[resourceapi.QualifiedName]resourceapi.DeviceAttribute `json:"attributes"`
	Capacity                 map[resourceapi.QualifiedName]resourceapi.DeviceCapacity  `json:"capacity"`
	AllowMultipleAllocations *bool                                                     `json:"allowMultipleAllocations"`
}

// ReadDevices reads files with devices by name.
func ReadDevices(files []string) (map[string]Device, error) {
	devices := map[string]Device{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &devices); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return devices, nil
}

// CelFields are the fields of a line that hold an answer about an expression.
var CelFields = []string{"compileError", "internal", "type", "maxCost", "result", "results", "panic"}

type celRequest struct {
	ID      string                     `json:"id"`
	Expr    string                     `json:"expr"`
	Env     string                     `json:"env"`
	Gates   *[]string                  `json:"gates"`
	Derived bool                       `json:"derived"`
	Device  json.RawMessage            `json:"device"`
	Results map[string]json.RawMessage `json:"results"`
}

type celAnswer struct {
	CompileError string               `json:"compileError,omitempty"`
	Internal     bool                 `json:"internal,omitempty"`
	Type         string               `json:"type,omitempty"`
	MaxCost      *uint64              `json:"maxCost,omitempty"`
	Result       *celResult           `json:"result,omitempty"`
	Results      map[string]celResult `json:"results,omitempty"`
	Panic        string               `json:"panic,omitempty"`
}

type celResult struct {
	Match      *bool                        `json:"match,omitempty"`
	Attribute  *resourceapi.DeviceAttribute `json:"attribute,omitempty"`
	Error      string                       `json:"error,omitempty"`
	Cost       *uint64                      `json:"cost,omitempty"`
	CostVaries bool                         `json:"costVaries,omitempty"`
	Varies     bool                         `json:"varies,omitempty"`
}

// repeats is how often upstream is asked again: the order of Go's maps can change costs and answers.
const repeats = 8

// features sets the fields of upstream's features whose gates are named.
func features(gates []string) cel.Features {
	var features cel.Features
	fields := reflect.ValueOf(&features).Elem()
	for _, gate := range gates {
		// DRAListTypeAttributes is the field EnableListTypeAttributes.
		if field := fields.FieldByName("Enable" + gate[len("DRA"):]); field.IsValid() {
			field.SetBool(true)
		}
	}
	return features
}

func (request celRequest) compile(gates []string) cel.CompilationResult {
	if request.Gates != nil {
		gates = *request.Gates
	}
	kind := environment.NewExpressions
	if request.Env == "stored" {
		kind = environment.StoredExpressions
	}
	options := cel.Options{EnvType: &kind}
	if request.Derived {
		reflect.ValueOf(&options).Elem().FieldByName("DerivedAttribute").SetBool(true)
	}
	return cel.GetCompiler(features(gates)).CompileCELExpression(request.Expr, options)
}

// Answer answers one request.
func (asked Cel) Answer(line []byte) (any, error) {
	var request celRequest
	if err := json.Unmarshal(line, &request); err != nil {
		return nil, err
	}
	return asked.answer(request)
}

func (asked Cel) answer(request celRequest) (answer *celAnswer, err error) {
	answer = &celAnswer{}
	defer func() {
		if panicked := recover(); panicked != nil {
			answer.Panic = fmt.Sprint(panicked)
		}
	}()
	if request.Derived && asked.Derive == nil {
		return nil, fmt.Errorf("%s: this release has no derived attributes", request.ID)
	}
	compiled := request.compile(asked.Gates)
	if compiled.Error != nil {
		answer.CompileError = compiled.Error.Detail
		answer.Internal = compiled.Error.Type == apiservercel.ErrorTypeInternal
		return answer, nil
	}
	answer.Type = compiled.OutputType.String()
	answer.MaxCost = &compiled.MaxCost
	if request.Device != nil {
		var device Device
		if err := json.Unmarshal(request.Device, &device); err != nil {
			return nil, err
		}
		result := asked.evaluate(compiled, device, request.Derived)
		answer.Result = &result
		return answer, nil
	}
	for name := range request.Results {
		device, known := asked.Devices[name]
		if !known {
			return nil, fmt.Errorf("%s: no device %q", request.ID, name)
		}
		if answer.Results == nil {
			answer.Results = map[string]celResult{}
		}
		answer.Results[name] = asked.evaluate(compiled, device, request.Derived)
	}
	return answer, nil
}

func (asked Cel) evaluate(compiled cel.CompilationResult, device Device, derived bool) celResult {
	first := asked.once(compiled, device, derived)
	for range repeats {
		next := asked.once(compiled, device, derived)
		if !reflect.DeepEqual(next.Cost, first.Cost) {
			first.CostVaries = true
		}
		next.Cost, next.CostVaries, next.Varies = first.Cost, first.CostVaries, first.Varies
		if !reflect.DeepEqual(next, first) {
			first.Varies = true
		}
	}
	return first
}

func (asked Cel) once(compiled cel.CompilationResult, device Device, derived bool) (result celResult) {
	var details *Details
	input, err := device.input()
	switch {
	case err != nil:
	case derived:
		result.Attribute, details, err = asked.Derive(context.Background(), compiled, input)
	default:
		var match bool
		match, details, err = compiled.DeviceMatches(context.Background(), input)
		result.Match = &match
	}
	if err != nil {
		result.Match, result.Attribute, result.Error = nil, nil, err.Error()
	}
	if details != nil {
		result.Cost = details.ActualCost()
	}
	return result
}

type overload struct {
	ID     string   `json:"id"`
	Args   []string `json:"args"`
	Result string   `json:"result"`
	Member bool     `json:"member,omitempty"`
}

// Functions returns what the environments of new and stored expressions declare: functions with their overloads, and macros.
func Functions(gates []string) (map[string]any, error) {
	all := map[string]any{}
	for _, env := range []string{"new", "stored"} {
		compiled := celRequest{Expr: "true", Env: env, Gates: &gates}.compile(nil)
		if compiled.Error != nil {
			return nil, fmt.Errorf("true: %s", compiled.Error.Detail)
		}
		functions := map[string][]overload{}
		for name, function := range compiled.Environment.Functions() {
			for _, declared := range function.OverloadDecls() {
				one := overload{ID: declared.ID(), Result: declared.ResultType().String(), Member: declared.IsMemberFunction()}
				for _, argument := range declared.ArgTypes() {
					one.Args = append(one.Args, argument.String())
				}
				functions[name] = append(functions[name], one)
			}
		}
		var macros []string
		for _, macro := range compiled.Environment.Macros() {
			macros = append(macros, fmt.Sprintf("%s/%d/%v", macro.Function(), macro.ArgCount(), macro.IsReceiverStyle()))
		}
		sort.Strings(macros)
		all[env] = map[string]any{"functions": functions, "macros": macros}
	}
	return all, nil
}
