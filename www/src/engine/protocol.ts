/**
 * The messages between the page and its worker. Texts travel once per change: a question names a text by key and version, and
 * carries the characters only when this worker has not seen that version.
 */
import type * as claimkit from "claimkit";
import type {
	Admission,
	AdmissionOptions,
	PrintedPolicies,
} from "./admission.ts";
import type { Audited, Upgraded } from "./audited.ts";
import type { Conversion } from "./converted.ts";
import type {
	Account,
	DeviceAsked,
	DeviceGrid,
	Judged,
	Listed,
	PodsAsked,
	PodsTold,
	Tried,
} from "./devices.ts";
import type { ClusterFacts } from "./facts.ts";
import type { Matrix } from "./placement.ts";
import type { ShortAnswer } from "./report.ts";

/** A question about a text: its options, those of them that are texts of the page, and the worker's answer. */
interface Question<Options, Answer, Texts extends string = never> {
	options: Options;
	texts: Texts;
	answer: Answer;
}

/** The other manifests, which hold what a text refers to. */
interface Among {
	others?: readonly string[];
}

type AllocateAsked = Omit<claimkit.AllocateOptions, "nodes" | "options">;
type EvaluateAsked = Omit<claimkit.EvaluateOptions, "nodes"> & {
	nodes: string;
};
type Update = claimkit.UpdateOptions & { old: string };
type Patch =
	| (claimkit.PatchOptions & { old: string })
	| (claimkit.ApplyOptions & { old?: string });

/** The questions that the page asks, by their names. */
export interface Questions {
	validate: Question<
		claimkit.CreateOptions | Update,
		claimkit.ValidateAnswer,
		"old"
	>;
	patch: Question<Patch, claimkit.PatchAnswer, "old">;
	parse: Question<claimkit.ParseOptions, claimkit.ParseAnswer>;
	hover: Question<
		claimkit.PlaceOptions & { position: claimkit.Place },
		claimkit.HoverAnswer
	>;
	complete: Question<
		claimkit.PlaceOptions & { position: claimkit.Place },
		claimkit.CompleteAnswer
	>;
	symbols: Question<claimkit.SymbolsOptions, claimkit.SymbolsAnswer>;
	/** The supported releases; its text is empty. */
	releases: Question<claimkit.LocaleOptions, claimkit.ReleasesAnswer>;
	/** The gates of a release with their defaults; its text is empty. */
	gates: Question<
		Pick<claimkit.AuditOptions, "release">,
		claimkit.AuditAnswer["gates"]
	>;
	/** The findings of a text, in lists no longer than a person can look at. */
	report: Question<
		claimkit.CreateOptions & {
			/** All manifests, in their order; the text is the one `at` an index. */
			among: readonly string[];
			at: number;
		},
		ShortAnswer,
		"among"
	>;
	convert: Question<claimkit.ConvertOptions & Among, Conversion, "others">;
	/** An evaluation as a matrix. */
	placement: Question<EvaluateAsked, Matrix, "nodes">;
	/** One node of an evaluation. */
	cell: Question<
		EvaluateAsked & { cell: { object: number; node: number; name: string } },
		claimkit.NodeVerdict | null,
		"nodes"
	>;
	/** Every object in an admission request of its own. */
	admission: Question<
		AdmissionOptions & { settings: string; old?: string },
		Admission,
		"settings" | "old"
	>;
	/** Settings of the policy in another form. */
	policies: Question<Pick<claimkit.AdmitOptions, "as">, PrintedPolicies>;
	/** An allocation as a grid. */
	devices: Question<AllocateAsked, DeviceGrid>;
	/** Columns of a grid, a few at a time. */
	pods: Question<AllocateAsked & PodsAsked, PodsTold>;
	/** One pod on one node of a grid. */
	account: Question<AllocateAsked & { node: string }, Account>;
	/** Which texts a panel has a use for; its text is empty. */
	useful: Question<{ list: readonly string[] }, boolean[]>;
	/** Facts about nodes and pods that the engine's answers lack. */
	facts: Question<object, ClusterFacts>;
	/** The problems of a cluster and the use of its devices. */
	audit: Question<claimkit.AuditOptions, Audited>;
	/** What breaks when the cluster of these objects goes to another release. */
	upgrade: Question<Omit<claimkit.UpgradeOptions, "manifests">, Upgraded>;
	/** The results of the selectors of a request on one device. */
	judged: Question<claimkit.CommonOptions & { asked: DeviceAsked }, Judged[]>;
	/** The names that the devices of a text publish, as a short text with slices. */
	published: Question<claimkit.CommonOptions, string>;
	/** An expression on every device of the text. */
	tried: Question<
		claimkit.CommonOptions & {
			expression: string;
			device: string;
			listed: Listed;
		},
		Tried
	>;
	/** The object of an AdmissionReview, as a text; null if there is none. */
	reviewed: Question<object, string | null>;
}

export type Name = keyof Questions;
export type OptionsOf<N extends Name> = Questions[N]["options"];
export type AnswerTo<N extends Name> = Questions[N]["answer"];

/** Options with references in place of their texts. */
type Referring<Options, Texts extends string, Ref> = Options extends unknown
	? { options: Omit<Options, Texts> } & (Record<never, never> extends Pick<
			Options,
			Texts & keyof Options
		>
			? { texts?: References<Pick<Options, Texts & keyof Options>, Ref> }
			: { texts: References<Pick<Options, Texts & keyof Options>, Ref> })
	: never;
type References<Texts, Ref> = {
	[Key in keyof Texts]: Texts[Key] extends readonly string[] | undefined
		? readonly Ref[]
		: Ref;
};

/** A question with its options; `Ref` stands for texts. */
export type Asking<N extends Name, Ref> = {
	[Key in N]: { question: Key; text: Ref } & Referring<
		Questions[Key]["options"],
		Questions[Key]["texts"],
		Ref
	>;
}[N];

/** A text, with its characters only the first time. */
export interface TextRef {
	key: string;
	version: number;
	/** Bytes where they are not UTF-8: the engine says so. */
	text?: string | Uint8Array;
	/** The texts of several files in place of one. */
	parts?: readonly (TextRef & { name: string })[];
}

/** A question, with the language of the answer's sentences. */
export type Ask<N extends Name = Name> = Asking<N, TextRef> & {
	id: number;
	speaking: claimkit.Locale;
};

/**
 * A message to the worker: a question, the texts that are not asked about any more, or its module, null where the page could not
 * compile it.
 */
export type ToWorker =
	| Ask
	| { forget: string[] }
	| { module: WebAssembly.Module | null };

/** A message to the page. */
export type ToPage =
	| { kind: "ready"; ms: number }
	| { kind: "failed"; message: string }
	/** The sentences of a language are there, after answers in English. */
	| { kind: "sentences" }
	| {
			[N in Name]: {
				kind: "answer";
				id: number;
				question: N;
				answer: AnswerTo<N>;
				ms: number;
			};
	  }[Name]
	| { kind: "refused"; id: number; message: string }
	| { kind: "crashed"; id: number; message: string };
