// Random objects: those of the fixtures with a few changes each, from a seed, so that every run makes the same ones.

/** Numbers below `below`, the same ones for the same seed (mulberry32). */
export function random(seed) {
	return (below) => {
		seed = (seed + 0x6d2b79f5) | 0;
		let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) % below;
	};
}

const pick = (next, list) => list[next(list.length)];

/** Texts at the borders of what the API allows. */
const TEXTS = [
	"",
	"a",
	"A",
	"a-",
	"-a",
	"a.b",
	"a/b",
	"a/b/c",
	"gpu.example.com",
	"gpu.example.com/model",
	"é",
	"a b",
	" ",
	"\n",
	"0",
	"007",
	"*",
	"x".repeat(32),
	"x".repeat(33),
	"x".repeat(63),
	"x".repeat(64),
	"x".repeat(128),
	`${"x".repeat(63)}.${"y".repeat(63)}`,
	"a_b",
	"A.b",
	"a..b",
	"null",
	"true",
	"1Gi",
	"NoSchedule",
	"NoExecute",
	"Exists",
	"Equal",
	"All",
	"ExactCount",
	"1.2.3",
	"2024-01-01T00:00:00Z",
	"127.0.0.1",
	"127.0.0.1/8",
	"::1",
	"00:11:22:33:44:55",
	"fe80::/10",
	"kubernetes.io/hostname",
	"resource.kubernetes.io/x",
];
const NUMBERS = [
	0, 1, -1, 2, 16, 31, 32, 33, 64, 65, 127, 128, 129, 256, 257, 2147483647,
	2147483648, -2147483648, 9007199254740991, 1.5,
];
const QUANTITIES = [
	"0",
	"1",
	"-1",
	"1Gi",
	"1.5",
	"100m",
	"1e3",
	"1Ki",
	"0.1m",
	"9223372036854775808",
	"1n",
	"",
	"1 Gi",
	"1E",
	"+1",
	"1.50",
];
const EXPRESSIONS = [
	"true",
	"false",
	"",
	'device.driver == "gpu.example.com"',
	'device.attributes["gpu.example.com"].model == "a"',
	'device.capacity["gpu.example.com"].memory.compareTo(quantity("1Gi")) >= 0',
	"device.nothing",
	"1 + 1 == 2",
	"device.driver",
	'"a" in device.attributes',
	'device.attributes["x"].y.z',
	"has(device.attributes.a)",
	"[1, 2].all(x, x > 0)",
	'device.driver.matches("[")',
	"device.allowMultipleAllocations",
	'semver("1.2.3").major() == 1',
	"(",
	'quantity("1x").isInteger()',
	'device.attributes["a"].b.isSorted()',
	"'a'.charAt(0) == 'a'",
];

/** Every place of a value: its holder and key. */
function places(value, found = []) {
	if (value === null || typeof value !== "object") return found;
	for (const key of Object.keys(value)) {
		found.push([value, key]);
		places(value[key], found);
	}
	return found;
}

/** Another value where `value` is. */
function other(next, key, value, donors) {
	const same = donors.get(key);
	if (same && next(3) === 0) return structuredClone(pick(next, same));
	if (key === "expression") return pick(next, EXPRESSIONS);
	switch (typeof value) {
		case "string":
			return /^[0-9.]+([munKMGTPE]i?)?$/.test(value)
				? pick(next, QUANTITIES)
				: pick(next, TEXTS);
		case "number":
			return pick(next, NUMBERS);
		case "boolean":
			return next(4) === 0 ? pick(next, [null, 1, "true"]) : !value;
		default:
			return pick(next, [null, {}, [], "a", 1]);
	}
}

/** Values of the objects by the key under which they are, so that one object can lend its parts to another. */
export function donorsOf(objects) {
	const donors = new Map();
	for (const object of objects) {
		for (const [holder, key] of places(object)) {
			if (
				Array.isArray(holder) ||
				["apiVersion", "kind", "name", "namespace"].includes(key)
			)
				continue;
			if (!donors.has(key)) donors.set(key, []);
			const kept = donors.get(key);
			if (kept.length < 200) kept.push(holder[key]);
		}
	}
	return donors;
}

const LISTS = [2, 9, 17, 33, 129];

/** A copy of an object with one to three changes; its kind, version, name and namespace mostly stay. */
export function mutated(next, object, donors) {
	const copy = structuredClone(object);
	for (let times = 1 + next(3); times > 0; times -= 1) {
		const all = places(copy).filter(
			([holder, key]) =>
				holder !== copy || !["apiVersion", "kind", "metadata"].includes(key),
		);
		const inside = all.filter(
			([holder, key]) =>
				holder !== copy.metadata ||
				(key !== "namespace" && (key !== "name" || next(20) === 0)),
		);
		if (inside.length === 0) return copy;
		const [holder, key] = pick(next, inside);
		const value = holder[key];
		switch (next(8)) {
			case 0:
				Array.isArray(holder)
					? holder.splice(Number(key), 1)
					: delete holder[key];
				break;
			case 1:
				if (Array.isArray(value) && value.length > 0) {
					for (let count = pick(next, LISTS); value.length < count; )
						value.push(structuredClone(pick(next, value)));
				} else holder[key] = other(next, key, value, donors);
				break;
			case 2: {
				const [name, lent] = pick(next, [...donors]);
				if (!Array.isArray(holder))
					holder[name] = structuredClone(pick(next, lent));
				break;
			}
			case 3:
				if (Array.isArray(holder)) holder.push(structuredClone(value));
				else holder[pick(next, TEXTS) || "x"] = structuredClone(value);
				break;
			default:
				holder[key] = other(next, key, value, donors);
		}
	}
	return copy;
}
