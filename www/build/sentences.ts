/** The meaning of one sentence of kube-scheduler. */
interface Explained {
	meaning: string;
	causes: string[];
	todo: string;
}

/** A sentence that kube-scheduler says of a pod because of its claims. */
export interface SchedulerSentence {
	/** As somebody meets it. */
	message: string;
	/** Other wordings: those of other releases, of logs, and of its neighbors with the same meaning. */
	also?: readonly string[];
	/** Its part that is always the same. */
	constant: string;
	/** The step of kube-scheduler that says so. */
	stage: string;
	/** An example of the playground. */
	example: string;
	en: Explained;
	zh: Explained;
}
