package driver

import (
	"os"
	"path/filepath"
	"testing"

	claimkit "github.com/OWNER/claimkit-go"
)

// The releases that the driver supports.
var releases = []string{"1.34", "1.36", "1.37"}

var slices = Slices("node-a", []GPU{
	{Model: "H100", Memory: "80Gi", NUMANode: 0},
	{Model: "H100", Memory: "80Gi", NUMANode: 1},
})

// Fails if kube-apiserver would refuse what the driver publishes.
func TestTheServerAcceptsSlices(t *testing.T) {
	for _, release := range releases {
		t.Run(release, func(t *testing.T) {
			options := claimkit.ValidateOptions{Cluster: claimkit.Cluster{Release: release}, Via: "server"}
			answer, err := claimkit.Validate(t.Context(), options, slices)
			if err != nil {
				t.Fatal(err)
			}
			if err := answer.Err(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Fails if a claim of the documentation would get no device on a node with the driver.
func TestDocumentedClaimsFit(t *testing.T) {
	files, err := filepath.Glob("docs/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no documents", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, release := range releases {
			t.Run(file+" "+release, func(t *testing.T) {
				options := claimkit.AllocateOptions{Cluster: claimkit.Cluster{Release: release}}
				placed, err := claimkit.Allocate(t.Context(), options, slices, claimkit.File{Name: file, Text: text})
				if err != nil {
					t.Fatal(err)
				}
				if err := placed.Err(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
