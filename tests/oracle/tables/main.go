// Tables writes the tables of Unicode and of time zones of the crates anew, from those that Go carries.
//
//	go run claimkit.invalid/oracle/tables ROOT [ZONES]    in a release's folder
//
// ROOT is the repository; ZONES is a folder of compiled zones, without which they are left out: Debian's /usr/share/zoneinfo, as images of
// Kubernetes carry it. It says which tables differ, and writes them if CLAIMKIT_UPDATE is set.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// table is a constant of a Rust source.
type table struct {
	file, name string
	// lines is its value, from the line after the opening to the one before the closing.
	lines []string
}

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: tables ROOT [ZONES]")
		os.Exit(2)
	}
	all := unicodeTables()
	if len(os.Args) == 3 {
		all = append(all, zoneTable(os.DirFS(os.Args[2])))
	}
	failed := false
	for _, one := range all {
		same, err := one.compare(os.Args[1], os.Getenv("CLAIMKIT_UPDATE") != "")
		switch {
		case err != nil:
			fmt.Fprintf(os.Stderr, "%s: %v\n", one.file, err)
			failed = true
		case !same:
			fmt.Printf("%s: %s differs\n", one.file, one.name)
			failed = failed || os.Getenv("CLAIMKIT_UPDATE") == ""
		}
	}
	if failed {
		os.Exit(1)
	}
	fmt.Printf("tables: %d compared\n", len(all))
}

// compare reads the constant, and replaces it if it differs and that is wanted.
func (t table) compare(root string, update bool) (bool, error) {
	path := filepath.Join(root, t.file)
	source, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	at := regexp.MustCompile(`(?s)(\nconst ` + t.name + `: [^=]*= (?:"\\|&\[)\n)(.*?)(\n(?:";|\];)|";\n)`).FindSubmatchIndex(source)
	if at == nil {
		return false, fmt.Errorf("no constant %s", t.name)
	}
	value := strings.Join(t.lines, "\n")
	if string(source[at[4]:at[5]]) == value {
		return true, nil
	}
	if !update {
		return false, nil
	}
	return false, os.WriteFile(path, []byte(string(source[:at[4]])+value+string(source[at[5]:])), 0o644)
}

// wrapped puts words into lines of the usual width; each line but the last ends with more.
func wrapped(words []string, more string) []string {
	const width = 126
	var lines []string
	line := ""
	for _, word := range words {
		if line != "" && len(line)+1+len(word)+len(more) > width {
			lines = append(lines, line+more)
			line = ""
		}
		if line == "" {
			line = "    " + word
		} else {
			line += " " + word
		}
	}
	return append(lines, line)
}
