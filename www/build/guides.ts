import { marked, Renderer, type Tokens } from "marked";

/** A chapter of a README as a page. */
export interface GuideText {
	title: string;
	description: string;
	/** The chapter in HTML, below its heading. */
	html: string;
}

/** A chapter of a README as a page of its own. */
export interface Guide extends GuideText {
	/** The name of its page. */
	slug: string;
	/** The same in Chinese, where somebody translated it. */
	chinese?: GuideText;
}

/** A README whose chapters become guides; `about` names it in the titles. */
export interface Readme {
	path: string;
	text: string;
	about: string;
	/** Its chapters in Chinese, in the same order; `{{code}}` stands for each block of code. */
	chinese: string;
}

/** Chapters that are about the repository and not about using it, or are the playground itself. */
const LEFT_OUT = ["The playground", "Working on it"];

export const slugOf = (heading: string): string =>
	heading
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, "-")
		.replace(/^-|-$/g, "");

const plain = (markdown: string): string =>
	markdown
		.replace(/!\[[^\]]*\]\([^)]*\)/g, "")
		.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
		.replace(/[`*]/g, "")
		.replace(/\s+/g, " ")
		.trim();

interface Chapter {
	readme: Readme;
	heading: string;
	slug: string;
	body: string;
}

/** Returns the chapters of the second level; code blocks have no headings. */
function chaptersOf(readme: Readme, text = readme.text): Chapter[] {
	const chapters: Chapter[] = [];
	let fenced = false;
	for (const line of text.split("\n")) {
		if (line.startsWith("```")) fenced = !fenced;
		const heading = fenced ? undefined : /^## (.+)$/.exec(line)?.[1];
		if (heading !== undefined)
			chapters.push({
				readme,
				heading,
				slug: slugOf(`${readme.about} ${heading}`),
				body: "",
			});
		else if (chapters.length > 0) chapters.at(-1)!.body += `${line}\n`;
	}
	return chapters.filter(({ heading }) => !LEFT_OUT.includes(heading));
}

/** Returns the page of each heading, by `path#heading`. */
function anchors(chapters: readonly Chapter[]): Map<string, string> {
	const found = new Map<string, string>();
	for (const { readme, heading, slug, body } of chapters) {
		found.set(`${readme.path}#${slugOf(heading)}`, `${slug}.html`);
		for (const [, inner] of body.matchAll(/^###+ (.+)$/gm))
			found.set(
				`${readme.path}#${slugOf(inner!)}`,
				`${slug}.html#${slugOf(inner!)}`,
			);
	}
	return found;
}

/** The headings of a chapter, without those in code. */
const headingsIn = (body: string): string[] =>
	[...body.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/^###+ (.+)$/gm)].map(
		([, heading]) => heading!,
	);

/** `ids`: those of the headings, where they are not made of their words. */
function rendererFor(
	path: string,
	known: ReadonlyMap<string, string>,
	ids: string[] = [],
): Renderer {
	const renderer = new Renderer();
	// Pictures are of the page that the guide leads to.
	renderer.image = () => "";
	renderer.heading = function ({ tokens, depth, text }: Tokens.Heading) {
		return `<h${depth - 1} id="${ids.shift() ?? slugOf(text)}">${this.parser.parseInline(tokens)}</h${depth - 1}>\n`;
	};
	renderer.link = function ({ href, tokens }: Tokens.Link) {
		const inner = this.parser.parseInline(tokens);
		if (/^https?:/.test(href)) return `<a href="${href}">${inner}</a>`;
		const target = known.get(href.startsWith("#") ? `${path}${href}` : href);
		// A file that is only in the repository has no page here.
		return target === undefined ? inner : `<a href="${target}">${inner}</a>`;
	};
	return renderer;
}

/** Leaves out tables of pictures: nothing would be left in them. */
const withoutPictures = (body: string): string =>
	body.replace(/(?:^\|.*\n)+/gm, (table) =>
		table.includes("![") ? "" : table,
	);

/** The guides of READMEs, in their order. */
export function guidesOf(readmes: readonly Readme[]): Guide[] {
	const chapters = readmes
		.flatMap((readme) => chaptersOf(readme))
		.map((chapter) => ({ ...chapter, body: withoutPictures(chapter.body) }));
	const known = anchors(chapters);
	const page = (
		{ readme, heading }: Chapter,
		body: string,
		ids?: string[],
	): GuideText => ({
		title: `${heading} – ${readme.about}`,
		description: plain(
			body
				.split(/\n\n+/)
				.find((block) => /^[A-Z`\u4e00-\u9fff]/.test(block.trim())) ?? "",
		),
		html: marked
			.parse(body, {
				async: false,
				renderer: rendererFor(readme.path, known, ids),
			})
			.replace(/<p>\s*<\/p>\n?/g, ""),
	});
	const translated = new Map(
		readmes.map((readme) => [readme, chaptersOf(readme, readme.chinese)]),
	);
	return chapters.map((chapter) => {
		const { readme, slug, body } = chapter;
		const chinese =
			translated.get(readme)![
				chapters.filter((other) => other.readme === readme).indexOf(chapter)
			];
		if (!chinese) return { slug, ...page(chapter, body) };
		const code = body.match(/^```[\s\S]*?^```$/gm) ?? [];
		let next = 0;
		const filled = chinese.body.replace(
			/^\{\{code\}\}$/gm,
			() => code[next++] ?? "",
		);
		return {
			slug,
			...page(chapter, body),
			chinese: page(chinese, filled, headingsIn(body).map(slugOf)),
		};
	});
}
