package main

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/client-go/informers"
	"k8s.io/dynamic-resource-allocation/resourceslice/tracker"

	"claimkit.invalid/oracle/scheduler"
)

var plugin = scheduler.Plugin{
	Rule: func() scheduler.Rule { return &resourceapi.DeviceTaintRule{} },
	Watch: func(options *tracker.Options, factory informers.SharedInformerFactory) {
		options.TaintInformer = factory.Resource().V1().DeviceTaintRules()
	},
}
