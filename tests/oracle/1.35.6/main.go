// The oracle of Kubernetes 1.35.6: the staging modules of that release, and k8s.io/kubernetes 1.35.4, the newest of 1.35 that is served.
package main

import (
	client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/devicetaintrule"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimtemplate"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"

	"claimkit.invalid/oracle"
	"claimkit.invalid/oracle/server"
)

var versions = []string{"v1", "v1beta1", "v1beta2"}

var kinds = map[string]server.Kind{
	"ResourceClaim": {Plural: "resourceclaims", Namespaced: true, Served: versions, Storage: "v1", Strategy: func(namespaces client.NamespaceInterface) server.Strategy {
		strategy := resourceclaim.NewStrategy(namespaces)
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
	"DeviceTaintRule": {Plural: "devicetaintrules", Served: []string{"v1alpha3"}, Storage: "v1alpha3", Strategy: func(client.NamespaceInterface) server.Strategy {
		return server.Strategy{Create: devicetaintrule.Strategy, Update: devicetaintrule.Strategy, Status: devicetaintrule.StatusStrategy}
	}},
}

func main() {
	oracle.Release{Server: server.Server{Minor: 35, Kinds: kinds}, Plugin: plugin}.Run()
}
