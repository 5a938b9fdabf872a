/**
 * What users do with concurrent breakpoints: from the palette, a menu of
 * the editor's gutter, the list, or a lens.
 */

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { start } from '../debug';
import type { Jobs } from '../jobs';
import type { FindingArgs, Outcome } from '../protocol';
import { edit, partner, short, which } from './ask';
import {
	BreakCommands as C,
	type Break, type BreakAnswer, type BreakDebugAnswer, type Candidate, type ConflictsAnswer, type EditArgs, type Place, type RunAnswer, type SetAnswer,
} from './protocol';
import type { Breaks } from './state';

/** What a menu or the list of breakpoints gives to a command. */
export interface Target {
	/** A breakpoint, of the list. */
	id?: string;
	/** A line from 1, of the gutter's menu. */
	lineNumber?: number;
	uri?: vscode.Uri;
}

/** What is needed of the rest of the extension. */
export interface Host {
	client(): LanguageClient;
	aFinding(given: FindingArgs, title: string): Promise<FindingArgs | undefined>;
	print(text: string): void;
}

export class BreakActions {
	private candidates: readonly Candidate[] = [];
	/** The next "Pair With" takes the cursor's line without a question. */
	private choosing = false;

	constructor(private readonly host: Host, private readonly jobs: Jobs, private readonly breaks: Breaks) {}

	/** Commands of the server that a lens or a code action asks for, with a message. */
	async execute(command: string, arg: object): Promise<unknown> {
		switch (command) {
			case C.set:
				return this.set(arg as Place);
			case C.run:
				return this.run(arg as { uri?: string; id?: string });
			case C.debug:
				return this.debug(arg);
			case C.fromFinding:
				return this.fromFinding(arg as FindingArgs);
			case C.conflicts:
				return this.conflicts(arg as { uri: string });
			default:
				return this.told(await this.send<BreakAnswer>(command, arg));
		}
	}

	/** "Concurrent Breakpoint Here": the first place, and the question for the second. */
	async set(given: Target | Place): Promise<void> {
		const place = placeOf(given);
		const answer = await this.job<SetAnswer>(C.set, { ...place }, 'hocket: conflicts');
		if (!answer.pending) return;
		this.candidates = answer.candidates ?? [];
		this.choosing = false;
		const second = await partner(answer.pending, this.candidates, undefined);
		if (second && second !== 'here') return this.complete(second, place);
		// The place stays set: its mark says what is missing.
		if (answer.note) void vscode.window.showInformationMessage(`Hocket: ${answer.note}`);
	}

	/** "Pair With": the second place, from a list or at the cursor. */
	async pair(target: Target): Promise<void> {
		const { pending } = this.breaks;
		if (!pending) throw new Error('there is no first place: use Hocket: Concurrent Breakpoint Here on it');
		const place = placeOf(target);
		if (this.choosing || target.lineNumber !== undefined) return this.complete('here', place);
		const line = place.position.line;
		const same = pending.uri === place.uri && pending.range.start.line === line;
		const second = await partner(pending, this.candidates, same ? undefined : short(place.uri, line));
		if (second) await this.complete(second, place);
	}

	private async complete(second: Candidate | 'here' | 'later', here: Place): Promise<void> {
		this.choosing = second === 'later';
		if (second === 'later') {
			void vscode.window.setStatusBarMessage('Hocket: go to the second place, then Hocket: Pair With...', 15_000);
			return;
		}
		const place = second === 'here' ? here : { uri: second.uri, position: second.range.start };
		this.told(await this.send<BreakAnswer>(C.pair, place));
		this.candidates = [];
	}

	async edit(target: Target): Promise<void> {
		const b = await this.choose(target, 'Edit a concurrent breakpoint');
		if (b) await edit(b, (fields) => this.send(C.edit, { ...of(b), ...fields } satisfies EditArgs));
	}

	async toggle(target: Target): Promise<void> {
		const b = await this.choose(target, 'Turn a concurrent breakpoint on or off');
		if (b) await this.turn(b, !b.off);
	}

	async turn(b: Break, off: boolean): Promise<void> {
		await this.send(C.edit, { ...of(b), off });
	}

	async remove(target: Target): Promise<void> {
		const b = await this.choose(target, 'Remove a concurrent breakpoint');
		if (b) await this.send(C.remove, of(b));
	}

	/** Runs with the breakpoint of the target, else with all those of its package. */
	async runAt(target: Target): Promise<unknown> {
		return this.run(this.subject(target));
	}

	async debugAt(target: Target): Promise<unknown> {
		return this.debug(this.subject(target));
	}

	private async run(arg: { uri?: string; id?: string }): Promise<RunAnswer> {
		const answer = await this.job<RunAnswer>(C.run, arg, 'hocket: break run');
		const output = answer.output ?? '';
		void this.tell(answer, [...(output ? ['Output'] : []), 'Debug']).then((action) => {
			if (action === 'Output') this.host.print(output);
			if (action === 'Debug') void vscode.commands.executeCommand(C.debug, { ...arg, show: true });
		});
		return answer;
	}

	private async debug(arg: object): Promise<void> {
		const answer = await this.job<BreakDebugAnswer>(C.debug, arg, 'hocket: debug');
		if (answer.adapter) await start(answer);
	}

	async fromFinding(given: FindingArgs): Promise<unknown> {
		const finding = await this.host.aFinding(given, 'Turn a finding into concurrent breakpoints');
		if (!finding) return undefined;
		return this.told(await this.job<BreakAnswer>(C.fromFinding, finding, 'hocket: breakpoints of a finding'));
	}

	/** The conflicts of the package; a choice puts a breakpoint between its places. */
	async conflicts(arg: { uri: string }): Promise<unknown> {
		const answer = await this.job<ConflictsAnswer>(C.conflicts, arg, 'hocket: vet');
		const pairs = answer.pairs ?? [];
		if (pairs.length === 0) return this.told({ message: answer.message ?? answer.note ?? 'no conflicts are known' });
		const picked = await vscode.window.showQuickPick(pairs.map((pair) => ({
			label: pair.what,
			description: `${pair.kind} · ${pair.sides.map((s) => short(s.uri, s.range.start.line)).join(' ↔ ')}`,
			detail: pair.why,
			pair,
		})), { title: 'Conflicts, most suspicious first', placeHolder: 'Break between the places of', matchOnDescription: true, matchOnDetail: true });
		const [one, two] = picked?.pair.sides ?? [];
		if (!picked || !one || !two) return answer;
		const at = (s: typeof one): Place => ({ uri: s.uri, position: s.range.start });
		return this.told(await this.send<BreakAnswer>(C.pair, { ...at(two), with: at(one) }));
	}

	/** The breakpoint that is meant; asks where several are. */
	private async choose(target: Target, title: string): Promise<Break | undefined> {
		if (target.id) return this.breaks.all.find((b) => b.id === target.id);
		const place = cursor() || target.uri ? placeOf(target) : undefined;
		const here = place ? this.breaks.on(place.uri, place.position.line) : [];
		if (here.length === 1) return here[0];
		if (here.length === 0 && target.lineNumber !== undefined) throw new Error('there is no concurrent breakpoint on this line');
		const all = here.length > 0 ? here : this.breaks.all;
		if (all.length === 0) throw new Error('there are no concurrent breakpoints: use Hocket: Concurrent Breakpoint Here');
		return which(all, title);
	}

	private subject(target: Target): { uri?: string; id?: string } {
		const known = target.id ? this.breaks.all.find((b) => b.id === target.id) : undefined;
		if (known) return of(known);
		const place = placeOf(target);
		const here = this.breaks.on(place.uri, place.position.line);
		return here.length === 1 ? of(here[0]!) : { uri: place.uri };
	}

	private async send<T>(command: string, arg: object): Promise<T> {
		const params = { command, arguments: [{ ...arg, show: false }] };
		return this.host.client().sendRequest<T>('workspace/executeCommand', params);
	}

	private job<T extends Outcome>(command: string, arg: object, title: string): Promise<T> {
		return this.jobs.run(this.host.client(), command, { ...arg, show: false }, title) as Promise<T>;
	}

	private told(answer: Outcome): Outcome {
		void this.tell(answer, []);
		return answer;
	}

	private async tell(answer: Outcome | undefined, actions: string[]): Promise<string | undefined> {
		if (!answer?.message || answer.status === 'cancelled') return undefined;
		return vscode.window.showInformationMessage(`Hocket: ${answer.message.replace(/^hocket: /, '')}`, ...actions);
	}
}

/** What names a breakpoint: an id is one of its module. */
function of(b: Break): { id: string; uri?: string } {
	const uri = b.sides[0]?.uri;
	return { id: b.id, ...(uri ? { uri } : {}) };
}

function cursor(): vscode.TextEditor | undefined {
	const editor = vscode.window.activeTextEditor;
	return editor?.document.languageId === 'go' ? editor : undefined;
}

/** The place of a menu's line, else the cursor's. */
function placeOf(given: Target | Place): Place {
	if ('position' in given) return { uri: given.uri, position: given.position };
	const editor = cursor();
	if (given.lineNumber !== undefined && given.uri) {
		const { document } = vscode.window.visibleTextEditors.find((e) => e.document.uri.toString() === given.uri!.toString()) ?? {};
		const line = given.lineNumber - 1;
		const character = document?.lineAt(line).firstNonWhitespaceCharacterIndex ?? 0;
		return { uri: given.uri.toString(), position: { line, character } };
	}
	if (!editor) throw new Error('open a Go file and put the cursor on a statement');
	const { line, character } = editor.selection.active;
	return { uri: editor.document.uri.toString(), position: { line, character } };
}
