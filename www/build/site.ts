import type { ReleaseEntry } from "claimkit";
import type { CodePage, Example, Marked } from "./codepages.ts";
import { guidesOf, type Readme } from "./guides.ts";
import { NODE_SENTENCES } from "./nodesentences.ts";
import type { SchedulerSentence } from "./sentences.ts";
import { VERSION_STEPS, type VersionTold } from "./versions.ts";

/**
 * The pages beside the playground: one for each finding code, each sentence of kube-scheduler and each release, in both languages,
 * and what makes a site of them where its address is known.
 */

export interface SitePage {
	/** Below the site's root. */
	path: string;
	html: string;
}

type Language = "en" | "zh-Hans";

const WORDS: Record<Language, Record<string, string>> = {
	en: {
		playground: "Playground",
		codes: "All codes",
		means: "What it means",
		why: "Why it matters",
		rule: "The rule",
		example: "Example",
		write: "What to write",
		fix: "The fix",
		open: "Open in the playground",
		docs: "Kubernetes documentation",
		other: "简体中文",
		causes: "What it can be",
		todo: "What to do",
		says: "Who says so, and when",
		also: "Other wordings",
		tryYours: "Try yours in the playground",
		funnel: "How an answer looks",
		serves: "Versions that are served",
		changes: "What changes inside",
		sentences: "What scheduler, kubelet and drivers say",
		releases: "Releases",
		versions: "Versions",
		guides: "Guides",
		title: "Finding codes",
		find: "Paste a message into the playground: it finds its page",
		search: "Search",
		words: "Words, a code or a message",
		noResult: "No page has these words.",
		results: "Pages found: {n}",
		needsScripts: "The search needs JavaScript.",
	},
	"zh-Hans": {
		playground: "演练场",
		codes: "全部代码",
		means: "含义",
		why: "为何重要",
		rule: "规则",
		example: "示例",
		write: "应如何书写",
		fix: "修复",
		open: "在演练场中打开",
		docs: "Kubernetes 文档",
		other: "English",
		causes: "可能的原因",
		todo: "该怎么做",
		says: "谁在何时这样说",
		also: "其他说法",
		tryYours: "在演练场中试试您的内容",
		funnel: "答案的样子",
		serves: "提供的版本",
		changes: "其间的变化",
		sentences: "调度器、kubelet 和驱动的说法",
		releases: "Kubernetes 版本",
		versions: "API 版本",
		guides: "指南",
		title: "检查结果代码",
		find: "把消息粘贴到演练场，它会找到对应的页面",
		search: "搜索",
		words: "词语、代码或消息",
		noResult: "没有页面包含这些词语。",
		results: "找到的页面：{n}",
		needsScripts: "搜索需要 JavaScript。",
	},
};

/** More characters of a title or description than these are not shown in lists of results. */
const LONGEST_TITLE = 65;
const LONGEST_DESCRIPTION = 158;
const SHORTEST_DESCRIPTION = 70;

const DOCUMENTATION =
	"https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/";

export const escapeHtml = (text: string): string =>
	text
		.replace(/&/g, "&amp;")
		.replace(/</g, "&lt;")
		.replace(/>/g, "&gt;")
		.replace(/"/g, "&quot;");
export const plain = (html: string): string =>
	html
		.replace(/<[^>]*>/g, "")
		.replace(/&lt;/g, "<")
		.replace(/&gt;/g, ">")
		.replace(/&quot;/g, '"')
		.replace(/&amp;/g, "&");

/** A message without what differs from one to the next: names between quotes, numbers and places. */
export function constantOf(message: string): string {
	return message
		.replace(/"[^"]*"/g, '"…"')
		.replace(/`[^`]*`/g, "…")
		.replace(/\b\d[\d.]*\b/g, "…")
		.replace(/\s+/g, " ")
		.replace(/(… ?){2,}/g, "… ")
		.trim();
}

export function cut(text: string, most: number): string {
	if ([...text].length <= most) return text;
	const short = [...text].slice(0, most - 1).join("");
	const word = short.lastIndexOf(" ");
	return `${(word > most / 2 ? short.slice(0, word) : short).replace(/[\s,;:–-]+$/, "")}…`;
}

function describe(text: string, more: string): string {
	const whole = text.replace(/\s+/g, " ").trim();
	return cut(
		[...whole].length < SHORTEST_DESCRIPTION ? `${whole} ${more}` : whole,
		LONGEST_DESCRIPTION,
	);
}

interface Made {
	language: Language;
	/** The page in the other language, relative to this one; empty where there is none. */
	other: string;
	title: string;
	description: string;
	/** The site's root, relative to this page. */
	root: string;
	/** Links above the page. */
	nav?: string;
	/** The script of the page, relative to it; it may fetch files of the site. */
	script?: string;
	body: string;
}

function document({
	language,
	other,
	title,
	description,
	root,
	nav = "",
	script,
	body,
}: Made): string {
	const words = WORDS[language];
	const otherLanguage: Language = language === "en" ? "zh-Hans" : "en";
	return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'${script === undefined ? "" : "; script-src 'self'; connect-src 'self'"}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(description)}">
${other === "" ? "" : `<link rel="alternate" hreflang="${otherLanguage}" href="${other}">\n`}<link rel="stylesheet" href="${root}codes/codes.css">
${script === undefined ? "" : `<script type="module" src="${script}"></script>\n`}</head>
<body>
<nav><a href="${root}">${words.playground}</a> <a href="${root}codes/${language === "en" ? "" : "zh/"}index.html">${words.codes}</a> <a href="${root}scheduler/${language === "en" ? "" : "zh/"}index.html">${words.sentences}</a> <a href="${root}releases/${language === "en" ? "" : "zh/"}index.html">${words.releases}</a> <a href="${root}versions/${language === "en" ? "" : "zh/"}index.html">${words.versions}</a> <a href="${root}guide/${language === "en" ? "" : "zh/"}index.html">${words.guides}</a> <a href="${root}search/${language === "en" ? "" : "zh/"}index.html">${words.search}</a>${other === "" ? "" : ` <a href="${other}" lang="${otherLanguage}" hreflang="${otherLanguage}">${words.other}</a>`}${nav}</nav>
<main>
${body}
</main>
</body>
</html>
`;
}

export const part = (html: string, pattern: RegExp): string =>
	pattern.exec(html)?.[1] ?? "";

/** A help as a sentence. Names of programs stay in lower case. */
function sentenceOf(help: string): string {
	const end = help.endsWith("?") ? "" : ".";
	const first = help.startsWith("kubectl ")
		? help.charAt(0)
		: help.charAt(0).toUpperCase();
	return `${first}${help.slice(1)}${end}`;
}

function withMark(text: string, marked: Marked | undefined): string {
	if (!marked) return escapeHtml(text);
	const { start, end } = marked;
	return `${escapeHtml(text.slice(0, start))}<mark>${escapeHtml(text.slice(start, end))}</mark>${escapeHtml(text.slice(end))}`;
}

/** What a visitor reads about an example; only headings are in the page's language. */
function exampleOf({ finding, asked, texts }: Example, lang: string): string[] {
	return [
		...(asked.length > 0
			? [`<p class="release"${lang}>${prose(asked.join(", "))}</p>`]
			: []),
		...texts.flatMap(({ caption, text, marked }) => [
			...(caption ? [`<p${lang}>${caption}</p>`] : []),
			`<pre>${withMark(text, marked)}</pre>`,
		]),
		`<blockquote${lang}>${escapeHtml(finding.message)}</blockquote>`,
	];
}

/** The page of a code, in both languages. */
function codePages(
	{ code, meaning, about, example }: CodePage,
	canOpen: boolean,
): SitePage[] {
	const said = example
		? constantOf(example.finding.message)
		: meaning.en.replaceAll("`", "");
	return (["en", "zh-Hans"] as const).map((language): SitePage => {
		const words = WORDS[language];
		const root = language === "en" ? "../" : "../../";
		const lang = language === "en" ? "" : ' lang="en"';
		const paragraph = (text: string) => `<p${lang}>${prose(text)}</p>`;
		const section = (heading: string, parts: readonly string[]) =>
			parts.length > 0 ? [`<h2>${words[heading]}</h2>`, ...parts] : [];
		const help = example?.finding.help;
		const fix = example?.finding.fixes[0]?.title;
		const offered = fix ? `claimkit offers a fix here: ${fix}.` : undefined;
		const body = [
			`<h1><code>${code}</code></h1>`,
			...(example
				? [
						`<p class="tags"><span class="${example.finding.severity}">${example.finding.severity}</span> <span>${example.finding.origin}</span></p>`,
					]
				: []),
			`<p class="meaning">${prose(meaning[language])}</p>`,
			...section("means", about.means ? [paragraph(about.means)] : []),
			...section("why", [paragraph(about.why)]),
			...section("rule", [paragraph(about.rule)]),
			...section(
				"example",
				example
					? exampleOf(example, lang)
					: about.noExample
						? [paragraph(about.noExample)]
						: [],
			),
			...section(
				"write",
				[help && sentenceOf(help), about.instead].flatMap((text) =>
					text ? [paragraph(text)] : [],
				),
			),
			...section(
				"fix",
				about.fix
					? [offered, about.fix].flatMap((text) =>
							text ? [paragraph(text)] : [],
						)
					: [],
			),
		];
		const links = canOpen
			? `<a href="${root}#example=code/${code}">${words.open}</a>`
			: "";
		const title = `${cut(said, LONGEST_TITLE - code.length - 3)} – ${code}`;
		const more =
			language === "en"
				? `What ${code} means, an example of it, and how to mend it.`
				: `${code} 的含义、一个示例以及改正方法；来自 Kubernetes 动态资源分配（DRA）的检查结果，逐字与上游一致，可在演练场中试用。`;
		const description = describe(
			`${meaning[language]} ${language === "en" ? about.rule : ""}`.replaceAll(
				"`",
				"",
			),
			more,
		);
		return {
			path: language === "en" ? `codes/${code}.html` : `codes/zh/${code}.html`,
			html: document({
				language,
				root,
				other: language === "en" ? `zh/${code}.html` : `../${code}.html`,
				title,
				description,
				nav: `${links}<a href="${DOCUMENTATION}">${words.docs}</a>`,
				body: body.join("\n"),
			}),
		};
	});
}

function codeIndex(pages: readonly CodePage[]): SitePage[] {
	const sorted = [...pages].sort((a, b) => (a.code < b.code ? -1 : 1));
	return (["en", "zh-Hans"] as const).map((language): SitePage => {
		const rows = sorted.map(({ code, meaning, example }) => {
			const tag = example
				? `<span class="${example.finding.severity}">${example.finding.severity}</span>`
				: "";
			// A visitor has the message, and not our name for it.
			const quoted = example
				? `\n<dd lang="en"><q>${escapeHtml(example.finding.message)}</q></dd>`
				: "";
			return `<dt><a href="${code}.html"><code>${code}</code></a> ${tag}</dt>\n<dd>${prose(meaning[language])}</dd>${quoted}`;
		});
		const title =
			language === "en"
				? "Finding codes of claimkit: what Kubernetes says of DRA manifests"
				: "claimkit 检查结果代码：Kubernetes 对 DRA 清单的说法";
		const description =
			language === "en"
				? "Every message of kubectl, the API server and the scheduler about resource.k8s.io manifests: what it means, an example and the correction."
				: "kubectl、API 服务器和调度器关于 resource.k8s.io 清单的全部消息：含义、示例和改正方法。每条消息都有自己的页面，并附有可在演练场中打开的例子。";
		return {
			path: language === "en" ? "codes/index.html" : "codes/zh/index.html",
			html: document({
				language,
				root: language === "en" ? "../" : "../../",
				other: language === "en" ? "zh/index.html" : "../index.html",
				title,
				description,
				body: `<h1>${WORDS[language].title}</h1>\n<p><a href="${language === "en" ? "../" : "../../"}">${WORDS[language].find}</a></p>\n<dl>\n${rows.join("\n")}\n</dl>`,
			}),
		};
	});
}

/** The funnel of a node in the engine's answer: the number of devices left after each step. */
export interface Funnel {
	node: string;
	steps: string[];
}

function schedulerPages(
	sentences: Record<string, SchedulerSentence>,
	funnels: Record<string, Funnel>,
): SitePage[] {
	const pages: SitePage[] = [];
	for (const language of ["en", "zh-Hans"] as const) {
		const words = WORDS[language];
		const root = language === "en" ? "../" : "../../";
		const folder = language === "en" ? "scheduler/" : "scheduler/zh/";
		for (const [id, sentence] of Object.entries(sentences)) {
			const { meaning, causes, todo } =
				sentence[language === "en" ? "en" : "zh"];
			const funnel = funnels[sentence.example];
			const who = id in NODE_SENTENCES ? sentence.stage : "kube-scheduler";
			const suffix = language === "en" ? `${who}, DRA` : `${who} 消息`;
			const body = [
				`<h1>${escapeHtml(sentence.constant)}</h1>`,
				`<blockquote lang="en">${escapeHtml(sentence.message)}</blockquote>`,
				`<p class="meaning">${escapeHtml(meaning)}</p>`,
				`<h2>${words.says}</h2>\n<p><code>${sentence.stage}</code></p>`,
				`<h2>${words.causes}</h2>\n<ul>\n${causes.map((cause) => `<li>${escapeHtml(cause)}</li>`).join("\n")}\n</ul>`,
				`<h2>${words.todo}</h2>\n<p>${escapeHtml(todo)}</p>`,
				...(sentence.also
					? [
							`<h2>${words.also}</h2>`,
							...sentence.also.map(
								(wording) =>
									`<blockquote lang="en">${escapeHtml(wording)}</blockquote>`,
							),
						]
					: []),
				...(funnel
					? [
							`<h2>${words.funnel}</h2>\n<ol class="funnel" lang="en">\n${funnel.steps.map((step) => `<li>${escapeHtml(step)}</li>`).join("\n")}\n</ol>`,
						]
					: []),
				`<p><a href="${root}#panel=devices">${words.tryYours}</a> · <a href="${root}#example=${sentence.example}">${words.open}</a></p>`,
			];
			pages.push({
				path: `${folder}${id}.html`,
				html: document({
					language,
					root,
					other: language === "en" ? `zh/${id}.html` : `../${id}.html`,
					title: `${cut(sentence.constant, LONGEST_TITLE - suffix.length - 3)} – ${suffix}`,
					description: describe(`${meaning} ${causes.join(" ")}`, todo),
					nav: `<a href="${DOCUMENTATION}">${words.docs}</a>`,
					body: body.join("\n"),
				}),
			});
		}
		const rows = Object.entries(sentences).map(
			([id, sentence]) =>
				`<dt><a href="${id}.html" lang="en">${escapeHtml(sentence.constant)}</a></dt>\n<dd>${escapeHtml(sentence[language === "en" ? "en" : "zh"].meaning)}</dd>`,
		);
		pages.push({
			path: `${folder}index.html`,
			html: document({
				language,
				root,
				other: language === "en" ? "zh/index.html" : "../index.html",
				title:
					language === "en"
						? "What scheduler, kubelet and drivers say of claims"
						: "kube-scheduler 对带有设备申领的 Pod 的说法",
				description:
					language === "en"
						? "Each sentence that kube-scheduler, the kubelet and drivers put into a pod's events because of ResourceClaims: what it means, what causes it and what to do."
						: "kube-scheduler 因 ResourceClaim 写入等待中 Pod 事件的每一句话：它的含义、原因以及该怎么做。每一句都有自己的页面，并可在演练场中用您自己的集群内容查看原因。",
				body: `<h1>${words.sentences}</h1>\n<dl>\n${rows.join("\n")}\n</dl>`,
			}),
		});
	}
	return pages;
}

const prose = (text: string): string =>
	text
		.split("`")
		.map((piece, at) =>
			at % 2 === 1 ? `<code>${escapeHtml(piece)}</code>` : escapeHtml(piece),
		)
		.join("");

function releasePages(releases: Record<Language, ReleaseEntry[]>): SitePage[] {
	const pages: SitePage[] = [];
	for (const language of ["en", "zh-Hans"] as const) {
		const words = WORDS[language];
		const root = language === "en" ? "../" : "../../";
		const folder = language === "en" ? "releases/" : "releases/zh/";
		const list = releases[language];
		list.forEach(({ release, lastPatch, versions, changes }, at) => {
			const before = list[at - 1];
			const names = (entry: Pick<ReleaseEntry, "versions"> | undefined) =>
				new Set(entry?.versions.map(({ apiVersion }) => apiVersion) ?? []);
			const [had, has] = [names(before), names({ versions })];
			const added = [...has].filter((name) => !had.has(name));
			const gone = [...had].filter((name) => !has.has(name));
			const differs =
				language === "en"
					? [
							...added.map((name) => `${name} is new`),
							...gone.map((name) => `${name} is not served any more`),
						]
					: [
							...added.map((name) => `新增 ${name}`),
							...gone.map((name) => `不再提供 ${name}`),
						];
			const title =
				language === "en"
					? `Kubernetes ${release}: what changes for device claims (DRA)`
					: `Kubernetes ${release}：设备申领（DRA）的变化`;
			const served = versions
				.map(({ apiVersion }) => apiVersion.split("/").pop())
				.join(", ");
			const description =
				language === "en"
					? `Kubernetes ${release} (to ${lastPatch}) serves resource.k8s.io ${served}. ${differs.join("; ")}`
					: `Kubernetes ${release}（至 ${lastPatch}）提供 resource.k8s.io 的 ${served}。${differs.join("；")}`;
			const body = [
				`<h1>${escapeHtml(title)}</h1>`,
				...(before && differs.length > 0
					? [
							`<ul>\n${differs.map((line) => `<li>${escapeHtml(line)}</li>`).join("\n")}\n</ul>`,
						]
					: []),
				`<h2>${words.serves}</h2>\n<dl>\n${versions.map(({ apiVersion, documentation = "" }) => `<dt><code>${apiVersion}</code></dt>\n<dd>${prose(documentation)}</dd>`).join("\n")}\n</dl>`,
				...(changes.some(({ documentation }) => documentation)
					? [
							`<h2>${words.changes}</h2>\n<dl>\n${changes.flatMap(({ since, documentation }) => (documentation ? [`<dt>${since}</dt>\n<dd>${prose(documentation)}</dd>`] : [])).join("\n")}\n</dl>`,
						]
					: []),
			];
			pages.push({
				path: `${folder}${release}.html`,
				html: document({
					language,
					root,
					other:
						language === "en" ? `zh/${release}.html` : `../${release}.html`,
					title,
					description: describe(
						description,
						language === "en"
							? "Check manifests by this release, word for word, in the playground."
							: "可在演练场中按此版本逐字检查清单，并与其他版本比较：哪些版本被提供，哪些字段被接受，服务器会怎样回答。",
					),
					body: body.join("\n"),
				}),
			});
		});
	}
	return pages;
}

interface Sources {
	codes: readonly CodePage[];
	examples: Readonly<Record<string, unknown>>;
	sentences: Record<string, SchedulerSentence>;
	funnels: Record<string, Funnel>;
	releases: Record<Language, ReleaseEntry[]>;
	versions: Readonly<Record<string, VersionTold>>;
	readmes: readonly Readme[];
}

const code = (text: string): string =>
	`<pre><code>${escapeHtml(text)}</code></pre>`;

/** From each older version to v1: what changes, before and after as the engine converts it. */
function versionPages(told: Readonly<Record<string, VersionTold>>): SitePage[] {
	const pages: SitePage[] = [];
	for (const language of ["en", "zh-Hans"] as const) {
		const english = language === "en";
		const root = english ? "../" : "../../";
		const folder = english ? "versions/" : "versions/zh/";
		const made = VERSION_STEPS.flatMap(({ from, text, ...sentences }) => {
			const known = told[from];
			if (!known) return [];
			const lines = english ? sentences.en : sentences.zh;
			const title = english
				? `resource.k8s.io/${from} to v1: how to convert DRA manifests`
				: `resource.k8s.io/${from} 到 v1：如何转换 DRA 清单`;
			const removed = english
				? `Kubernetes ${known.removedIn} does not serve resource.k8s.io/${from} any more.`
				: `Kubernetes ${known.removedIn} 不再提供 resource.k8s.io/${from}。`;
			const body = [
				`<h1>${escapeHtml(title)}</h1>`,
				`<p class="meaning">${prose(removed)}</p>`,
				`<h2>${english ? "What changes" : "有哪些变化"}</h2>
<ul>
${lines.map((line) => `<li>${prose(line)}</li>`).join("\n")}
</ul>`,
				...(known.assumed.length > 0
					? [
							`<h2>${english ? "What is assumed" : "所作的假设"}</h2>
<ul lang="en">
${known.assumed.map((line) => `<li>${prose(line)}</li>`).join("\n")}
</ul>`,
						]
					: []),
				`<h2>${english ? "Before" : "转换前"}</h2>
${code(text)}`,
				`<h2>${english ? "After" : "转换后"}</h2>
${code(known.text)}`,
				`<h2>${english ? "Convert yours" : "转换您的清单"}</h2>
<p><a href="${root}#panel=convert">${english ? "In the playground, which sends nothing anywhere" : "在不发送任何内容的演练场中"}</a>, ${english ? "or on the command line" : "或在命令行中"}:</p>
${code("npx claimkit convert --to v1 manifests/")}`,
			];
			return [
				{
					from,
					title,
					page: {
						path: `${folder}${from}-to-v1.html`,
						html: document({
							language,
							root,
							other: english
								? `zh/${from}-to-v1.html`
								: `../${from}-to-v1.html`,
							title,
							description: describe(
								plain(`${lines[0] ?? ""} ${removed}`).replaceAll("`", ""),
								english
									? "Before and after, and what no tool can know."
									: `resource.k8s.io/${from} 的清单在转换为 v1 前后的样子，以及任何工具都无法替您决定的内容；可在演练场中逐字核对。`,
							),
							body: body.join("\n"),
						}),
					},
				},
			];
		});
		pages.push(...made.map(({ page }) => page));
		pages.push({
			path: `${folder}index.html`,
			html: document({
				language,
				root,
				other: english ? "zh/index.html" : "../index.html",
				title: english
					? "Versions of resource.k8s.io, and the way to v1"
					: "resource.k8s.io 的各版本，以及通往 v1 的路",
				description: english
					? "From v1beta2, v1beta1, v1alpha3 and v1alpha2 to v1: what changes in claims, classes and slices, before and after, and until when each is served."
					: "从 v1beta2、v1beta1、v1alpha3 和 v1alpha2 到 v1：申领、设备类和资源切片有哪些变化，转换前后的样子，以及每个版本提供到何时。",
				body: `<h1>${WORDS[language].versions}</h1>\n<ul>\n${made.map(({ from, title }) => `<li><a href="${from}-to-v1.html">${escapeHtml(title)}</a></li>`).join("\n")}\n</ul>`,
			}),
		});
	}
	return pages;
}

/** The chapters of the READMEs, in both languages. */
function guidePages(readmes: readonly Readme[]): SitePage[] {
	const guides = guidesOf(readmes);
	const of = (language: Language): SitePage[] => {
		const english = language === "en";
		const root = english ? "../" : "../../";
		const folder = english ? "guide/" : "guide/zh/";
		const list = guides.flatMap(({ slug, chinese, ...own }) =>
			english
				? [{ slug, ...own, both: chinese !== undefined }]
				: chinese
					? [{ slug, ...chinese, both: true }]
					: [],
		);
		const rows = list.map(
			({ slug, title, description }) =>
				`<dt><a href="${slug}.html">${escapeHtml(title)}</a></dt>\n<dd>${escapeHtml(cut(description, LONGEST_DESCRIPTION))}</dd>`,
		);
		return [
			...list.map(({ slug, title, description, html, both }): SitePage => {
				const more = english
					? `${title}: how claimkit checks Kubernetes device claims, with the commands to copy.`
					: `${title}：claimkit 如何检查 Kubernetes 的设备申领，并附可复制的命令。`;
				return {
					path: `${folder}${slug}.html`,
					html: document({
						language,
						root,
						other: both
							? english
								? `zh/${slug}.html`
								: `../${slug}.html`
							: "",
						title: cut(title, LONGEST_TITLE),
						description: describe(description, more),
						body: `<h1>${escapeHtml(title)}</h1>\n${html}`,
					}),
				};
			}),
			{
				path: `${folder}index.html`,
				html: document({
					language,
					root,
					other: english ? "zh/index.html" : "../index.html",
					title: english
						? "Guides: claimkit on the command line, in CI, editors and code"
						: "指南：在命令行、CI、编辑器和代码中使用 claimkit",
					description: english
						? "How to install claimkit, check manifests on the command line and in a running cluster, and use it from JavaScript, Rust, editors and language servers."
						: "如何安装 claimkit，在命令行和运行中的集群里检查清单，以及从 JavaScript、Rust、编辑器和语言服务器中使用它；每篇指南都附有可复制的命令和它们的输出。",
					body: `<h1>${WORDS[language].guides}</h1>\n<dl>\n${rows.join("\n")}\n</dl>`,
				}),
			},
		];
	};
	return [...of("en"), ...of("zh-Hans")];
}

/** A list of releases, newest first, so that each can be reached. */
function releaseIndex(releases: Record<Language, ReleaseEntry[]>): SitePage[] {
	return (["en", "zh-Hans"] as const).map((language): SitePage => {
		const english = language === "en";
		const rows = [...releases[language]]
			.reverse()
			.map(
				({ release, lastPatch, versions }) =>
					`<dt><a href="${release}.html">Kubernetes ${release}</a></dt>\n<dd>${english ? `to ${lastPatch}; ` : `至 ${lastPatch}；`}${versions.map(({ apiVersion }) => `<code>${apiVersion.split("/").pop()}</code>`).join(", ")}</dd>`,
			);
		return {
			path: english ? "releases/index.html" : "releases/zh/index.html",
			html: document({
				language,
				root: english ? "../" : "../../",
				other: english ? "zh/index.html" : "../index.html",
				title: english
					? "Kubernetes releases: what each changes for device claims"
					: "Kubernetes 各版本：设备申领的变化",
				description: english
					? "For each Kubernetes release: which versions of resource.k8s.io it serves, and what it changes in validation, selectors and the allocator."
					: "每个 Kubernetes 版本提供 resource.k8s.io 的哪些版本，以及在校验、选择器和分配器方面有哪些变化；可在演练场中按任一版本检查清单。",
				body: `<h1>${WORDS[language].releases}</h1>\n<dl>\n${rows.join("\n")}\n</dl>`,
			}),
		};
	});
}

/** The page that searches the others; `script` is relative to the site's root. */
export function searchPages(script: string): SitePage[] {
	return (["en", "zh-Hans"] as const).map((language): SitePage => {
		const english = language === "en";
		const root = english ? "../" : "../../";
		const words = WORDS[language];
		return {
			path: english ? "search/index.html" : "search/zh/index.html",
			html: document({
				language,
				root,
				other: english ? "zh/index.html" : "../index.html",
				title: english
					? "Search the pages of claimkit"
					: "搜索 claimkit 的页面",
				description: english
					? "Search the pages about finding codes, messages of the scheduler, the kubelet and drivers, releases and guides. The search runs in this page."
					: "搜索关于检查结果代码、调度器、kubelet 和驱动的消息、Kubernetes 版本以及指南的页面。搜索只在本页中进行，所输入的内容不会发送到任何地方，也不需要任何服务。",
				script: `${root}${script}`,
				body: `<h1>${words.search}</h1>
<noscript><p>${words.needsScripts}</p></noscript>
<search>
<form data-root="${root}" data-index="${root}search/${english ? "en" : "zh"}.json" data-none="${words.noResult}" data-found="${words.results}">
<input type="search" name="q" aria-label="${words.words}" placeholder="${words.words}" autocomplete="off" spellcheck="false">
<button type="submit">${words.search}</button>
</form>
</search>
<output></output>
<ol class="results"></ol>`,
			}),
		};
	});
}

/** All pages beside the playground. */
export function sitePages({
	codes,
	examples,
	sentences,
	funnels,
	releases,
	versions,
	readmes,
}: Sources): SitePage[] {
	return [
		...codes.flatMap((page) => codePages(page, page.code in examples)),
		...codeIndex(codes),
		...schedulerPages(sentences, funnels),
		...releasePages(releases),
		...releaseIndex(releases),
		...versionPages(versions),
		...guidePages(readmes),
	];
}

/** The address of a site with one slash at its end. */
const rooted = (address: string): string => `${address.replace(/\/+$/, "")}/`;

/** Adds the page's own address where the site has one. */
export function withAddress(
	html: string,
	path: string,
	address: string,
): string {
	const root = rooted(address);
	const url = `${root}${path.replace(/(^|\/)index\.html$/, "$1")}`;
	const title = plain(part(html, /<title>([\s\S]*?)<\/title>/));
	const description = plain(
		part(html, /<meta name="description" content="([^"]*)"/),
	);
	const tags = [
		`<link rel="canonical" href="${escapeHtml(url)}">`,
		`<meta property="og:type" content="website">`,
		`<meta property="og:url" content="${escapeHtml(url)}">`,
		`<meta property="og:title" content="${escapeHtml(title)}">`,
		...(description === ""
			? []
			: [
					`<meta property="og:description" content="${escapeHtml(description)}">`,
				]),
		`<meta property="og:image" content="${escapeHtml(root)}og.png">`,
		`<meta name="twitter:card" content="summary_large_image">`,
	];
	return html
		.replace(
			/(<link rel="alternate" hreflang="[^"]*" href=")([^"]*)"/g,
			(_, before: string, other: string) =>
				`${before}${escapeHtml(new URL(other, url).href)}"`,
		)
		.replace("</head>", () => `${tags.join("\n")}\n</head>`);
}

/** The files that make a site of the pages: which there are, who may read them, and what stands for one that is not there. */
export function siteFiles(
	pages: readonly SitePage[],
	address: string,
): Record<string, string> {
	const root = rooted(address);
	const paths = [
		"",
		...pages.map(({ path }) => path.replace(/(^|\/)index\.html$/, "$1")),
	].sort();
	const notFound = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Not found – claimkit</title>
<link rel="stylesheet" href="${escapeHtml(root)}codes/codes.css">
</head>
<body>
<main>
<h1>There is no page here</h1>
<p><a href="${escapeHtml(root)}">Playground</a> · <a href="${escapeHtml(root)}codes/">All codes</a> · <a href="${escapeHtml(root)}scheduler/">What kube-scheduler says</a></p>
<p lang="zh-Hans">这里没有页面。<a href="${escapeHtml(root)}codes/zh/">全部代码</a></p>
</main>
</body>
</html>
`;
	return {
		"sitemap.xml": `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${paths.map((path) => `<url><loc>${escapeHtml(root + path)}</loc></url>`).join("\n")}\n</urlset>\n`,
		"robots.txt": `User-agent: *\nAllow: /\nSitemap: ${root}sitemap.xml\n`,
		"404.html": notFound,
		".nojekyll": "",
	};
}
