package claimkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Common is what the answers of all functions have.
type Common struct {
	// OK says that no finding is an error, and that something was checked.
	OK       bool      `json:"ok"`
	Findings []Finding `json:"findings"`
	Objects  []Object  `json:"objects"`
	// RulesOf is set if the requested release is a pre-release, or one whose answers were never recorded.
	RulesOf *RulesOf `json:"rulesOf"`
}

// RulesOf is the release whose rules answer.
type RulesOf struct {
	Asked   string `json:"asked"`
	Release string `json:"release"`
	// Adjusted says that changes between the two are taken back, which are known from upstream's history only.
	Adjusted bool `json:"adjusted"`
}

// Finding is a message about a manifest.
type Finding struct {
	// Code is a stable name of the problem.
	Code string `json:"code"`
	// Severity is "error", "warning" or "info".
	Severity string `json:"severity"`
	// Origin is "kubectl", "kube-apiserver", "kube-scheduler" or "claimkit". The first three speak in their own words.
	Origin  string `json:"origin"`
	Message string `json:"message"`
	// Path of the field, if there is one.
	Path string `json:"path"`
	// Type is the reason in the server's Status, such as FieldValueInvalid.
	Type string `json:"type"`
	Help string `json:"help"`
	// File is the name of the File, or kind and name of the object.
	File string `json:"file"`
	// Object is an index into Objects.
	Object *int `json:"object"`
	// Range is nil for what was given as an object.
	Range *Range `json:"range"`
}

// Range is a part of a text.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Position is a place in a text. Lines and characters (UTF-16 code units) count from 0.
type Position struct {
	Line       int `json:"line"`
	Character  int `json:"character"`
	ByteOffset int `json:"byteOffset"`
}

// String returns the line of the finding that `claimkit validate` prints.
func (f Finding) String() string {
	var place strings.Builder
	if f.File != "" {
		place.WriteString(f.File + ":")
	}
	if f.Range != nil {
		fmt.Fprintf(&place, "%d:%d:", f.Range.Start.Line+1, f.Range.Start.Character+1)
	}
	if place.Len() > 0 {
		place.WriteString(" ")
	}
	return fmt.Sprintf("%s%s: %s [%s %s]", place.String(), f.Severity, f.Message, f.Origin, f.Code)
}

// Err returns nil if OK, and else the findings that are errors, each with its help; if none is, the warnings: nothing was checked.
func (c *Common) Err() error {
	if c.OK {
		return nil
	}
	var lines []string
	for _, severity := range []string{"error", "warning"} {
		for _, finding := range c.Findings {
			if finding.Severity != severity {
				continue
			}
			lines = append(lines, finding.String())
			if finding.Help != "" {
				lines = append(lines, "  "+finding.Help)
			}
		}
		if len(lines) > 0 {
			break
		}
	}
	return errors.New(strings.Join(lines, "\n"))
}

func (c *Common) common() *Common { return c }

// Object is an object of the manifests. Functions other than Validate and Convert leave their fields empty.
type Object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	Namespace  string `json:"namespace"`
	// Release is the one whose rules judged it.
	Release string `json:"release"`
	File    string `json:"file"`

	// Valid is nil for an object of another group, which is not checked.
	Valid *bool `json:"valid"`
	// Status is the server's refusal, a Status of meta/v1; null if the server accepts the object.
	Status json.RawMessage `json:"status"`

	// From and To are its apiVersion before and after the conversion.
	From      string     `json:"from"`
	To        string     `json:"to"`
	Changed   bool       `json:"changed"`
	Losses    []Loss     `json:"losses"`
	Decisions []Decision `json:"decisions"`
	// Skipped is why it was not converted, or which object now has its content.
	Skipped string `json:"skipped"`
}

// Loss is a field that the version does not have.
type Loss struct {
	Path   string          `json:"path"`
	Value  json.RawMessage `json:"value"`
	Reason string          `json:"reason"`
}

// Decision is a question that a person must answer, and what the conversion assumed.
type Decision struct {
	Code     string `json:"code"`
	Path     string `json:"path"`
	Question string `json:"question"`
	Assumed  string `json:"assumed"`
	Why      string `json:"why"`
	// Message has all of that in one line.
	Message string `json:"message"`
}

// Conversion is the answer of Convert.
type Conversion struct {
	Common
	// Text is the whole text converted; empty if the conversion is refused.
	Text string `json:"text"`
	// Files are the manifests in order, if there are several.
	Files []ConvertedFile `json:"files"`
}

// ConvertedFile is one of several manifests of Convert.
type ConvertedFile struct {
	Name string `json:"name"`
	// Text is the whole text converted; empty if its conversion is refused.
	Text string `json:"text"`
}

// Placement is the answer of Allocate. OK says that the question could be answered, not that all pods get their devices: see Err.
type Placement struct {
	Common
	Release string `json:"release"`
	// Allocator of kube-scheduler that the release uses.
	Allocator string `json:"allocator"`
	// Assumed is what the answer assumes, such as nodes that only slices name.
	Assumed []string `json:"assumed"`
	Pods    []Pod    `json:"pods"`
	// HowMany is the answer to the option of that name.
	HowMany *struct {
		Pod   string `json:"pod"`
		Count int    `json:"count"`
		// AtLeast says that more may fit.
		AtLeast bool `json:"atLeast"`
	} `json:"howMany"`
}

// Pod is a pod, or the claims that no pod uses, on every node.
type Pod struct {
	// Pod is its namespace/name; empty for claims that no pod uses.
	Pod    string   `json:"pod"`
	Claims []string `json:"claims"`
	// Before is the reason that stops the pod before any node is checked.
	Before *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Help    string `json:"help"`
	} `json:"before"`
	Nodes []Node `json:"nodes"`
	// Unknown says why it is not known what becomes of it: objects that decide were not given.
	Unknown string `json:"unknown"`
	// Turn is the outcome if pods are placed one after another; nil with the option Alone, and for claims that no pod uses.
	Turn *struct {
		// Outcome is "bound", "unschedulable" and so on.
		Outcome string `json:"outcome"`
		Node    string `json:"node"`
		// Message of kube-scheduler in the condition PodScheduled.
		Message string `json:"message"`
		Help    string `json:"help"`
		Devices []struct {
			Claim   string `json:"claim"`
			Request string `json:"request"`
			// Device is driver/pool/device.
			Device string `json:"device"`
			Admin  bool   `json:"admin"`
		} `json:"devices"`
	} `json:"turn"`
	// SameAs is an earlier pod with the same Nodes, which are empty here.
	SameAs string `json:"sameAs"`
}

// Node is a node for a pod or for claims.
type Node struct {
	Name string `json:"name"`
	// Verdict is "allocated", "none", "refused" and so on.
	Verdict string `json:"verdict"`
	// Message of kube-scheduler.
	Message string `json:"message"`
	// Allocations has an AllocationResult of resource.k8s.io/v1 for each claim.
	Allocations []json.RawMessage `json:"allocations"`
	// Text is the account of the node in one line.
	Text string `json:"text"`
	// Relaxations are tested changes after which the node has the devices.
	Relaxations []struct {
		Text  string   `json:"text"`
		Gives []string `json:"gives"`
	} `json:"relaxations"`
	// SameAs is an earlier node with the same account, which has the lists.
	SameAs string `json:"sameAs"`
}

// Err returns which pods and claims get no devices, with the account of each node and what helps; nil if all get theirs.
func (p *Placement) Err() error {
	if err := p.Common.Err(); err != nil {
		return err
	}
	var lines []string
	placed := map[string]bool{}
	for _, pod := range p.Pods {
		isPlaced := placed[pod.SameAs]
		for _, node := range pod.Nodes {
			isPlaced = isPlaced || node.Verdict == "allocated"
		}
		if pod.Turn != nil {
			isPlaced = pod.Turn.Node != ""
		}
		isPlaced = isPlaced && pod.Unknown == ""
		if placed[pod.Pod] = isPlaced; !isPlaced {
			lines = append(lines, pod.account()...)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return errors.New(strings.Join(lines, "\n"))
}

func (p *Pod) account() []string {
	name := p.Pod
	if name == "" {
		name = strings.Join(p.Claims, ", ")
	}
	if p.Unknown != "" {
		return []string{name + ": is " + p.Unknown}
	}
	var said []string
	if p.Before != nil {
		said = []string{p.Before.Message, p.Before.Help}
	} else if p.Turn != nil {
		said = []string{p.Turn.Message, p.Turn.Help}
	}
	for _, node := range p.Nodes {
		said = append(said, node.Text)
		for _, change := range node.Relaxations {
			said = append(said, change.Text)
		}
	}
	lines := []string{name + ":"}
	for _, line := range said {
		if line != "" {
			lines = append(lines, "  "+line)
		}
	}
	return lines
}

// AuditReport is the answer of Audit.
type AuditReport struct {
	Common
	Release string `json:"release"`
	// Usage is how much of the devices is in use.
	Usage struct {
		Nodes      []Usage `json:"nodes"`
		Pools      []Usage `json:"pools"`
		Drivers    []Usage `json:"drivers"`
		Classes    []Usage `json:"classes"`
		Namespaces []Usage `json:"namespaces"`
	} `json:"usage"`
}

// Usage is the use of a group of devices.
type Usage struct {
	// Name is empty for devices that no single node has.
	Name string `json:"name"`
	// Driver of a pool.
	Driver  string `json:"driver"`
	Devices struct {
		// Total, Blocked, Tainted and Free are nil if the group has no devices of its own, as a namespace.
		Total   *int `json:"total"`
		InUse   int  `json:"inUse"`
		Shared  int  `json:"shared"`
		Admin   int  `json:"admin"`
		Blocked *int `json:"blocked"`
		Tainted *int `json:"tainted"`
		Free    *int `json:"free"`
	} `json:"devices"`
	Capacity []Amount `json:"capacity"`
	Counters []Amount `json:"counters"`
}

// Amount is the use of a capacity or counter, as quantities.
type Amount struct {
	Name  string `json:"name"`
	Total string `json:"total"`
	Used  string `json:"used"`
	Free  string `json:"free"`
}

// Selection is the answer of CEL.
type Selection struct {
	Common
	Compile struct {
		OK bool `json:"ok"`
		// Type of the result.
		Type string `json:"type"`
		// Cost is the estimate, whose limit is 1,000,000; nil if the release has none.
		Cost *uint64 `json:"cost"`
		// Error of kube-apiserver.
		Error string `json:"error"`
		Help  string `json:"help"`
		// Warnings are about parts that the server accepts and that fail or have the same value on every device, and about names that no
		// given device has.
		Warnings []struct {
			Message string `json:"message"`
			Help    string `json:"help"`
		} `json:"warnings"`
	} `json:"compile"`
	// Results has one for each device; none if the expression does not compile.
	Results []struct {
		Match bool `json:"match"`
		// Error of kube-scheduler.
		Error string `json:"error"`
		// Help says what to write against the error, for the first device with it.
		Help string `json:"help"`
		Cost uint64 `json:"cost"`
		// Why, with the option Trace: the parts that decided.
		Why []string `json:"why"`
	} `json:"results"`
}

// AdmissionResponse is the answer of a policy to a request.
type AdmissionResponse struct {
	Accepted bool   `json:"accepted"`
	Message  string `json:"message"`
	Code     int    `json:"code"`
	// MutatedObject is set if the policy changes the object.
	MutatedObject    json.RawMessage   `json:"mutated_object"`
	AuditAnnotations map[string]string `json:"audit_annotations"`
	Warnings         []string          `json:"warnings"`
}

// PolicyResult is the answer of a ValidatingAdmissionPolicy, and of one of its bindings.
type PolicyResult struct {
	Policy string `json:"policy"`
	// Binding is empty if no binding is given.
	Binding string `json:"binding"`
	// Result is "pass", "fail", "warn", "audit", "skip" or "unknown".
	Result string `json:"result"`
	// Response is nil if the policy is not asked, or its answer is not known.
	Response *AdmissionResponse `json:"response"`
	// Notes say why it is not asked or not known, and what was assumed.
	Notes []string `json:"notes"`
}

// JudgedObject is what ValidatingAdmissionPolicies answer about an object.
type JudgedObject struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	// Response is nil if the answer of all policies is not known.
	Response *AdmissionResponse `json:"response"`
	Results  []PolicyResult     `json:"results"`
}

// Admission is the answer of Admit.
type Admission struct {
	Common
	// Response is nil if only settings or policies were given, and if the answer of Policies is not known.
	Response *AdmissionResponse `json:"response"`
	// Results are the answers of each of Policies to a request.
	Results []PolicyResult `json:"results"`
	// Judged are the answers about each object of Manifests.
	Judged []JudgedObject `json:"judged"`
	// Policies are the settings in the form that As asked for, as YAML.
	Policies string `json:"policies"`
	// Count is the number of these policies.
	Count int `json:"count"`
}
