// Package record reads requests, one JSON object a line, and writes each back with upstream's answers in place of its own. The
// formats are those of tests/vectors.
package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sort"
	"strings"
)

// Asked is a kind of request.
type Asked struct {
	// Fields are those of a line that hold answers; all others are the request.
	Fields []string
	// Answer returns the fields of the answer, as a struct or a map; what it leaves out is absent in the answer.
	Answer func(line []byte) (any, error)
}

// over returns the line with the fields of the answer in place of its own.
func (asked Asked) over(line []byte) (map[string]json.RawMessage, error) {
	whole := map[string]json.RawMessage{}
	if err := json.Unmarshal(line, &whole); err != nil {
		return nil, err
	}
	for _, field := range asked.Fields {
		delete(whole, field)
	}
	answer, err := asked.Answer(line)
	if err != nil {
		return nil, err
	}
	text, err := Encode(answer)
	if err != nil {
		return nil, err
	}
	return whole, json.Unmarshal(text, &whole)
}

// Encode returns a value as JSON on one line, with <, > and & as they are.
func Encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimRight(out.Bytes(), "\n"), err
}

// Lines returns the lines of the input that are not empty.
func Lines(in io.Reader) ([][]byte, error) {
	all, err := io.ReadAll(in)
	var lines [][]byte
	for line := range bytes.SplitSeq(all, []byte("\n")) {
		if len(bytes.TrimSpace(line)) > 0 {
			lines = append(lines, line)
		}
	}
	return lines, err
}

// Each writes the answer to every line of the input.
func Each(in io.Reader, out io.Writer, asked Asked) error {
	lines, err := Lines(in)
	if err != nil {
		return err
	}
	buffer := bufio.NewWriter(out)
	for number, line := range lines {
		got, err := asked.over(line)
		if err != nil {
			return fmt.Errorf("line %d: %w", number+1, err)
		}
		text, err := Encode(got)
		if err != nil {
			return fmt.Errorf("line %d: %w", number+1, err)
		}
		buffer.Write(append(text, '\n'))
	}
	return buffer.Flush()
}

// Gates is a set of feature gates.
type Gates map[string]bool

// String returns the gates as a flag has them.
func (gates Gates) String() string {
	var set []string
	for name, on := range gates {
		set = append(set, fmt.Sprintf("%s=%v", name, on))
	}
	sort.Strings(set)
	return strings.Join(set, ",")
}

// ByGates runs this program once for each set of gates, with the arguments and the gates as the last one: gates are set once in a
// process. The answers come in the order of the lines.
func ByGates(in io.Reader, out io.Writer, arguments ...string) error {
	lines, err := Lines(in)
	if err != nil {
		return err
	}
	groups := map[string][]int{}
	for at, line := range lines {
		var request struct{ Gates Gates }
		if err := json.Unmarshal(line, &request); err != nil {
			return fmt.Errorf("line %d: %w", at+1, err)
		}
		key := request.Gates.String()
		groups[key] = append(groups[key], at)
	}
	answers := make([][]byte, len(lines))
	for gates, group := range groups {
		var input bytes.Buffer
		for _, at := range group {
			input.Write(append(lines[at], '\n'))
		}
		child := exec.Command(os.Args[0], append(arguments, gates)...)
		child.Stdin, child.Stderr = &input, os.Stderr
		output, err := child.Output()
		if err != nil {
			return fmt.Errorf("gates %q: %w", gates, err)
		}
		got, err := Lines(bytes.NewReader(output))
		if err != nil || len(got) != len(group) {
			return fmt.Errorf("gates %q: %d answers to %d lines (%v)", gates, len(got), len(group), err)
		}
		for index, at := range group {
			answers[at] = got[index]
		}
	}
	_, err = out.Write(append(bytes.Join(answers, []byte("\n")), '\n'))
	return err
}
