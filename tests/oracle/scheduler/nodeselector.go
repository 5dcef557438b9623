// Package scheduler asks kube-scheduler's plugin for dynamic resources, and node selectors.
package scheduler

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// SelectorFields are the fields of a line that hold an answer of [MatchNode].
var SelectorFields = []string{"eager", "eagerErr", "lazy", "lazyErr"}

type selection struct {
	Eager    *bool  `json:"eager,omitempty"`
	EagerErr string `json:"eagerErr,omitempty"`
	Lazy     bool   `json:"lazy"`
	LazyErr  string `json:"lazyErr,omitempty"`
}

// MatchNode matches a node with a node selector in both of upstream's ways: all terms parsed first, and each as it is needed.
func MatchNode(line []byte) (any, error) {
	var request struct {
		Sel  *corev1.NodeSelector `json:"sel"`
		Node *corev1.Node         `json:"node"`
	}
	if err := json.Unmarshal(line, &request); err != nil {
		return nil, err
	}
	var got selection
	if eager, err := nodeaffinity.NewNodeSelector(request.Sel); err != nil {
		got.EagerErr = err.Error()
	} else {
		match := eager.Match(request.Node)
		got.Eager = &match
	}
	match, err := nodeaffinity.NewLazyErrorNodeSelector(request.Sel).Match(request.Node)
	got.Lazy = match
	if err != nil {
		got.LazyErr = err.Error()
	}
	return got, nil
}
