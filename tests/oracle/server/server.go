// Package server asks the registry strategies of kube-apiserver what they answer to a request, with the steps of the handlers around
// them: decoding, defaults, the strategy's preparation, hand-written and declarative validation, and the trip through the storage.
package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/deprecation"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/warning"
	client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
)

const group = "resource.k8s.io"

// Strategy has the strategies of one kind; Status is nil if it has no status.
type Strategy struct {
	Create         rest.RESTCreateStrategy
	Update, Status rest.RESTUpdateStrategy
}

// Kind is a kind that a release serves.
type Kind struct {
	Plural     string
	Namespaced bool
	// Served are the versions; Storage is the one in which objects are stored.
	Served  []string
	Storage string
	// Strategy returns the strategies, which may look up the namespace.
	Strategy func(client.NamespaceInterface) Strategy
}

// Server answers requests.
type Server struct {
	Minor int
	Kinds map[string]Kind
}

// Fields are the fields of a line that hold answers.
var Fields = []string{"strict", "decode", "status", "warnings", "stored", "panic", "dropped", "unstable", "notServed"}

type request struct {
	ID              string            `json:"id"`
	Version         string            `json:"version"`
	Kind            string            `json:"kind"`
	Op              string            `json:"op"`
	NamespaceLabels map[string]string `json:"namespaceLabels"`
	Object          json.RawMessage   `json:"object"`
	Text            *string           `json:"text"`
	Old             json.RawMessage   `json:"old"`
}

type cause struct {
	Field   string `json:"field"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

type status struct {
	Code    int32   `json:"code"`
	Reason  string  `json:"reason"`
	Message string  `json:"message"`
	Causes  []cause `json:"causes,omitempty"`
}

type answer struct {
	Strict    []string                   `json:"strict,omitempty"`
	Decode    string                     `json:"decode,omitempty"`
	Status    *status                    `json:"status,omitempty"`
	Warnings  []string                   `json:"warnings,omitempty"`
	Stored    map[string]json.RawMessage `json:"stored,omitempty"`
	Panic     string                     `json:"panic,omitempty"`
	Unstable  bool                       `json:"unstable,omitempty"`
	NotServed bool                       `json:"notServed,omitempty"`
}

// repeats is how often a refusal with several causes is asked for: the order of Go's maps can change it.
const repeats = 20

var internal = schema.GroupVersion{Group: group, Version: runtime.APIVersionInternal}

func serializer(mediaType string) runtime.SerializerInfo {
	found, ok := runtime.SerializerInfoForMediaType(legacyscheme.Codecs.SupportedMediaTypes(), mediaType)
	if !ok {
		panic("no serializer for " + mediaType)
	}
	return found
}

// sent writes a body as the recorded requests were sent: keys sorted, `, ` and `: ` between tokens.
func sent(body json.RawMessage) []byte {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		panic(err)
	}
	var out bytes.Buffer
	write(&out, value)
	return out.Bytes()
}

func write(out *bytes.Buffer, value any) {
	switch value := value.(type) {
	case map[string]any:
		keys := make([]string, 0, len(value))
		for key := range value {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		out.WriteByte('{')
		for at, key := range keys {
			if at > 0 {
				out.WriteString(", ")
			}
			write(out, key)
			out.WriteString(": ")
			write(out, value[key])
		}
		out.WriteByte('}')
	case []any:
		out.WriteByte('[')
		for at, item := range value {
			if at > 0 {
				out.WriteString(", ")
			}
			write(out, item)
		}
		out.WriteByte(']')
	default:
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(value); err != nil {
			panic(err)
		}
		out.Truncate(out.Len() - 1)
	}
}

func empty(kind string) runtime.Object {
	object, err := legacyscheme.Scheme.New(internal.WithKind(kind))
	if err != nil {
		panic(err)
	}
	return object
}

func encode(object runtime.Object, version, mediaType string) ([]byte, error) {
	encoder := legacyscheme.Codecs.EncoderForVersion(serializer(mediaType).Serializer, schema.GroupVersion{Group: group, Version: version})
	var out bytes.Buffer
	err := encoder.Encode(object, &out)
	return bytes.TrimSpace(out.Bytes()), err
}

// Answer answers one request.
func (server Server) Answer(line []byte) (any, error) {
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		return nil, err
	}
	kind, known := server.Kinds[asked.Kind]
	served := false
	for _, version := range kind.Served {
		served = served || version == asked.Version
	}
	if !known || !served {
		return answer{NotServed: true}, nil
	}
	got, err := server.answer(asked, kind)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", asked.ID, err)
	}
	return got, nil
}

func (server Server) answer(asked request, kind Kind) (got answer, err error) {
	gvk := schema.GroupVersionKind{Group: group, Version: asked.Version, Kind: asked.Kind}
	body := []byte(nil)
	if asked.Text != nil {
		body = []byte(*asked.Text)
	} else {
		body = sent(asked.Object)
	}
	versioned, err := legacyscheme.Scheme.New(gvk)
	if err != nil {
		return got, err
	}
	versioned.GetObjectKind().SetGroupVersionKind(gvk)
	if deprecation.IsDeprecated(versioned, 1, server.Minor) {
		got.Warnings = append(got.Warnings, deprecation.WarningMessage(versioned))
	}
	media := serializer(runtime.ContentTypeJSON)
	_, _, err = legacyscheme.Codecs.DecoderToVersion(media.StrictSerializer, internal).Decode(body, &gvk, empty(asked.Kind))
	if strict, is := runtime.AsStrictDecodingError(err); is {
		for _, one := range strict.Errors() {
			got.Strict = append(got.Strict, one.Error())
		}
	}
	original := empty(asked.Kind)
	lenient := legacyscheme.Codecs.DecoderToVersion(media.Serializer, internal)
	object, found, err := lenient.Decode(body, &gvk, original)
	if err != nil {
		got.Decode = err.Error()
		got.Status = statusOf(undecodable(err, original, found, body), "")
		return got, nil
	}
	if found.GroupVersion() != gvk.GroupVersion() {
		got.Status = statusOf(apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)", found.GroupVersion(), gvk.GroupVersion())), "")
		return got, nil
	}
	var old runtime.Object
	if asked.Op != "create" {
		if old, _, err = lenient.Decode(sent(asked.Old), &gvk, empty(asked.Kind)); err != nil {
			return got, fmt.Errorf("old: %w", err)
		}
	}
	defer func() {
		if panicked := recover(); panicked != nil {
			got = answer{Strict: got.Strict, Panic: fmt.Sprint(panicked)}
		}
	}()
	generated := ""
	pristine, pristineOld := object.DeepCopyObject(), copied(old)
	refused, warnings := kind.call(asked, object, old, &generated)
	got.Warnings = append(got.Warnings, warnings...)
	if refused != nil {
		got.Status = statusOf(refused, generated)
		for range repeats {
			again, _ := kind.call(asked, pristine.DeepCopyObject(), copied(pristineOld), &generated)
			got.Unstable = got.Unstable || again == nil || !reflect.DeepEqual(statusOf(again, generated), got.Status)
		}
		return got, nil
	}
	got.Stored, err = kind.stored(object, asked.Op == "create", generated)
	return got, err
}

func copied(object runtime.Object) runtime.Object {
	if object == nil {
		return nil
	}
	return object.DeepCopyObject()
}

// undecodable is the error that the handlers make of one of the decoder.
func undecodable(err error, into runtime.Object, gvk *schema.GroupVersionKind, body []byte) error {
	kinds, _, _ := legacyscheme.Scheme.ObjectKinds(into)
	if gvk != nil && len(gvk.Kind) > 0 {
		return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", gvk.Kind, gvk.Version, kinds[0].Kind, err))
	}
	shown := fmt.Sprintf("%x", body[:min(len(body), 30)])
	switch {
	case len(body) == 0:
		shown = "<empty>"
	case body[0] == '{':
		shown = string(body[:min(len(body), 30)])
	}
	if len(body) > 30 {
		shown += " ..."
	}
	return apierrors.NewBadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", kinds[0].Kind, err, shown))
}

var (
	pointer = regexp.MustCompile(`\(0x[0-9a-f]{5,}\)|0x[0-9a-f]{8,}`)
	moment  = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
)

// stable writes pointers, which Go prints with their address, and times from the clock so that every run gives the same.
func stable(text string) string {
	text = pointer.ReplaceAllString(text, "(0xPTR)")
	return moment.ReplaceAllStringFunc(text, func(found string) string {
		at, err := time.Parse(time.RFC3339, found)
		if err != nil || time.Since(at).Abs() > time.Hour {
			return found
		}
		return "(NOW)"
	})
}

// hidden writes a generated name with a fixed end.
func hidden(text, generated string) string {
	const random = 5
	if generated == "" {
		return text
	}
	return strings.ReplaceAll(text, generated, generated[:len(generated)-random]+"xxxxx")
}

func statusOf(err error, generated string) *status {
	whole := responsewriters.ErrorToAPIStatus(err)
	got := status{Code: whole.Code, Reason: string(whole.Reason), Message: hidden(stable(whole.Message), generated)}
	if whole.Details != nil {
		for _, one := range whole.Details.Causes {
			got.Causes = append(got.Causes, cause{one.Field, string(one.Type), hidden(stable(one.Message), generated)})
		}
	}
	return &got
}

// namespaces answers for every namespace with the same labels.
type namespaces struct {
	client.NamespaceInterface
	labels map[string]string
}

func (all namespaces) Get(_ context.Context, name string, _ metav1.GetOptions) (*corev1.Namespace, error) {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: all.labels}}, nil
}

// Allow authorizes everything.
type Allow struct{}

// Authorize allows.
func (Allow) Authorize(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionAllow, "", nil
}

type warnings struct{ texts []string }

func (all *warnings) AddWarning(_, text string) { all.texts = append(all.texts, text) }

// call does what the handlers and the store do around a strategy.
func (kind Kind) call(asked request, object, old runtime.Object, generated *string) (error, []string) {
	strategy := kind.Strategy(namespaces{labels: asked.NamespaceLabels})
	said := &warnings{}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return err, nil
	}
	namespace := ""
	if kind.Namespaced {
		owner := accessor
		if old != nil {
			owner, _ = meta.Accessor(old)
		}
		if namespace = owner.GetNamespace(); namespace == "" {
			namespace = metav1.NamespaceDefault
		}
	}
	ctx := kind.context(asked, namespace, accessor.GetName(), said)
	if asked.Op == "create" {
		rest.WipeObjectMetaSystemFields(accessor)
	}
	if err := rest.EnsureObjectNamespaceMatchesRequestNamespace(namespace, accessor); err != nil {
		return err, said.texts
	}
	if asked.Op == "create" {
		rest.FillObjectMetaSystemFields(accessor)
		accessor.SetUID(types.UID("00000000-0000-4000-8000-000000000000"))
		accessor.SetCreationTimestamp(metav1.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC))
		if accessor.GetGenerateName() != "" && accessor.GetName() == "" {
			if *generated == "" {
				*generated = strategy.Create.GenerateName(accessor.GetGenerateName())
			}
			accessor.SetName(*generated)
		}
		if err := rest.BeforeCreate(strategy.Create, ctx, object); err != nil {
			return err, said.texts
		}
		// The storage of servers refuses what was stored before.
		if version, err := (storage.APIObjectVersioner{}).ObjectResourceVersion(object); err == nil && version != 0 {
			return storage.ErrResourceVersionSetOnCreate, said.texts
		}
		return nil, said.texts
	}
	update := strategy.Update
	if asked.Op == "status" {
		update = strategy.Status
	}
	if version := accessor.GetResourceVersion(); version == "" || version == "0" {
		if !unconditional(ctx, update) {
			resource := schema.GroupKind{Group: group, Kind: kind.Plural}
			problem := field.Invalid(field.NewPath("metadata", "resourceVersion"), uint64(0), "must be specified for an update")
			return apierrors.NewInvalid(resource, accessor.GetName(), field.ErrorList{problem}), said.texts
		}
		before, _ := meta.Accessor(old)
		accessor.SetResourceVersion(before.GetResourceVersion())
	}
	err = rest.BeforeUpdate(update, ctx, object, old)
	return err, said.texts
}

// unconditional returns whether an update needs no resourceVersion; 1.37 asks with the context.
func unconditional(ctx context.Context, strategy any) bool {
	switch strategy := strategy.(type) {
	case interface{ AllowUnconditionalUpdate() bool }:
		return strategy.AllowUnconditionalUpdate()
	case interface {
		AllowUnconditionalUpdate(context.Context) bool
	}:
		return strategy.AllowUnconditionalUpdate(ctx)
	}
	panic(fmt.Sprintf("%T has no AllowUnconditionalUpdate", strategy))
}

func (kind Kind) context(asked request, namespace, name string, said *warnings) context.Context {
	info := &apirequest.RequestInfo{
		IsResourceRequest: true, APIPrefix: "apis", APIGroup: group, APIVersion: asked.Version, Verb: "update",
		Namespace: namespace, Resource: kind.Plural, Name: name, Path: "/apis/" + group + "/" + asked.Version + "/" + kind.Plural,
	}
	switch asked.Op {
	case "create":
		info.Verb = "create"
	case "status":
		info.Subresource = "status"
	}
	ctx := apirequest.WithRequestInfo(context.Background(), info)
	ctx = apirequest.WithNamespace(ctx, namespace)
	ctx = apirequest.WithUser(ctx, &user.DefaultInfo{Name: "admin", Groups: []string{user.SystemPrivilegedGroup}})
	return warning.WithWarningRecorder(ctx, said)
}

// stored returns the object after its trip through the storage, in every served version, without what differs between runs.
func (kind Kind) stored(object runtime.Object, created bool, generated string) (map[string]json.RawMessage, error) {
	bytes, err := encode(object, kind.Storage, runtime.ContentTypeProtobuf)
	if err != nil {
		return nil, err
	}
	decoder := legacyscheme.Codecs.DecoderToVersion(serializer(runtime.ContentTypeProtobuf).Serializer, internal)
	back, _, err := decoder.Decode(bytes, nil, nil)
	if err != nil {
		return nil, err
	}
	all := map[string]json.RawMessage{}
	for _, version := range kind.Served {
		text, err := encode(back, version, runtime.ContentTypeJSON)
		if err != nil {
			return nil, err
		}
		all[version], err = tidied([]byte(hidden(string(text), generated)), created)
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// tidied removes what the server makes anew for each object.
func tidied(text []byte, created bool) (json.RawMessage, error) {
	var object map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&object); err != nil {
		return nil, err
	}
	if metadata, is := object["metadata"].(map[string]any); is && created {
		delete(metadata, "uid")
		delete(metadata, "creationTimestamp")
	}
	var out bytes.Buffer
	write(&out, object)
	return json.RawMessage(stable(out.String())), nil
}
