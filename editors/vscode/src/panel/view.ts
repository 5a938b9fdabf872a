/**
 * The schedule panel: the failing and the passing run of a finding side by side, through
 * which one moves by keys while the editor follows.
 */

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { BreakCommands } from '../breaks/protocol';
import type { Jobs } from '../jobs';
import { Commands, type FindingArgs } from '../protocol';
import { StepMarks } from './marks';
import { PanelCommands, type Run, type Schedule, type WhatIf } from './protocol';
import { Walk, type Question } from './walk';

export const viewId = 'hocket.schedule.view';

/** What the page sends. */
type FromPage = { seq: number } & (
	| { kind: 'ready' }
	| { kind: 'do'; what: Move }
	| { kind: 'go'; run: Run; number: number }
);

/** What can be done by a key, or by a command. */
export type Move =
	| 'down' | 'up' | 'first' | 'last' | 'nextSwitch' | 'previousSwitch' | 'otherRun' | 'unfold' | 'fold' | 'open' | 'debug' | 'break' | 'whatIf' | 'close';

/** What is needed of the rest of the extension. */
export interface PanelHost {
	client(): LanguageClient;
	aFinding(given: FindingArgs, title: string): Promise<FindingArgs | undefined>;
	failed(error: unknown): void;
}

/** After an edit the places are asked for again, once nothing was typed for so long. */
const settle = 400;

export class SchedulePanel implements vscode.WebviewViewProvider, vscode.Disposable {
	private view: vscode.WebviewView | undefined;
	private ready = false;
	/** The last message of the page that was received. */
	private seq = 0;
	private walk: Walk | undefined;
	private uri = '';
	/** What was counted without switches and orders, by what was left out. */
	private answers = new Map<string, string>();
	private asking: string | undefined;
	private readonly marks = new StepMarks();
	private readonly parts: vscode.Disposable[];
	private timer: NodeJS.Timeout | undefined;

	constructor(private readonly host: PanelHost, private readonly jobs: Jobs, private readonly media: vscode.Uri) {
		this.parts = [
			vscode.window.registerWebviewViewProvider(viewId, this),
			vscode.window.onDidChangeVisibleTextEditors(() => this.walk && this.view?.visible && this.marks.draw(this.walk)),
			vscode.workspace.onDidChangeTextDocument((e) => {
				if (this.walk && e.document.languageId === 'go' && e.contentChanges.length > 0) this.refreshSoon();
			}),
			vscode.debug.registerDebugAdapterTrackerFactory('hocket', {
				createDebugAdapterTracker: (session) => ({ onDidSendMessage: (m) => this.debugged(session, m as { event?: string; body?: { threadId?: number } }) }),
			}),
			this.marks,
		];
	}

	dispose(): void {
		clearTimeout(this.timer);
		vscode.Disposable.from(...this.parts).dispose();
	}

	/** Opens the runs of a finding. */
	async open(given: FindingArgs): Promise<void> {
		const here = !given.id && given.position ? await this.ask(given, []).catch(() => undefined) : undefined;
		const { position: _, ...named } = given;
		const finding = here ? { ...given, id: here.id } : await this.host.aFinding(named, 'Step through the schedule of a finding');
		if (!finding) return;
		const schedule = here ?? (await this.ask(finding, []));
		this.walk = new Walk(schedule);
		this.answers = new Map();
		this.asking = undefined; // what still runs is about another finding
		this.uri = finding.uri ?? '';
		await vscode.commands.executeCommand('setContext', 'hocket.walking', true);
		await vscode.commands.executeCommand(`${viewId}.focus`);
		this.show();
		await this.follow();
	}

	private async ask(finding: FindingArgs, unfold: readonly object[]): Promise<Schedule> {
		const arg = { ...(finding.id ? { id: finding.id } : {}), ...(finding.uri ? { uri: finding.uri } : {}), ...(finding.position && !finding.id ? { position: finding.position } : {}), unfold };
		return this.host.client().sendRequest<Schedule>('workspace/executeCommand', { command: PanelCommands.schedule, arguments: [arg] });
	}

	/** Asks for the walk again, for other steps or, without moving the editor, after an edit. */
	private async again(move = true): Promise<void> {
		const { walk } = this;
		if (!walk) return;
		const schedule = await this.ask({ id: walk.now.id, uri: this.uri }, walk.ranges);
		if (walk !== this.walk) return;
		walk.replace(schedule);
		this.show();
		if (move) await this.follow();
		else if (this.view?.visible) this.marks.draw(walk);
	}

	private refreshSoon(): void {
		clearTimeout(this.timer);
		// A finding that is gone meanwhile stays shown as it was.
		this.timer = setTimeout(() => void this.again(false).catch(() => undefined), settle);
	}

	resolveWebviewView(view: vscode.WebviewView): void {
		this.view = view;
		this.ready = false;
		view.webview.options = { enableScripts: true, localResourceRoots: [this.media] };
		view.webview.html = page(view.webview, this.media);
		view.webview.onDidReceiveMessage((m: FromPage) => void this.received(m).catch((e) => this.host.failed(e)));
		view.onDidChangeVisibility(() => {
			if (!view.visible) this.marks.clear();
			else if (this.walk) this.marks.draw(this.walk);
		});
		view.onDidDispose(() => {
			this.view = undefined;
			this.ready = false;
			this.marks.clear();
		});
	}

	private async received(m: FromPage): Promise<void> {
		this.seq = m.seq;
		switch (m.kind) {
			case 'ready':
				this.ready = true;
				return this.show();
			case 'go':
				this.walk?.goTo(m.run, m.number);
				return this.moved();
			case 'do':
				return this.do(m.what);
		}
	}

	/** Does what a key stands for. */
	async do(what: Move): Promise<void> {
		const { walk } = this;
		if (!walk) return;
		const moves: Partial<Record<Move, () => boolean>> = {
			down: () => walk.move(1), up: () => walk.move(-1), first: () => walk.end(false), last: () => walk.end(true),
			nextSwitch: () => walk.jump(true), previousSwitch: () => walk.jump(false), otherRun: () => walk.other(),
		};
		const move = moves[what];
		if (move) {
			move();
			return this.moved();
		}
		switch (what) {
			case 'unfold':
				return walk.unfold() ? this.again() : this.follow(true);
			case 'fold':
				return walk.fold() ? this.again() : undefined;
			case 'open':
				return this.follow(true);
			case 'debug':
				await vscode.commands.executeCommand(Commands.debug, { id: walk.now.id, uri: this.uri, ...(walk.run === 'failing' && walk.current ? { step: walk.current.number } : {}) });
				return;
			case 'break':
				return this.breakHere();
			case 'whatIf':
				return this.whatIf();
			case 'close':
				return this.close();
		}
	}

	private async close(): Promise<void> {
		this.walk = undefined;
		this.asking = undefined;
		this.marks.clear();
		await vscode.commands.executeCommand('setContext', 'hocket.walking', false);
		this.show();
	}

	private async breakHere(): Promise<void> {
		const at = this.walk?.current?.location;
		if (!at) throw new Error('this step has no line in the text of today');
		await vscode.commands.executeCommand(BreakCommands.set, { uri: at.uri, position: at.range.start, show: true });
	}

	/** Leaves out the switch or the order at the step, and tells how often it failed all the same. */
	async whatIf(): Promise<void> {
		const { walk } = this;
		if (!walk || this.asking) return; // one at a time
		const all = walk.questions();
		if (all.length === 0) throw new Error('what if: there is no switch or order at this step; ← and → lead to switches');
		const asked = all.length === 1 ? all[0]! : await choose(all);
		if (!asked || this.asking || walk !== this.walk) return;
		const arg = { id: walk.now.id, uri: this.uri, ...(asked.switch ? { switch: asked.switch } : { order: asked.order }), show: false, wait: true };
		this.asking = asked.label;
		this.tellCurrent();
		try {
			const answer = (await this.jobs.run(this.host.client(), PanelCommands.whatIf, arg, 'hocket: what if')) as unknown as WhatIf;
			if (walk !== this.walk || answer.status === 'cancelled') return;
			const counted = answer.runs ? `${answer.failed} of ${answer.runs} failed, in ${answer.orders === 1 ? 'one order' : `${answer.orders} orders`}` : 'nothing is known';
			this.answers.set(answer.without, `without ${answer.without}: ${counted}${answer.note ? ` (${answer.note})` : ''}`);
		} finally {
			if (walk === this.walk) {
				this.asking = undefined;
				this.show();
			}
		}
	}

	private async moved(): Promise<void> {
		this.tellCurrent();
		await this.follow();
	}

	/** The editor goes to the current step; the keys stay with the panel, unless focus is asked for. */
	private async follow(focus = false): Promise<void> {
		const { walk } = this;
		const at = walk?.current?.location;
		if (!walk || !at) {
			if (walk) this.marks.draw(walk);
			return;
		}
		const uri = vscode.Uri.parse(at.uri);
		const { start, end } = at.range;
		const range = new vscode.Range(start.line, start.character, end.line, end.character);
		let editor = vscode.window.visibleTextEditors.find((e) => e.document.uri.toString() === uri.toString());
		if (!editor || focus) {
			editor = await vscode.window.showTextDocument(uri, {
				preserveFocus: !focus, preview: true, viewColumn: editor?.viewColumn ?? vscode.ViewColumn.One, ...(focus ? { selection: range } : {}),
			});
			if (walk !== this.walk || walk.current?.location !== at) return; // it went on meanwhile
		}
		editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
		this.marks.draw(walk);
	}

	/** Sends all to the page. */
	private show(): void {
		const { walk } = this;
		if (!this.view || !this.ready) return;
		if (!walk) {
			this.view.description = '';
			void this.view.webview.postMessage({ kind: 'empty' });
			return;
		}
		const { title, sentence, must, state, note, svg, entry, switches } = walk.now;
		this.view.description = entry;
		void this.view.webview.postMessage({ kind: 'show', title, sentence: [sentence, must].filter(Boolean).join(' '), state, note, svg, switches, answers: [...this.answers.values()] });
		this.tellCurrent();
	}

	private tellCurrent(): void {
		const { walk } = this;
		if (!walk || !this.view || !this.ready) return;
		const words = this.asking ? `what if not ${this.asking}? It is being run…` : walk.words();
		void this.view.webview.postMessage({ kind: 'current', seq: this.seq, run: walk.run, number: walk.current?.number ?? 0, twin: walk.current?.until ? 0 : (walk.current?.twin ?? 0), words, asking: !!this.asking });
	}

	/** In a debug session of the finding the panel goes along with each stop. */
	private debugged(session: vscode.DebugSession, m: { event?: string; body?: { threadId?: number } }): void {
		if (m.event !== 'stopped' || !this.walk || session.configuration['id'] !== this.walk.now.id || !m.body?.threadId) return;
		void this.stopped(session, m.body.threadId).catch(() => undefined); // the session may end meanwhile
	}

	private async stopped(session: vscode.DebugSession, threadId: number): Promise<void> {
		const { stackFrames } = (await session.customRequest('stackTrace', { threadId, levels: 20 })) as { stackFrames: { line: number; source?: { path?: string } }[] };
		const { walk } = this;
		const own = stackFrames.flatMap((f) => (f.source?.path ? [{ uri: fileOf(f.source.path), line: f.line - 1 }] : [])).filter((f) => vscode.workspace.getWorkspaceFolder(f.uri));
		// Steps of small helpers are at the lines that call them.
		if (!walk || !own.slice(0, 2).some((f) => walk.follow(f.uri.toString(), f.line))) return;
		this.tellCurrent();
		if (this.view?.visible) this.marks.draw(walk);
	}
}

/** The file of a stack: in remote windows VS Code has made addresses of its paths. */
function fileOf(path: string): vscode.Uri {
	return vscode.Uri.file(/^[\w-]{2,}:\/\//.test(path) ? vscode.Uri.parse(path).path : path);
}

async function choose(all: Question[]): Promise<Question | undefined> {
	const picked = await vscode.window.showQuickPick(all.map((q) => ({ label: q.label, q })), { title: 'What if not…' });
	return picked?.q;
}

function page(webview: vscode.Webview, media: vscode.Uri): string {
	const at = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(media, name)).toString();
	return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}; script-src ${webview.cspSource};">
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="${at('panel.css')}">
<title>Schedule</title>
</head>
<body>
<header><h1 id="title"></h1><p id="about"></p></header>
<div id="runs" role="listbox" tabindex="0" aria-label="Steps of the failing and the passing run" aria-describedby="keys"></div>
<footer>
<p id="words" role="status" aria-live="polite"></p>
<ul id="answers" aria-label="What if"></ul>
<p id="keys"><kbd>↑</kbd><kbd>↓</kbd> steps <kbd>←</kbd><kbd>→</kbd> switches <kbd>Tab</kbd> other run <kbd>Enter</kbd> unfold, go to <kbd>z</kbd> fold <kbd>Shift+Tab</kbd> leaves
<button id="whatIf" title="What if not: run it without this switch or order (w)"><kbd>w</kbd> what if</button>
<button id="debug" title="Debug from here (d)"><kbd>d</kbd> debug from here</button>
<button id="break" title="A concurrent breakpoint here (b)"><kbd>b</kbd> break here</button></p>
</footer>
<p id="empty">Nothing is shown. <em>Step through the schedule</em>, in the list that a finding's lens opens, shows its runs here.</p>
<script src="${at('panel.js')}"></script>
</body>
</html>`;
}
