// The public interface of the crates, as rustdoc's pages show it: what may grow is `#[non_exhaustive]`, and functions and methods have
// examples, which are doc tests and run with the tests. The example of a type counts for each method that it calls.
//
//   api.mjs FOLDER    the folder that `cargo doc` writes
import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";

const CRATES = ["claimkit", "claimkit_values", "claimkit_yaml", "claimkit_cel"];

/** Types that cannot grow, with the reason. A row that is not needed is an error. */
const COMPLETE = {
	"claimkit::placement::ClaimStage": "the crates of claimkit match it whole",
	"claimkit::placement::TermOutcome": "the crates of claimkit match it whole",
	"claimkit_values::quantity::Digits": "the parts of a number",
	"claimkit_values::time::Civil": "the parts of a date",
	"claimkit_yaml::span::Span": "a start and an end",
	"claimkit_yaml::source::Position": "a line and a column in two units",
	"claimkit_yaml::tree::Kind":
		"whoever walks a tree must see a new kind of node",
	"claimkit_yaml::tree::Node": "made by whoever builds a tree",
	"claimkit_yaml::tree::Entry": "made by whoever builds a tree",
	"claimkit_yaml::yaml::Mark": "a position",
	"claimkit_yaml::yaml::TokenText": "a range of bytes",
	"claimkit_yaml::Mode": "YAML or JSON",
	"claimkit_yaml::edit::Step": "a key or an index",
	"claimkit_yaml::edit::Comments": "comments above and behind",
	"claimkit_cel::ast::ExprNode":
		"whoever walks a tree must see a new kind of node",
	"claimkit_cel::ast::Literal": "the literals of the language",
	"claimkit_cel::library::network::Address": "IPv4 or IPv6",
	"claimkit_cel::library::semver::SemanticVersion":
		"the parts of a semantic version",
	"claimkit_cel::library::semver::Identifier":
		"the two kinds of identifiers of a semantic version",
	"claimkit_cel::library::time::Duration": "a number of nanoseconds",
	"claimkit_cel::source::Location": "a line and a column",
};

/** The text of a piece of a page. */
const plain = (html) =>
	html
		.replace(/<[^>]*>/g, "")
		.replaceAll("&lt;", "<")
		.replaceAll("&gt;", ">")
		.replaceAll("&amp;", "&");
const hasExample = (docs) => docs.includes("rust-example-rendered");
/** True if the type's own example calls the method. */
const shows = (docs, method) =>
	hasExample(docs) &&
	new RegExp(`[.:]${method}(::<[^>]*>)?\\(`).test(plain(docs));

/** Every public item of a crate: its kind, path and page. */
function items(folder, crate) {
	const list = readFileSync(path.join(folder, crate, "all.html"), "utf8");
	const links = [
		...new Set(
			[
				...list.matchAll(
					/href="((?:[\w]+\/)*(?:struct|enum|fn|trait|type|constant|macro|static)\.[\w]+\.html)"/g,
				),
			].map(([, link]) => link),
		),
	];
	const pages = links.map((link) => {
		const [, modules, kind, name] = /^((?:\w+\/)*)(\w+)\.(\w+)\.html$/.exec(
			link,
		);
		return {
			kind,
			at: `${crate}::${modules.replaceAll("/", "::")}${name}`,
			html: readFileSync(path.join(folder, crate, link), "utf8"),
		};
	});
	// An item of another crate is looked at there.
	return pages.filter(({ html }) =>
		new RegExp(`href="(?:\\.\\./)*src/${crate}/`).test(html),
	);
}

/** The declaration of an item, its own documentation, and the methods that belong to no trait. */
function parts(html) {
	const declaration = plain(
		/<pre class="rust item-decl">([\s\S]*?)<\/pre>/.exec(html)?.[1] ?? "",
	);
	const own = html
		.split(/<h2 id="[^"]*implementations"/)[0]
		.split(/<h2 id="(?:fields|variants)"/)[0];
	const inherent =
		/<h2 id="implementations"[\s\S]*?(?=<h2 id="(?:trait|synthetic|blanket|deref)[\w-]*implementations|$)/.exec(
			html,
		)?.[0] ?? "";
	const methods = inherent
		.split('<section id="method.')
		.slice(1)
		.map((section) => {
			const name = section.slice(0, section.indexOf('"'));
			const signature = plain(
				/<h4 class="code-header">([\s\S]*?)<\/h4>/.exec(section)?.[1] ?? "",
			);
			return {
				name,
				docs: section,
				isSetter:
					/\((?:mut )?self[,)]/.test(signature) &&
					signature.endsWith("-> Self"),
			};
		});
	const fields = [...html.matchAll(/<span id="structfield\.(\w+)"/g)].map(
		([, name]) => name,
	);
	return { declaration, own, methods, fields };
}

const wrong = [];
const used = new Set();
let counted = 0;
let countedMethods = 0;
const setters = new Set();
for (const crate of CRATES) {
	for (const { kind, at, html } of items(process.argv[2], crate)) {
		counted += 1;
		const { declaration, own, methods, fields } = parts(html);
		if (kind === "fn" && !hasExample(own))
			wrong.push(`${at}: a public function without an example`);
		if (kind !== "enum" && kind !== "struct") continue;
		// Code outside the crate can write down a struct without private fields.
		if (
			!declaration.includes("#[non_exhaustive]") &&
			(kind === "enum" || !declaration.includes("/* private fields */"))
		) {
			if (COMPLETE[at] === undefined)
				wrong.push(`${at}: a public ${kind} without #[non_exhaustive]`);
			used.add(at);
		}
		const known = methods.filter(({ isSetter }) => isSetter);
		if (known.length > 0 && at.endsWith("Options")) {
			for (const field of fields) {
				const singular = field.replace(/s$/, "");
				if (!known.some(({ name }) => [field, singular].includes(name)))
					wrong.push(`${at}::${field}: an option without a setter`);
				setters.add(`${at}::${field}`);
			}
		}
		for (const { name, docs } of methods) {
			if (!hasExample(docs) && !shows(own, name))
				wrong.push(`${at}::${name}: a public method without an example`);
		}
		countedMethods += methods.length;
	}
}
for (const row of Object.keys(COMPLETE))
	if (!used.has(row))
		wrong.push(`${row}: COMPLETE of tests/supply/api.mjs needs no such row`);
if (counted < 150) wrong.push(`only ${counted} public items were found`);
if (countedMethods < 200)
	wrong.push(`only ${countedMethods} public methods were found`);
if (setters.size < 30) wrong.push(`only ${setters.size} options were found`);
for (const line of wrong) console.error(line);
if (wrong.length > 0) process.exitCode = 1;
else
	console.log(
		`    ${counted} public items, ${countedMethods} methods, ${setters.size} options`,
	);
