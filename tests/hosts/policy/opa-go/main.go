// Evaluates the policy's bundle as Go programs do that embed Open Policy Agent: rego.LoadBundle, with OPA's own Wasm engine.
//
//	policy-opa-go BUNDLE REPLAY
//
// Every review of the fixtures must be answered as the crate answers it. Then a request with the settings in the data is timed.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	_ "github.com/open-policy-agent/opa/features/wasm"
	"github.com/open-policy-agent/opa/v1/rego"
)

// slowest is the longest median of an evaluation, with a bundle of 3 MB in the data.
const slowest = 2 * time.Millisecond

// control finds characters that OPA writes as Go does, such as \x00, which no reader of JSON takes.
var control = regexp.MustCompile(`\\u00[01][0-9a-f]`)

type fixture struct {
	Name   string `json:"name"`
	Review bool   `json:"review"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "policy-opa-go: write BUNDLE REPLAY")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "policy-opa-go:", err)
		os.Exit(1)
	}
}

func run(bundle, replay string) error {
	ctx := context.Background()
	query, err := prepare(ctx, bundle)
	if err != nil {
		return err
	}
	if err := reviews(ctx, query, replay); err != nil {
		return err
	}
	return settings(ctx, bundle)
}

func prepare(ctx context.Context, bundle string, data ...string) (rego.PreparedEvalQuery, error) {
	options := []func(*rego.Rego){rego.Query("data.claimkit.admit"), rego.LoadBundle(bundle)}
	if len(data) > 0 {
		options = append(options, rego.Load(data, nil))
	}
	return rego.New(options...).PrepareForEval(ctx)
}

func answer(ctx context.Context, query rego.PreparedEvalQuery, input any) (any, error) {
	set, err := query.Eval(ctx, rego.EvalInput(input))
	if err != nil {
		return nil, err
	}
	if len(set) != 1 || len(set[0].Expressions) != 1 {
		return nil, fmt.Errorf("%d results", len(set))
	}
	return set[0].Expressions[0].Value, nil
}

// same compares lists of violations: OPA sorts the keys of an input and writes blanks between them, which messages quote and follow.
func same(one, other any) bool {
	plain := func(value any) []string {
		list, ok := value.([]any)
		if !ok {
			list = []any{value}
		}
		var texts []string
		for _, item := range list {
			text, err := json.Marshal(item)
			if err != nil {
				return []string{err.Error()}
			}
			texts = append(texts, strings.ReplaceAll(string(text), " ", ""))
		}
		slices.Sort(texts)
		return texts
	}
	return slices.Equal(plain(one), plain(other))
}

// keysIn counts the keys of all objects in a text, those that are there twice, too.
func keysIn(text []byte) (int, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	count := 0
	// For each object or list that is open: whether it is an object, and how many tokens of it came.
	type open struct {
		isObject bool
		tokens   int
	}
	around := []open{{}}
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return count, nil
		}
		if err != nil {
			return 0, err
		}
		if token == json.Delim('}') || token == json.Delim(']') {
			around = around[:len(around)-1]
			continue
		}
		last := &around[len(around)-1]
		if last.isObject && last.tokens%2 == 0 {
			count++
		}
		last.tokens++
		if token == json.Delim('{') || token == json.Delim('[') {
			around = append(around, open{isObject: token == json.Delim('{')})
		}
	}
}

func reviews(ctx context.Context, query rego.PreparedEvalQuery, replay string) error {
	text, err := os.ReadFile(filepath.Join(replay, "index.json"))
	if err != nil {
		return err
	}
	var index []fixture
	if err := json.Unmarshal(text, &index); err != nil {
		return err
	}
	passed, failed, left := 0, 0, 0
	for number, fixture := range index {
		if !fixture.Review {
			continue
		}
		read := func(kind string) (text []byte, value any, err error) {
			text, err = os.ReadFile(filepath.Join(replay, fmt.Sprintf("%03d.%s", number, kind)))
			if err != nil {
				return nil, nil, err
			}
			// A number stays as it is written.
			decoder := json.NewDecoder(bytes.NewReader(text))
			decoder.UseNumber()
			return text, value, decoder.Decode(&value)
		}
		given, input, err := read("review")
		if err != nil {
			return err
		}
		_, expected, err := read("violations")
		if err != nil {
			return err
		}
		// Of a key that is there twice, Go keeps the last.
		keys, err := keysIn(given)
		if err != nil {
			return err
		}
		text, err := json.Marshal(input)
		if err != nil {
			return err
		}
		kept, err := keysIn(text)
		if err != nil {
			return err
		}
		if kept < keys || control.Match(text) {
			left++
			continue
		}
		answered, err := answer(ctx, query, input)
		if err != nil || !same(answered, expected) {
			failed++
			fmt.Printf("%s\n  expected %v\n  answered %v %v\n", fixture.Name, expected, answered, err)
			continue
		}
		passed++
	}
	fmt.Printf("rego.LoadBundle: %d passed, %d failed; %d cannot be asked of this host\n", passed, failed, left)
	if failed > 0 || passed == 0 || left > passed/10 {
		return fmt.Errorf("rego.LoadBundle answers differently")
	}
	return nil
}

// settings evaluates a request that the settings in the data refuse.
func settings(ctx context.Context, bundle string) error {
	folder, err := os.MkdirTemp("", "claimkit-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "settings.json")
	text := `{"claimkit": {"settings": {"deviceClasses": {"allow": ["gpu.example.com"]}}}, "else": {"a": 1}}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	query, err := prepare(ctx, bundle, file)
	if err != nil {
		return err
	}
	class := map[string]any{"deviceClassName": "tpu.example.com"}
	devices := map[string]any{"requests": []any{map[string]any{"name": "r", "exactly": class}}}
	input := map[string]any{"request": map[string]any{
		"uid": "1", "operation": "CREATE", "namespace": "a",
		"object": map[string]any{
			"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
			"metadata": map[string]any{"name": "c", "namespace": "a"},
			"spec":     map[string]any{"devices": devices},
		},
	}}
	var times []time.Duration
	for range 300 {
		start := time.Now()
		given, err := answer(ctx, query, input)
		times = append(times, time.Since(start))
		if err != nil {
			return err
		}
		result, _ := given.(map[string]any)
		if code, _ := result["code"].(json.Number); result["allowed"] != false || code != "403" {
			return fmt.Errorf("the settings of the data do not decide: %v", given)
		}
	}
	slices.Sort(times)
	median := times[len(times)/2]
	fmt.Printf("rego.LoadBundle with settings in the data: median %v, at most %v\n", median, slowest)
	if median > slowest {
		return fmt.Errorf("an evaluation takes %v", median)
	}
	return nil
}
