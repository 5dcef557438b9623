// Package preview asks a release of which only the modules of the API and of dynamic resource allocation are served: its device
// selectors and its allocator.
//
//	preview cel GATE,… DEVICES… <requests >answers
//	preview allocate <requests >answers
//	preview functions [GATE…]
package preview

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"

	"k8s.io/dynamic-resource-allocation/structured"

	"claimkit.invalid/oracle/dra"
	"claimkit.invalid/oracle/record"
)

// Run carries out the command line.
func Run(derive dra.Derive) {
	if err := run(derive, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "preview:", err)
		os.Exit(1)
	}
}

func run(derive dra.Derive, arguments []string) error {
	if len(arguments) == 0 {
		return fmt.Errorf("usage: preview cel|allocate|functions|features")
	}
	switch arguments[0] {
	case "allocate":
		return record.Each(os.Stdin, os.Stdout, record.Asked{Fields: dra.AllocationFields, Answer: dra.Allocate})
	case "cel":
		devices, err := dra.ReadDevices(arguments[2:])
		if err != nil {
			return err
		}
		cel := dra.Cel{Derive: derive, Gates: strings.Split(arguments[1], ","), Devices: devices}
		return record.Each(os.Stdin, os.Stdout, record.Asked{Fields: dra.CelFields, Answer: cel.Answer})
	case "functions":
		functions, err := dra.Functions(arguments[1:])
		if err != nil {
			return err
		}
		return print(functions)
	case "features":
		var names []string
		for _, field := range reflect.VisibleFields(reflect.TypeFor[structured.Features]()) {
			names = append(names, field.Name)
		}
		return print(names)
	}
	return fmt.Errorf("unknown kind %q", arguments[0])
}

func print(value any) error {
	return json.NewEncoder(os.Stdout).Encode(value)
}
