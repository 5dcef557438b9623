package scheduler

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
	"k8s.io/utils/ptr"

	"claimkit.invalid/oracle/record"
)

// PluginFields are the fields of a line that hold an answer of a [Plugin].
var PluginFields = []string{"answers", "gateError"}

// Plugin asks kube-scheduler's plugin for dynamic resources. Its fields have what differs between releases.
type Plugin struct {
	// Rule returns an empty DeviceTaintRule of the version that kube-scheduler watches.
	Rule func() Rule
	// Watch adds to the tracker's options what it needs for taint rules.
	Watch func(*tracker.Options, informers.SharedInformerFactory)
}

// Rule is a DeviceTaintRule of any version.
type Rule interface {
	runtime.Object
	metav1.Object
}

// bindingTimeout is how long PreBind waits for the conditions of a device: no driver sets any here. It is the shortest that the plugin takes.
const bindingTimeout = time.Second

// pluginRequest is a pod with the cluster in which it is to be placed.
type pluginRequest struct {
	Gates   record.Gates                 `json:"gates"`
	Nodes   []*corev1.Node               `json:"nodes"`
	Classes []*resourceapi.DeviceClass   `json:"classes"`
	Slices  []*resourceapi.ResourceSlice `json:"slices"`
	Claims  []*resourceapi.ResourceClaim `json:"claims"`
	Rules   []json.RawMessage            `json:"rules"`
	Pod     *corev1.Pod                  `json:"pod"`
}

type pluginAnswer struct {
	Answers podAnswer `json:"answers"`
	// GateError is why no scheduler starts with the gates of the request. The plugin answers all the same.
	GateError string `json:"gateError,omitempty"`
}

type podAnswer struct {
	PreEnqueue status                `json:"preEnqueue"`
	PreFilter  status                `json:"preFilter"`
	Filter     map[string]nodeStatus `json:"filter,omitempty"`
	PostFilter *status               `json:"postFilter,omitempty"`
}

type status struct {
	Code    string   `json:"code"`
	Reasons []string `json:"reasons,omitempty"`
}

// nodeStatus is the answer of Filter for a node, and if the node passed also of what follows when it is chosen.
type nodeStatus struct {
	status
	Score   *int64   `json:"score,omitempty"`
	Results *results `json:"results,omitempty"`
	Reserve *status  `json:"reserve,omitempty"`
	PreBind *status  `json:"preBind,omitempty"`
}

// results are what Reserve keeps for the pod's claims, and PreBind writes into the pod's status.
type results struct {
	Allocations               []*resourceapi.AllocationResult           `json:"allocations,omitempty"`
	ExtendedResourceClaimSpec *resourceapi.ResourceClaimSpec            `json:"extendedResourceClaimSpec,omitempty"`
	RequestMappings           []corev1.ContainerExtendedResourceRequest `json:"requestMappings,omitempty"`
	NodeAllocatable           []nodeAllocatable                         `json:"nodeAllocatable,omitempty"`
}

// told returns a status as recorded. Success is often nil, which has a code but no reasons.
func told(got *fwk.Status) status {
	if got == nil {
		return status{Code: got.Code().String()}
	}
	return status{Code: got.Code().String(), Reasons: got.Reasons()}
}

// Answer takes the pod of a request through the plugin's part of scheduling.
func (plugin Plugin) Answer(line []byte) (any, error) {
	var request pluginRequest
	if err := json.Unmarshal(line, &request); err != nil {
		return nil, err
	}
	answer, err := plugin.schedule(request)
	if err != nil {
		return nil, err
	}
	got := pluginAnswer{Answers: answer}
	if err := utilfeature.DefaultMutableFeatureGate.DeepCopy().Set(request.Gates.String()); err != nil {
		got.GateError = err.Error()
	}
	return got, nil
}

func (plugin Plugin) schedule(request pluginRequest) (answer podAnswer, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cycle, err := plugin.start(ctx, request)
	if err != nil {
		return answer, err
	}
	answer.PreEnqueue = told(cycle.plugin.PreEnqueue(ctx, request.Pod))
	preFilter := cycle.preFilter(ctx)
	answer.PreFilter = told(preFilter)
	if answer.PreEnqueue.Code != fwk.Success.String() || !preFilter.IsSuccess() {
		return answer, nil
	}
	answer.Filter = map[string]nodeStatus{}
	passed := false
	for _, node := range cycle.nodes {
		name := node.Node().Name
		filtered := cycle.plugin.Filter(ctx, cycle.state, request.Pod, node)
		if !filtered.IsSuccess() {
			answer.Filter[name] = nodeStatus{status: told(filtered)}
			continue
		}
		passed = true
		score, scored := cycle.plugin.Score(ctx, cycle.state, request.Pod, node)
		if !scored.IsSuccess() {
			return answer, fmt.Errorf("score of %s: %w", name, scored.AsError())
		}
		bound, err := plugin.bind(request, name)
		if err != nil {
			return answer, err
		}
		bound.status, bound.Score = told(filtered), &score
		answer.Filter[name] = bound
	}
	if !passed {
		_, post := cycle.plugin.PostFilter(ctx, cycle.state, request.Pod, nil)
		answer.PostFilter = ptr.To(told(post))
	}
	return answer, nil
}

// bind places the pod on a node, in a cycle of its own: what PreBind writes ends a cycle.
func (plugin Plugin) bind(request pluginRequest, name string) (answer nodeStatus, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cycle, err := plugin.start(ctx, request)
	if err != nil {
		return answer, err
	}
	cycle.preFilter(ctx)
	for _, node := range cycle.nodes {
		if node.Node().Name == name {
			cycle.plugin.Filter(ctx, cycle.state, request.Pod, node)
		}
	}
	// What the scheduler assumes of the pod before it reserves. PreBind changes what the cycle has.
	assumed := request.Pod.DeepCopy()
	assumed.Spec.NodeName = name
	taken := assume(ctx, cycle.state, assumed)
	reserved := cycle.plugin.Reserve(ctx, cycle.state, assumed, name)
	answer.Reserve = ptr.To(told(reserved))
	if !reserved.IsSuccess() {
		return answer, nil
	}
	got := results{}
	for _, claim := range cycle.manager.reserved {
		// A copy: PreBind goes on with this one.
		claim = claim.DeepCopy()
		for at := range claim.Status.Allocation.Devices.Results {
			if share := &claim.Status.Allocation.Devices.Results[at].ShareID; *share != nil {
				*share = ptr.To(types.UID("share"))
			}
		}
		got.Allocations = append(got.Allocations, claim.Status.Allocation)
		if !request.has(claim) {
			got.ExtendedResourceClaimSpec = &claim.Spec
		}
	}
	answer.PreBind = ptr.To(told(cycle.plugin.PreBind(ctx, cycle.state, assumed, name)))
	pod, err := cycle.client.CoreV1().Pods(request.Pod.Namespace).Get(ctx, request.Pod.Name, metav1.GetOptions{})
	if err != nil {
		return answer, err
	}
	if extended := pod.Status.ExtendedResourceClaimStatus; extended != nil {
		got.RequestMappings = extended.RequestMappings
	}
	got.NodeAllocatable = taken
	if got.Allocations != nil || got.NodeAllocatable != nil {
		answer.Results = &got
	}
	return answer, nil
}

// has returns whether a claim is one of the request, not one that the plugin made.
func (request pluginRequest) has(claim *resourceapi.ResourceClaim) bool {
	for _, given := range request.Claims {
		if given.Namespace == claim.Namespace && given.Name == claim.Name {
			return true
		}
	}
	return false
}

// cycle is one attempt to schedule the pod of a request.
type cycle struct {
	client  *fake.Clientset
	manager *manager
	nodes   []fwk.NodeInfo
	plugin  *dynamicresources.DynamicResources
	pod     *corev1.Pod
	state   fwk.CycleState
}

func (cycle *cycle) preFilter(ctx context.Context) *fwk.Status {
	_, got := cycle.plugin.PreFilter(ctx, cycle.state, cycle.pod, cycle.nodes)
	return got
}

// manager is kube-scheduler's own, and keeps what Reserve tells it.
type manager struct {
	*dynamicresources.DefaultDRAManager
	slices []*resourceapi.ResourceSlice
	// reserved are the claims that Reserve allocated, in its order.
	reserved []*resourceapi.ResourceClaim
}

func (manager *manager) ResourceSlices() fwk.ResourceSliceLister {
	return orderedSlices{manager.DefaultDRAManager.ResourceSlices(), manager.slices}
}

func (manager *manager) ResourceClaims() fwk.ResourceClaimTracker {
	return claimTracker{manager.DefaultDRAManager.ResourceClaims(), manager}
}

// orderedSlices lists the slices in the order of the request and with their names: an informer has them in the order of a Go map, and
// under their numbers.
type orderedSlices struct {
	fwk.ResourceSliceLister
	given []*resourceapi.ResourceSlice
}

func (slices orderedSlices) ListWithDeviceTaintRules() ([]*Slice, error) {
	listed, err := slices.ResourceSliceLister.ListWithDeviceTaintRules()
	if err != nil {
		return nil, err
	}
	ordered := make([]*Slice, len(slices.given))
	for _, slice := range listed {
		at, err := strconv.Atoi(slice.Name)
		if err != nil {
			return nil, err
		}
		slice = slice.DeepCopy()
		slice.Name = slices.given[at].Name
		ordered[at] = slice
	}
	return ordered, nil
}

type claimTracker struct {
	fwk.ResourceClaimTracker
	manager *manager
}

func (tracker claimTracker) SignalClaimPendingAllocation(uid types.UID, claim *resourceapi.ResourceClaim) error {
	tracker.manager.reserved = append(tracker.manager.reserved, claim)
	return tracker.ResourceClaimTracker.SignalClaimPendingAllocation(uid, claim)
}

// AssumeClaimAfterAPICall does nothing: no other pod comes, and the plugin would wait a second for the informer to see a new claim.
func (claimTracker) AssumeClaimAfterAPICall(*resourceapi.ResourceClaim) error { return nil }

// features returns those that the gates of a request switch on. Locked gates, too: the plugin gets them as an argument.
func (request pluginRequest) features() feature.Features {
	all := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	fields := reflect.ValueOf(&all).Elem()
	for gate, on := range request.Gates {
		if field := fields.FieldByName("Enable" + gate); field.IsValid() {
			field.SetBool(on)
		}
	}
	return all
}

// objects are those of the request, as an API server would hold them.
func (plugin Plugin) objects(request pluginRequest) ([]runtime.Object, error) {
	objects := []runtime.Object{request.Pod}
	for _, class := range request.Classes {
		objects = append(objects, class)
	}
	for at, slice := range request.Slices {
		// Recorded slices may share a name, which messages show: see [orderedSlices].
		slice = slice.DeepCopy()
		slice.Name = strconv.Itoa(at)
		objects = append(objects, slice)
	}
	for _, claim := range request.Claims {
		objects = append(objects, claim)
	}
	for at, text := range request.Rules {
		rule := plugin.Rule()
		if err := json.Unmarshal(text, rule); err != nil {
			return nil, err
		}
		// Recorded rules may share a name, which no answer shows.
		rule.SetName(fmt.Sprintf("%s-%d", rule.GetName(), at))
		objects = append(objects, rule)
	}
	return objects, nil
}

// nameCreated gives new claims a name and a UID, as an API server does.
func nameCreated(action clienttesting.Action) (bool, runtime.Object, error) {
	if claim, ok := action.(clienttesting.CreateAction).GetObject().(*resourceapi.ResourceClaim); ok {
		claim.Name, claim.UID = claim.GenerateName+"xxxxx", "created"
	}
	return false, nil, nil
}

var registered = sync.OnceFunc(metrics.Register)

// start makes the plugin with informers of a cluster that has the objects of the request, and waits until they have seen them.
func (plugin Plugin) start(ctx context.Context, request pluginRequest) (*cycle, error) {
	registered()
	objects, err := plugin.objects(request)
	if err != nil {
		return nil, err
	}
	client := fake.NewSimpleClientset(objects...)
	client.PrependReactor("create", "resourceclaims", nameCreated)
	factory := informers.NewSharedInformerFactory(client, 0)
	options := tracker.Options{
		EnableDeviceTaintRules:   utilfeature.DefaultFeatureGate.Enabled(features.DRADeviceTaintRules),
		EnableConsumableCapacity: utilfeature.DefaultFeatureGate.Enabled(features.DRAConsumableCapacity),
		KubeClient:               client,
	}
	watchSlices(&options, factory)
	if options.EnableDeviceTaintRules {
		plugin.Watch(&options, factory)
	}
	slices, err := tracker.StartTracker(ctx, options)
	if err != nil {
		return nil, err
	}
	claims := assumecache.NewAssumeCache(klog.FromContext(ctx), factory.Resource().V1().ResourceClaims().Informer(), "ResourceClaim", "", nil)
	manager := &manager{DefaultDRAManager: dynamicresources.NewDRAManager(ctx, claims, slices, factory), slices: request.Slices}
	seen := []cache.InformerSynced{slices.HasSynced, claims.AddEventHandler(cache.ResourceEventHandlerFuncs{}).HasSynced}
	if utilfeature.DefaultFeatureGate.Enabled(features.DRAExtendedResource) {
		resolver := manager.DeviceClassResolver().(cache.ResourceEventHandler)
		handler, err := factory.Resource().V1().DeviceClasses().Informer().AddEventHandler(resolver)
		if err != nil {
			return nil, err
		}
		seen = append(seen, handler.HasSynced)
	}
	handle, err := frameworkruntime.NewFramework(ctx, nil, nil,
		frameworkruntime.WithClientSet(client),
		frameworkruntime.WithInformerFactory(factory),
		frameworkruntime.WithEventRecorder(&events.FakeRecorder{}),
		frameworkruntime.WithSharedDRAManager(manager),
	)
	if err != nil {
		return nil, err
	}
	enabled := request.features()
	arguments := &config.DynamicResourcesArgs{}
	if enabled.EnableDRADeviceBindingConditions && enabled.EnableDRAResourceClaimDeviceStatus {
		arguments.BindingTimeout = &metav1.Duration{Duration: bindingTimeout}
	}
	made, err := dynamicresources.New(ctx, arguments, handle, enabled)
	if err != nil {
		return nil, err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	for _, has := range seen {
		done := func(context.Context) (bool, error) { return has(), nil }
		if err := wait.PollUntilContextCancel(ctx, time.Millisecond, true, done); err != nil {
			return nil, err
		}
	}
	cycle := &cycle{client: client, manager: manager, plugin: made.(*dynamicresources.DynamicResources), pod: request.Pod, state: framework.NewCycleState()}
	for _, node := range request.Nodes {
		info := framework.NewNodeInfo()
		info.SetNode(node)
		cycle.nodes = append(cycle.nodes, info)
	}
	return cycle, nil
}
