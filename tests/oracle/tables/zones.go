package main

import (
	"cmp"
	"encoding/binary"
	"io/fs"
	"log"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// zone is the current rule of some places, and the second since which it has applied without exception.
type zone struct {
	rule   string
	always bool
	since  int64
	places []string
}

// zoneTable returns a line for each rule: the rule, since when it holds, and the places.
func zoneTable(files fs.FS) table {
	var zones []*zone
	err := fs.WalkDir(files, ".", func(place string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains([]string{"posix", "right"}, place) {
				return fs.SkipDir
			}
			return nil
		}
		data, err := fs.ReadFile(files, place)
		// Beside the zones there are lists of them.
		if err != nil || !strings.HasPrefix(string(data), "TZif") || slices.Contains([]string{"localtime", "posixrules"}, place) {
			return err
		}
		found := current(place, data)
		at := slices.IndexFunc(zones, func(one *zone) bool {
			return one.rule == found.rule && one.always == found.always && one.since == found.since
		})
		if at < 0 {
			zones = append(zones, found)
		} else {
			zones[at].places = append(zones[at].places, place)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	slices.SortFunc(zones, func(a, b *zone) int {
		if a.rule != b.rule {
			return cmp.Compare(a.rule, b.rule)
		}
		if a.always != b.always {
			return map[bool]int{true: 1, false: -1}[a.always]
		}
		return cmp.Compare(a.since, b.since)
	})
	var lines []string
	for _, one := range zones {
		since := "-"
		if !one.always {
			since = strconv.FormatInt(one.since, 10)
		}
		slices.Sort(one.places)
		words := append([]string{one.rule, since}, one.places...)
		words[len(words)-1] += `\n\`
		lines = append(lines, wrapped(words, ` \`)...)
	}
	return table{"crates/claimkit-cel/src/library/zones.rs", "ZONES", lines}
}

// current reads a zone in the format of RFC 9636: the rule after its transitions, and finds since when the rule holds.
func current(place string, data []byte) *zone {
	_, body := header(data)
	// The second part has times of 64 bits.
	counts, body := header(body)
	transitions, types := counts[3], counts[4]
	times, body := body[:8*transitions], body[8*transitions:]
	kinds, body := body[:transitions], body[transitions:]
	infos, names := body[:6*types], body[6*types:]
	rule := strings.TrimSpace(string(data[strings.LastIndexByte(strings.TrimRight(string(data), "\n"), '\n')+1:]))
	found := &zone{rule: rule, always: true, places: []string{place}}
	ruled, err := time.LoadLocationFromTZData(rule, onlyRule(rule))
	if err != nil {
		log.Fatal(place, ": ", err)
	}
	end := int64(math.MaxInt64)
	for at := transitions - 1; at >= -1; at-- {
		// Before the first transition the first kind holds.
		begin, kind := int64(math.MinInt64), byte(0)
		if at >= 0 {
			begin, kind = int64(binary.BigEndian.Uint64(times[8*at:])), kinds[at]
		}
		offset := int(int32(binary.BigEndian.Uint32(infos[6*int(kind):])))
		// What follows the last transition is the rule's.
		if end != math.MaxInt64 {
			// Nobody lived there yet.
			if strings.HasPrefix(string(names[infos[6*int(kind)+5]:]), "-00") {
				found.always, found.since = false, end
				return found
			}
			if since, agrees := agreesSince(ruled, offset, begin, end); !agrees {
				found.always, found.since = false, since
				return found
			}
		}
		end = begin
	}
	return found
}

// agreesSince returns the first second up to the end from which a zone has the offset; true if it has it from the beginning.
func agreesSince(zone *time.Location, offset int, begin, end int64) (int64, bool) {
	for end > begin {
		last := time.Unix(end-1, 0).In(zone)
		if _, has := last.Zone(); has != offset {
			return end, false
		}
		start, _ := last.ZoneBounds()
		if start.IsZero() || start.Unix() <= begin {
			return begin, true
		}
		end = start.Unix()
	}
	return begin, true
}

// header returns the six counts of a part, and what follows them; in the first part what follows is the second one.
func header(data []byte) (counts [6]int, rest []byte) {
	for at := range counts {
		counts[at] = int(binary.BigEndian.Uint32(data[20+4*at:]))
	}
	rest = data[44:]
	if data[4] != 0 && !strings.HasPrefix(string(rest), "TZif") {
		skip := 5*counts[3] + 6*counts[4] + counts[5] + 8*counts[2] + counts[1] + counts[0]
		if skip <= len(rest) && strings.HasPrefix(string(rest[skip:]), "TZif") {
			rest = rest[skip:]
		}
	}
	return counts, rest
}

// onlyRule returns a zone that has a rule from the beginning of time.
func onlyRule(rule string) []byte {
	part := func(size int) []byte {
		out := append([]byte("TZif2"), make([]byte, 15)...)
		// One transition long ago and one kind: UTC.
		for _, count := range []uint32{0, 0, 0, 1, 1, 4} {
			out = binary.BigEndian.AppendUint32(out, count)
		}
		if size == 4 {
			out = binary.BigEndian.AppendUint32(out, 0x80000000)
		} else {
			out = binary.BigEndian.AppendUint64(out, uint64(1)<<63)
		}
		return append(out, 0, 0, 0, 0, 0, 0, 0, 'U', 'T', 'C', 0)
	}
	return append(append(append(part(4), part(8)...), '\n'), []byte(rule+"\n")...)
}
