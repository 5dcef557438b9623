package claimkit

import (
	"context"
	"encoding/json"
	"fmt"
)

// Cluster is the cluster that a question is about.
type Cluster struct {
	// Release is the release of Kubernetes, such as "1.36" or "1.36.2". Empty: the newest final one that serves the object's version; for
	// Allocate and Audit the newest one, or that of the kubelets.
	Release string `json:"release,omitempty"`
	// Gates override the feature gates of the release.
	Gates map[string]bool `json:"gates,omitempty"`
}

// ValidateOptions are the options of Validate.
type ValidateOptions struct {
	Cluster
	// Namespace of objects without one. Empty: default.
	Namespace string `json:"namespace,omitempty"`
	// NamespaceLabels are the labels of the namespace: claims with admin access need one.
	NamespaceLabels map[string]string `json:"namespaceLabels,omitempty"`
	// Operation is "create", "update" or "updateStatus". Empty: create.
	Operation string `json:"operation,omitempty"`
	// Old is the stored object of an update, or a slice of all stored objects.
	Old any `json:"-"`
	// Via is "kubectl" or "server". Empty: kubectl. Programs that use client-go reach the server directly.
	Via string `json:"via,omitempty"`
}

// Validate returns kube-apiserver's answer to manifests: to new ones, or to those that update Old.
func Validate(ctx context.Context, options ValidateOptions, manifests ...any) (*Common, error) {
	answer := new(Common)
	read, err := sources(manifests...)
	if err != nil {
		return nil, err
	}
	if options.Old == nil {
		return answer, ask(ctx, struct {
			Verb string `json:"verb"`
			ValidateOptions
			Sources []source `json:"sources"`
		}{"validate", options, read}, answer, read...)
	}
	old, err := sources(options.Old)
	if err != nil {
		return nil, err
	}
	return answer, ask(ctx, struct {
		Verb string `json:"verb"`
		ValidateOptions
		Sources []source `json:"sources"`
		Old     []source `json:"old"`
	}{"validate", options, read, old}, answer, append(read, old...)...)
}

// ConvertOptions are the options of Convert.
type ConvertOptions struct {
	// To is the version, such as "v1", or a release, such as "1.36", for the newest version that it serves.
	To string `json:"to,omitempty"`
	// Lossy is "refuse" or "allow". Empty: refuse a conversion that loses fields.
	Lossy string `json:"lossy,omitempty"`
	// Annotate writes decisions as comments into the text.
	Annotate bool `json:"annotate,omitempty"`
}

// Convert converts manifests to another version. A text keeps its comments, order and quoting. The answer has Text for one manifest,
// and Files for several, each of which is converted as a file of its own.
func Convert(ctx context.Context, options ConvertOptions, manifests ...any) (*Conversion, error) {
	all, err := sources(manifests...)
	if err != nil {
		return nil, err
	}
	answer := new(Conversion)
	if len(all) != 1 {
		return answer, ask(ctx, struct {
			Verb string `json:"verb"`
			ConvertOptions
			Sources []source `json:"sources"`
		}{"convert", options, all}, answer, all...)
	}
	read := all[0]
	return answer, ask(ctx, struct {
		Verb string `json:"verb"`
		ConvertOptions
		Text     string          `json:"text"`
		Replaced map[string]*int `json:"replaced"`
	}{"convert", options, read.Text, map[string]*int{"text": read.Replaced}}, answer, read)
}

// AllocateOptions are the options of Allocate.
type AllocateOptions struct {
	Cluster
	// Namespace of objects without one. Empty: default.
	Namespace string `json:"namespace,omitempty"`
	// Alone places each pod as if no other pod waited, by its devices only.
	Alone bool `json:"alone,omitempty"`
	// Pod, as namespace/name, is the only one to answer for.
	Pod string `json:"pod,omitempty"`
	// Claims, as namespace/name, are allocated together, instead of pods.
	Claims []string `json:"claims,omitempty"`
	// HowMany repeats Pod, or the only pod, until no more fits.
	HowMany bool `json:"howMany,omitempty"`
}

// Allocate places the pods of manifests on the devices of slices as kube-scheduler does. Claims that no pod uses are placed together.
// Nodes that only slices name are assumed.
func Allocate(ctx context.Context, options AllocateOptions, manifests ...any) (*Placement, error) {
	read, err := sources(manifests...)
	if err != nil {
		return nil, err
	}
	answer := new(Placement)
	return answer, ask(ctx, struct {
		Verb string `json:"verb"`
		AllocateOptions
		Sources []source `json:"sources"`
	}{"allocate", options, read}, answer, read...)
}

// Audit returns what is wrong in a cluster as it is, and how many of its devices are in use.
func Audit(ctx context.Context, cluster Cluster, manifests ...any) (*AuditReport, error) {
	read, err := sources(manifests...)
	if err != nil {
		return nil, err
	}
	answer := new(AuditReport)
	return answer, ask(ctx, struct {
		Verb string `json:"verb"`
		Cluster
		Sources []source `json:"sources"`
	}{"audit", cluster, read}, answer, read...)
}

// CELOptions are the options of CEL.
type CELOptions struct {
	Cluster
	// Driver of the devices: Device of k8s.io/api/resource does not name it.
	Driver string `json:"-"`
	// Trace asks for the parts that decided.
	Trace bool `json:"trace,omitempty"`
}

// CEL compiles a device selector as kube-apiserver does, and runs it on devices: a slice of Device of k8s.io/api/resource, or of another
// type with the same JSON; nil for none.
func CEL(ctx context.Context, options CELOptions, expression string, devices any) (*Selection, error) {
	text, err := json.Marshal(devices)
	if err != nil {
		return nil, fmt.Errorf("claimkit: devices: %w", err)
	}
	// What a selector can read of a device.
	type readable struct {
		Driver                   string                     `json:"driver"`
		Attributes               map[string]json.RawMessage `json:"attributes"`
		Capacity                 map[string]json.RawMessage `json:"capacity"`
		AllowMultipleAllocations bool                       `json:"allowMultipleAllocations"`
	}
	var given []struct {
		readable
		// Devices of v1alpha3 and v1beta1 have it.
		Basic *readable
	}
	if err := json.Unmarshal(text, &given); err != nil {
		return nil, fmt.Errorf("claimkit: devices: %w", err)
	}
	read := make([]readable, len(given))
	for at, device := range given {
		read[at] = device.readable
		if device.Basic != nil {
			read[at] = *device.Basic
		}
		if options.Driver != "" {
			read[at].Driver = options.Driver
		}
	}
	answer := new(Selection)
	return answer, ask(ctx, struct {
		Verb string `json:"verb"`
		CELOptions
		Expression string     `json:"expression"`
		Devices    []readable `json:"devices"`
	}{"cel", options, expression, read}, answer)
}

// AdmitOptions are the options of Admit.
type AdmitOptions struct {
	// Settings of the policy: a value that encodes to their JSON, or the JSON as json.RawMessage.
	Settings any `json:"settings,omitempty"`
	// NamespaceLabels are the labels of the request's namespace.
	NamespaceLabels map[string]string `json:"namespaceLabels,omitempty"`
	// As prints the settings as policies: "vap", "map" or "kyverno". Only without a request.
	As string `json:"as,omitempty"`
	// Name is the beginning of the names of the printed policies; the default is "claimkit".
	Name string `json:"name,omitempty"`
	// Policies are ValidatingAdmissionPolicies with their bindings, parameters and Namespaces as YAML or JSON, in place of settings.
	Policies string `json:"policies,omitempty"`
	// Release is that of the API server of Policies; the default is the last one that serves the object.
	Release string `json:"release,omitempty"`
	// Manifests are objects that Policies judge, in place of a request. They may be parameters and Namespaces, too.
	Manifests string `json:"manifests,omitempty"`
	// Old are the stored objects: what Manifests have of these is an update.
	Old string `json:"old,omitempty"`
	// Operation of the requests about Manifests: "CREATE", "UPDATE" or "DELETE".
	Operation string `json:"operation,omitempty"`
	// Namespace of objects that name none; the default is "default".
	Namespace string `json:"namespace,omitempty"`
	// Username of the requests about Manifests; the default is "kubernetes-admin".
	Username string `json:"username,omitempty"`
	// Groups of the user, beside "system:authenticated".
	Groups []string `json:"groups,omitempty"`
}

// Admit answers an AdmissionRequest, or the AdmissionReview around it, as the admission policy does: JSON in a []byte, or an object of
// k8s.io/api/admission; a review needs its kind. Without a request (nil) the settings alone are checked, or printed.
func Admit(ctx context.Context, options AdmitOptions, request any) (*Admission, error) {
	if text, ok := request.([]byte); ok {
		request = json.RawMessage(text)
	}
	answer := new(Admission)
	return answer, ask(ctx, struct {
		Verb string `json:"verb"`
		AdmitOptions
		Request any `json:"request,omitempty"`
	}{"admit", options, request}, answer)
}
