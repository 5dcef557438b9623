package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/rangetable"
)

const (
	classes   = "crates/claimkit-cel/src/regex/unicode.rs"
	folding   = "crates/claimkit-cel/src/regex/folding.rs"
	printable = "crates/claimkit-values/src/printable.rs"
)

func unicodeTables() []table {
	pairs, groups := folds()
	printed := func(r rune) bool { return r > unicode.MaxASCII && strconv.IsPrint(r) }
	old := rangetable.Assigned("13.0.0")
	return []table{
		{classes, "CATEGORIES", named(unicode.Categories, isCategory)},
		{classes, "SCRIPTS", named(unicode.Scripts, func(string) bool { return true })},
		{folding, "GROUPS", groups},
		{folding, "PAIRS", pairs},
		{printable, "BASIC", hexadecimal(0, 0xFFFF, printed)},
		{printable, "SUPPLEMENTARY", hexadecimal(0x10000, 0x1FFFF, printed)},
		{printable, "BEYOND", hexadecimal(0x20000, unicode.MaxRune, printed)},
		{printable, "SINCE_14", hexadecimal(0, unicode.MaxRune, func(r rune) bool { return printed(r) && !unicode.Is(old, r) })},
	}
}

// isCategory is true for the categories themselves: not for classes of them, nor for what is not assigned.
func isCategory(name string) bool {
	return len(name) == 2 && name != "Cn" && name != "LC"
}

// ranges returns the inclusive ranges of the characters that are in.
func ranges(first, last rune, in func(rune) bool) [][2]rune {
	var found [][2]rune
	for r := first; r <= last; r++ {
		if !in(r) {
			continue
		}
		if n := len(found); n > 0 && found[n-1][1] == r-1 {
			found[n-1][1] = r
		} else {
			found = append(found, [2]rune{r, r})
		}
	}
	return found
}

// named returns a line for each table of characters: its name, then by turns how many are left out and how many follow.
func named(tables map[string]*unicode.RangeTable, wanted func(string) bool) []string {
	var names []string
	for name := range tables {
		if wanted(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var lines []string
	for _, name := range names {
		words := []string{name}
		next := rune(0)
		for _, one := range ranges(0, unicode.MaxRune, func(r rune) bool { return unicode.Is(tables[name], r) }) {
			words = append(words, strconv.Itoa(int(one[0]-next)), strconv.Itoa(int(one[1]-one[0]+1)))
			next = one[1] + 1
		}
		words[len(words)-1] += `\n\`
		lines = append(lines, wrapped(words, ` \`)...)
	}
	return lines
}

// folds returns the rows of pairs that differ in case alone, and the groups of more characters.
func folds() (rows, groups []string) {
	distance := map[rune]rune{}
	var firsts []rune
	for r := rune(0); r <= unicode.MaxRune; r++ {
		orbit := []rune{r}
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			orbit = append(orbit, next)
		}
		if slices.Min(orbit) != r {
			continue
		}
		switch {
		case len(orbit) == 2:
			distance[r] = orbit[1] - r
			firsts = append(firsts, r)
		case len(orbit) > 2:
			slices.Sort(orbit)
			var text strings.Builder
			for _, one := range orbit {
				if one <= unicode.MaxASCII {
					text.WriteRune(one)
				} else {
					fmt.Fprintf(&text, `\u{%x}`, one)
				}
			}
			groups = append(groups, `    "`+text.String()+`",`)
		}
	}
	var words []string
	for _, first := range firsts {
		by, ok := distance[first]
		if !ok {
			continue
		}
		count, step := run(distance, first, 1), rune(1)
		if other := run(distance, first, 2); other > count {
			count, step = other, 2
		}
		for at := range count {
			delete(distance, first+at*step)
		}
		words = append(words, fmt.Sprintf("(%d, %d, %d, %d),", first, count, step, by))
	}
	return wrapped(words, ""), groups
}

// run returns the number of characters from the first in steps that have the same distance to their partner.
func run(distance map[rune]rune, first, step rune) rune {
	count := rune(0)
	for {
		if by, ok := distance[first+count*step]; !ok || by != distance[first] {
			return count
		}
		count++
	}
}

// hexadecimal returns the rows of ranges: (0x00A1, 0x00AC). In the supplementary plane a row has the lower 16 bits.
func hexadecimal(first, last rune, in func(rune) bool) []string {
	base := rune(0)
	if first == 0x10000 {
		base = first
	}
	var words []string
	for _, one := range ranges(first, last, in) {
		words = append(words, fmt.Sprintf("(0x%04X, 0x%04X),", one[0]-base, one[1]-base))
	}
	return wrapped(words, "")
}
