/**
 * The server's commands as this editor runs them, whoever calls: a lens, a
 * quick fix, the palette or a key. What a call leaves out is filled in from the
 * active editor or asked for.
 */

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { BreakCommands } from './breaks/protocol';
import { chooseAction } from './choose';
import { debug } from './debug';
import { choose, jump } from './findings';
import type { Jobs } from './jobs';
import { Commands, type ChooseAnswer, type FindArgs, type FindingArgs, type FindingItem, type ListAnswer, type Outcome } from './protocol';

const breakCommands = new Set<string>(Object.values(BreakCommands));

type Next = (command: string, args: unknown[]) => unknown;

export class Requests {
	constructor(
		private readonly client: () => LanguageClient,
		private readonly jobs: Jobs,
		private readonly showLog: () => void,
		/** What lenses and code actions ask of concurrent breakpoints. */
		private readonly breaks: (command: string, arg: object) => Promise<unknown>,
	) {}

	/** Called for each of the server's commands, as middleware. */
	async execute(command: string, args: unknown[], next: Next): Promise<unknown> {
		const arg = typeof args[0] === 'object' && args[0] !== null ? (args[0] as object) : {};
		try {
			switch (command) {
				case Commands.find:
					return await this.find(arg);
				case Commands.replay:
					return await this.replay(arg);
				case Commands.fix: {
					const filled = await this.aFinding(arg, 'Look for a fix of a finding');
					return filled && (await this.job(Commands.fix, filled, !(arg as FindingArgs).id || (arg as FindingArgs).show === true, 'hocket: fix'));
				}
				case Commands.applyFix: {
					const filled = await this.aFinding(arg, 'Apply the fix of a finding');
					return filled && (await next(command, [{ ...filled, show: true }]));
				}
				case Commands.explain: {
					const filled = await this.aFinding(arg, 'Explain a finding');
					return filled && (await next(command, [filled]));
				}
				case Commands.debug: {
					const filled = await this.aFinding(arg, 'Debug a finding');
					return filled && (await debug(this.client(), filled));
				}
				case Commands.choose:
					return await this.choose(arg);
				default:
					if (breakCommands.has(command) && (arg as FindArgs).show) return await this.breaks(command, arg);
					return await next(command, [arg]);
			}
		} catch (error) {
			// A caller that wants no messages gets the error itself.
			if (args.length > 0 && !(arg as FindArgs).show) throw error;
			this.failed(error);
			return undefined;
		}
	}

	/** Asks what to do, and does it. A caller that asks its user itself gets the list. */
	private async choose(given: FindingArgs & { ids?: string[]; entry?: string; ask?: boolean }): Promise<unknown> {
		const named = given.id || given.ids || given.entry;
		const arg = named ? given : { ...fromCursor({}), ...given };
		const params = { command: Commands.choose, arguments: [{ ...arg, ask: false }] };
		const answer = await this.client().sendRequest<ChooseAnswer>('workspace/executeCommand', params);
		if (given.ask === false) return answer;
		const chosen = await chooseAction(answer);
		return chosen && vscode.commands.executeCommand(chosen.command, ...chosen.arguments);
	}

	/** Findings and jobs of all modules that are open. */
	async list(): Promise<ListAnswer> {
		const params = { command: Commands.list, arguments: [{}] };
		return (await this.client().sendRequest<ListAnswer>('workspace/executeCommand', params)) ?? {};
	}

	/** Shows an error that nobody else handles. */
	failed(error: unknown): void {
		const text = error instanceof Error ? error.message : String(error);
		void vscode.window.showErrorMessage(named(text), 'Show Log').then((a) => a && this.showLog());
	}

	private async find(given: FindArgs): Promise<Outcome | undefined> {
		const filled = given.uri ? given : fromCursor(given);
		if (!filled) {
			void vscode.window.showInformationMessage('Hocket: open a Go file to search one of its tests.');
			return undefined;
		}
		return this.job(Commands.find, filled, !given.uri || given.show === true, 'hocket: find');
	}

	private async replay(given: FindingArgs): Promise<Outcome | undefined> {
		const filled = await this.aFinding(given, 'Replay a finding');
		return filled && this.job(Commands.replay, filled, !given.id || given.show === true, 'hocket: replay');
	}

	/**
	 * Runs a job to its end. The request waits for it, so that it can be
	 * cancelled; the outcome is told here, where it can have buttons.
	 */
	private async job(command: string, arg: FindArgs & FindingArgs, tell: boolean, title: string): Promise<Outcome> {
		const outcome = await this.jobs.run(this.client(), command, { ...arg, show: false, wait: true }, title);
		// The caller gets its answer now, not when the message is closed.
		if (tell) void this.tell(outcome, arg.id).catch((e) => this.failed(e));
		return outcome ?? {};
	}

	private async tell(outcome: Outcome, replayed: string | undefined): Promise<void> {
		if (!outcome?.message || outcome.status === 'cancelled') return;
		const id = replayed ?? outcome.findings?.[0];
		const text = named(outcome.message);
		const actions = id ? ['Explain', 'Go to'] : [];
		const show = outcome.status === 'failing' ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
		const action = await show(text, ...actions);
		if (action === 'Explain') {
			await vscode.commands.executeCommand(Commands.explain, { id, ...here(), show: true });
		} else if (action === 'Go to') {
			const f = (await this.list()).findings?.find((x) => x.id === id);
			if (f) await jump(f);
		}
	}

	/** The call with the id of a finding, which the user chooses if need be. */
	async aFinding(given: FindingArgs, title: string): Promise<FindingArgs | undefined> {
		if (given.id || given.position) return given;
		const f = await this.ask(title);
		return f && { ...given, id: f.id, uri: given.uri ?? f.location?.uri ?? here().uri ?? '' };
	}

	private async ask(title: string): Promise<FindingItem | undefined> {
		const findings = (await this.list()).findings ?? [];
		if (findings.length === 0) {
			void vscode.window.showInformationMessage('Hocket: there are no findings yet.');
			return undefined;
		}
		return (await choose(findings, title, false))?.finding;
	}
}

/** A message under the name of this extension, once. */
function named(message: string): string {
	return `Hocket: ${message.replace(/^hocket: /, '')}`;
}

function activeGo(): vscode.TextEditor | undefined {
	const editor = vscode.window.activeTextEditor;
	return editor?.document.languageId === 'go' ? editor : undefined;
}

function here(): { uri?: string } {
	const uri = activeGo()?.document.uri.toString();
	return uri ? { uri } : {};
}

/** The call completed with the active editor: its file, and what the cursor is in. */
function fromCursor(given: FindArgs): FindArgs | undefined {
	const editor = activeGo();
	if (!editor) return undefined;
	const { line, character } = editor.selection.active;
	return { position: { line, character }, ...given, uri: editor.document.uri.toString() };
}
