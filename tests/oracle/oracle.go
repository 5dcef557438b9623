// Package oracle is the command `record` of every release.
//
//	record KIND <requests >answers
//	record gates | functions [GATE…]
//
// A kind is server, cel, allocate, plugin, nodeselector, yaml or stream.
package oracle

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	"k8s.io/klog/v2"

	"claimkit.invalid/oracle/dra"
	"claimkit.invalid/oracle/read"
	"claimkit.invalid/oracle/record"
	"claimkit.invalid/oracle/scheduler"
	"claimkit.invalid/oracle/server"
)

// Release has what differs between releases.
type Release struct {
	Server server.Server
	// Derive is nil for releases without derived attributes.
	Derive dra.Derive
	Plugin scheduler.Plugin
}

// celGates are the gates that concern expressions.
var celGates = []string{"DRAConsumableCapacity", "DRAListTypeAttributes"}

// asked returns the kind of requests with a name; by: whether its requests set gates.
func (release Release) asked(name string) (asked record.Asked, by bool, err error) {
	switch name {
	case "server":
		return record.Asked{Fields: server.Fields, Answer: release.Server.Answer}, true, nil
	case "cel":
		devices, err := dra.ReadDevices(os.Args[2:])
		if err != nil {
			return asked, false, err
		}
		cel := dra.Cel{Derive: release.Derive, Gates: on(celGates), Devices: devices}
		return record.Asked{Fields: dra.CelFields, Answer: cel.Answer}, false, nil
	case "allocate":
		return record.Asked{Fields: dra.AllocationFields, Answer: dra.Allocate}, false, nil
	case "plugin":
		return record.Asked{Fields: scheduler.PluginFields, Answer: release.Plugin.Answer}, true, nil
	case "nodeselector":
		return record.Asked{Fields: scheduler.SelectorFields, Answer: scheduler.MatchNode}, false, nil
	case "yaml":
		return record.Asked{Fields: read.YAMLFields, Answer: read.YAML}, false, nil
	case "stream":
		return record.Asked{Fields: read.StreamFields, Answer: read.Stream}, false, nil
	}
	return asked, false, fmt.Errorf("unknown kind %q", name)
}

// on returns those of the gates that are on by default.
func on(gates []string) []string {
	enabled := []string{}
	all := utilfeature.DefaultMutableFeatureGate.GetAll()
	for _, gate := range gates {
		for name, facts := range all {
			if string(name) == gate && facts.Default {
				enabled = append(enabled, gate)
			}
		}
	}
	return enabled
}

// Run carries out the command line.
func (release Release) Run() {
	if err := quiet(); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
	if err := release.run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

// quiet ends upstream's logging, which the apiserver has on standard error.
func quiet() error {
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	for name, value := range map[string]string{"logtostderr": "false", "alsologtostderr": "false", "stderrthreshold": "FATAL"} {
		if err := flags.Set(name, value); err != nil {
			return err
		}
	}
	klog.SetOutput(io.Discard)
	return nil
}

func (release Release) run(arguments []string) error {
	if len(arguments) == 0 {
		return fmt.Errorf("usage: record server|cel|allocate|plugin|nodeselector|yaml|stream|gates|functions")
	}
	switch arguments[0] {
	case "gates":
		return write(gates())
	case "functions":
		functions, err := dra.Functions(arguments[1:])
		if err != nil {
			return err
		}
		return write(functions)
	}
	asked, by, err := release.asked(arguments[0])
	if err != nil {
		return err
	}
	if by && len(arguments) == 1 {
		return record.ByGates(os.Stdin, os.Stdout, arguments[0])
	}
	if by {
		if err := setGates(arguments[0], arguments[1]); err != nil {
			return refuse(err)
		}
	}
	return record.Each(os.Stdin, os.Stdout, asked)
}

// setGates sets feature gates. The plugin says itself that gates are locked: it is asked with the others.
func setGates(command, gates string) error {
	if command != "plugin" {
		return utilfeature.DefaultMutableFeatureGate.Set(gates)
	}
	known := utilfeature.DefaultMutableFeatureGate.GetAll()
	for _, gate := range strings.Split(gates, ",") {
		name, _, _ := strings.Cut(gate, "=")
		if known[featuregate.Feature(name)].LockToDefault {
			continue
		}
		if err := utilfeature.DefaultMutableFeatureGate.Set(gate); err != nil {
			return err
		}
	}
	return nil
}

// refuse answers every line with the reason why no program starts with its gates.
func refuse(why error) error {
	asked := record.Asked{Answer: func([]byte) (any, error) { return map[string]string{"gateError": why.Error()}, nil }}
	return record.Each(os.Stdin, os.Stdout, asked)
}

type gate struct {
	Stage   string `json:"stage"`
	Default bool   `json:"default"`
	Locked  bool   `json:"locked,omitempty"`
}

// gates returns the gates whose names begin with DRA or Dynamic, and those that change how requests are validated.
func gates() map[string]gate {
	all := map[string]gate{}
	for name, facts := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		text := string(name)
		for _, part := range []string{"DRA", "Dynamic", "Declarative", "StrictIPCIDR", "Workload", "Gang"} {
			if strings.Contains(text, part) {
				all[text] = gate{string(facts.PreRelease), facts.Default, facts.LockToDefault}
			}
		}
	}
	return all
}

func write(value any) error {
	text, err := record.Encode(value)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(append(text, '\n'))
	return err
}
