// The oracle of Kubernetes 1.38.0-beta.0.
package main

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"
	client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/devicetaintrule"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimtemplate"
	"k8s.io/kubernetes/pkg/registry/resource/resourcepoolstatusrequest"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"

	"claimkit.invalid/oracle"
	"claimkit.invalid/oracle/dra"
	"claimkit.invalid/oracle/server"
)

var versions = []string{"v1", "v1beta2"}

var kinds = map[string]server.Kind{
	"ResourceClaim": {Plural: "resourceclaims", Namespaced: true, Served: versions, Storage: "v1", Strategy: func(namespaces client.NamespaceInterface) server.Strategy {
		strategy := resourceclaim.NewStrategy(namespaces, server.Allow{})
		return server.Strategy{Create: strategy, Update: strategy, Status: resourceclaim.NewStatusStrategy(strategy)}
	}},
	"ResourceClaimTemplate": {Plural: "resourceclaimtemplates", Namespaced: true, Served: versions, Storage: "v1", Strategy: func(namespaces client.NamespaceInterface) server.Strategy {
		strategy := resourceclaimtemplate.NewStrategy(namespaces)
		return server.Strategy{Create: strategy, Update: strategy}
	}},
	"DeviceClass": {Plural: "deviceclasses", Served: versions, Storage: "v1", Strategy: func(client.NamespaceInterface) server.Strategy {
		return server.Strategy{Create: deviceclass.Strategy, Update: deviceclass.Strategy}
	}},
	"ResourceSlice": {Plural: "resourceslices", Served: versions, Storage: "v1", Strategy: func(client.NamespaceInterface) server.Strategy {
		return server.Strategy{Create: resourceslice.Strategy, Update: resourceslice.Strategy}
	}},
	"DeviceTaintRule": {Plural: "devicetaintrules", Served: []string{"v1", "v1alpha3", "v1beta2"}, Storage: "v1beta2", Strategy: func(client.NamespaceInterface) server.Strategy {
		return server.Strategy{Create: devicetaintrule.Strategy, Update: devicetaintrule.Strategy, Status: devicetaintrule.StatusStrategy}
	}},
	"ResourcePoolStatusRequest": {Plural: "resourcepoolstatusrequests", Served: []string{"v1alpha3"}, Storage: "v1alpha3", Strategy: func(client.NamespaceInterface) server.Strategy {
		return server.Strategy{Create: resourcepoolstatusrequest.Strategy, Update: resourcepoolstatusrequest.Strategy, Status: resourcepoolstatusrequest.StatusStrategy}
	}},
}

func derive(ctx context.Context, compiled cel.CompilationResult, device cel.Device) (*resourceapi.DeviceAttribute, *dra.Details, error) {
	value, details, err := compiled.EvaluateDerivedAttribute(ctx, device)
	if err != nil {
		return nil, details, err
	}
	attribute, err := dra.Attribute(value)
	return attribute, details, err
}

func main() {
	oracle.Release{Server: server.Server{Minor: 38, Kinds: kinds}, Derive: derive, Plugin: plugin}.Run()
}
