// Package read asks how texts are read: YAML as kubectl and the server read it, and streams as kubectl takes them apart.
package read

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/resource"
	"sigs.k8s.io/yaml"
)

// YAMLFields are the fields of a line that hold an answer of [YAML].
var YAMLFields = []string{"ok", "err", "strict"}

// YAML reads one YAML document as JSON, leniently and strictly.
func YAML(line []byte) (any, error) {
	var request struct{ In string }
	if err := json.Unmarshal(line, &request); err != nil {
		return nil, err
	}
	got := map[string]any{}
	text, err := yaml.YAMLToJSON([]byte(request.In))
	if err != nil {
		got["err"] = err.Error()
		return got, nil
	}
	got["ok"] = json.RawMessage(text)
	if _, err := yaml.YAMLToJSONStrict([]byte(request.In)); err != nil {
		got["strict"] = err.Error()
	}
	return got, nil
}

// StreamFields are the fields of a line that hold an answer of [Stream].
var StreamFields = []string{"objects", "errors"}

// Stream reads a text as kubectl reads a file: the objects in order, and its errors.
func Stream(line []byte) (any, error) {
	var request struct{ In string }
	if err := json.Unmarshal(line, &request); err != nil {
		return nil, err
	}
	objects, problems := []any{}, []string{}
	builder := resource.NewLocalBuilder().ContinueOnError().Flatten().Unstructured()
	err := builder.Stream(io.Reader(bytes.NewReader([]byte(request.In))), "t.yaml").Do().Visit(func(info *resource.Info, err error) error {
		if err != nil {
			return err
		}
		if object, is := info.Object.(*unstructured.Unstructured); is {
			objects = append(objects, object.Object)
		}
		return nil
	})
	if err != nil {
		problems = strings.Split(err.Error(), "\n")
	}
	return map[string]any{"objects": objects, "errors": problems}, nil
}
