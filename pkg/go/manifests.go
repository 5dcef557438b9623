package claimkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// File is a manifest with a name: YAML or JSON, any number of documents. Findings name it.
type File struct {
	Name string
	Text []byte
}

// source is a manifest in a request.
type source struct {
	Name string `json:"name"`
	Text string `json:"text"`
	// Offset of the first byte that is not UTF-8; JSON has U+FFFD in its place.
	Replaced *int `json:"replaced,omitempty"`
	isObject bool
}

// sources reads what the functions of this package take as manifests: texts ([]byte, string, File), objects of k8s.io/api and their
// lists, other objects with apiVersion and kind, such as unstructured.Unstructured, and slices of all these.
func sources(manifests ...any) ([]source, error) {
	return appendSources(nil, reflect.ValueOf(manifests))
}

func appendSources(read []source, value reflect.Value) ([]source, error) {
	for value.Kind() == reflect.Pointer || value.Kind() == reflect.Interface {
		value = value.Elem()
	}
	switch value.Kind() {
	case reflect.Invalid:
		return nil, errors.New("claimkit: a manifest is nil")
	case reflect.String:
		return append(read, text("", []byte(value.String()))), nil
	case reflect.Slice:
		if value.Type().Elem().Kind() == reflect.Uint8 {
			return append(read, text("", value.Bytes())), nil
		}
		return appendEach(read, value)
	case reflect.Struct:
		if file, ok := value.Interface().(File); ok {
			return append(read, text(file.Name, file.Text)), nil
		}
		if items := value.FieldByName("Items"); items.Kind() == reflect.Slice {
			return appendEach(read, items)
		}
		fallthrough
	case reflect.Map:
		object, err := object(value)
		return append(read, object), err
	default:
		return nil, fmt.Errorf("claimkit: %s is not a manifest", value.Type())
	}
}

func appendEach(read []source, values reflect.Value) ([]source, error) {
	var err error
	for at := 0; at < values.Len() && err == nil; at++ {
		read, err = appendSources(read, values.Index(at))
	}
	return read, err
}

func text(name string, bytes []byte) source {
	read := source{Name: name, Text: string(bytes)}
	for at := 0; at < len(bytes); {
		letter, size := utf8.DecodeRune(bytes[at:])
		if letter == utf8.RuneError && size == 1 {
			read.Replaced = &at
			break
		}
		at += size
	}
	return read
}

// groups are the packages of k8s.io/api whose objects claimkit reads, with their API groups.
var groups = map[string]string{
	"apps":       "apps/",
	"batch":      "batch/",
	"core":       "",
	"policy":     "policy/",
	"resource":   "resource.k8s.io/",
	"scheduling": "scheduling.k8s.io/",
	"storage":    "storage.k8s.io/",
}

// object reads an object. One of k8s.io/api gets the apiVersion and kind of its type if it has none: Go programs seldom set them.
func object(value reflect.Value) (source, error) {
	// A pointer to a copy: some types have MarshalJSON for pointers only.
	pointer := reflect.New(value.Type())
	pointer.Elem().Set(value)
	path, _ := strings.CutPrefix(value.Type().PkgPath(), "k8s.io/api/")
	name, version, _ := strings.Cut(path, "/")
	if group, ok := groups[name]; ok {
		kind := pointer.Elem().FieldByName("Kind")
		apiVersion := pointer.Elem().FieldByName("APIVersion")
		if kind.IsValid() && apiVersion.IsValid() && kind.String() == "" && apiVersion.String() == "" {
			kind.SetString(value.Type().Name())
			apiVersion.SetString(group + version)
		}
	}
	written, err := json.Marshal(pointer.Interface())
	if err != nil {
		return source{}, fmt.Errorf("claimkit: %w", err)
	}
	var head struct {
		Kind     string
		Metadata struct{ Namespace, Name string }
	}
	// What is wrong with it is a finding of the answer.
	_ = json.Unmarshal(written, &head)
	full := strings.TrimPrefix(head.Metadata.Namespace+"/"+head.Metadata.Name, "/")
	return source{Name: head.Kind + " " + full, Text: string(written), isObject: true}, nil
}
