import { useState } from "preact/hooks";
import { t } from "../i18n/index.ts";
import { copyText, download } from "../state/actions.ts";
import {
	POLICY_FORMS,
	type PolicyForm,
	policyCommand,
} from "../state/command.ts";
import { type PageFile, source } from "../state/files.ts";
import { CommandLine } from "./Commands.tsx";
import { Trouble } from "./Trouble.tsx";
import { useEngine } from "./useEngine.ts";
import { Visible } from "./Visible.tsx";

/** The settings as policies of each other form, and the commands that print them. */
export function PolicyForms({ settings }: { settings: PageFile }) {
	return (
		<>
			{POLICY_FORMS.map((form) => (
				<InForm key={form} form={form} settings={settings} />
			))}
		</>
	);
}

/** The settings as policies of one form. They are asked for when they are opened. */
function InForm({ form, settings }: { form: PolicyForm; settings: PageFile }) {
	const s = t.value;
	const [open, setOpen] = useState(false);
	const { outcome, fresh } = useEngine(
		`policies ${form}`,
		open ? JSON.stringify([settings.id, settings.version, form]) : null,
		() => ({
			question: "policies",
			text: source(settings),
			options: { as: form },
		}),
	);
	const printed = outcome?.kind === "answer" ? outcome.answer : null;
	const command = policyCommand(form);
	const label = s.policyForms[form];
	return (
		<details
			class="policy-form"
			open={open}
			onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
		>
			<summary>{label}</summary>
			<div aria-busy={open && !fresh}>
				<Trouble outcome={outcome} />
				{printed && (
					<>
						<div class="controls">
							<span class="note">
								{printed.count === 0
									? s.policyFormNone
									: s.policyFormCount(printed.count)}
							</span>
							<span class="spacer" />
							{printed.count > 0 && (
								<>
									<button
										type="button"
										class="button"
										onClick={() => void copyText(printed.policies)}
									>
										{s.copy}
									</button>
									<button
										type="button"
										class="button"
										onClick={() =>
											download(`policies-${form}.yaml`, printed.policies)
										}
									>
										{s.download}
									</button>
								</>
							)}
						</div>
						<pre tabIndex={0} role="region" aria-label={label}>
							<Visible text={printed.policies} />
						</pre>
					</>
				)}
				{command !== null && (
					<CommandLine command={command} label={s.commandLine} />
				)}
			</div>
		</details>
	);
}
