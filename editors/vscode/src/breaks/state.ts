/**
 * The concurrent breakpoints of all modules that are open, as the server last
 * told them. The server finds the places in the texts on the screen; here
 * nothing is computed.
 */

import * as vscode from 'vscode';
import { State, type LanguageClient, type StaticFeature } from 'vscode-languageclient/node';
import { breakpointsMethod, type Break, type Module, type Pending } from './protocol';

const capability: StaticFeature = {
	fillClientCapabilities: (capabilities) => {
		capabilities.experimental = { ...(capabilities.experimental as object | undefined), hocketBreakpoints: true };
	},
	initialize: () => undefined,
	getState: () => ({ kind: 'static' }),
	clear: () => undefined,
};

export class Breaks implements vscode.Disposable {
	private readonly modules = new Map<string, Module>();
	private readonly changed = new vscode.EventEmitter<void>();
	private problem = '';

	readonly onChange = this.changed.event;

	/** Listens to a client that has not been started yet. */
	connect(client: LanguageClient): void {
		client.registerFeature(capability);
		client.onNotification(breakpointsMethod, (module: Module) => this.receive(module));
		client.onDidChangeState(({ newState }) => {
			if (newState === State.Running || this.modules.size === 0) return;
			this.modules.clear();
			this.tell();
		});
	}

	private receive(module: Module): void {
		if (module.breakpoints.length === 0 && !module.pending) this.modules.delete(module.root);
		else this.modules.set(module.root, module);
		this.warn(module.problem ?? '');
		this.tell();
	}

	private warn(problem: string): void {
		if (problem && problem !== this.problem) void vscode.window.showWarningMessage(`Hocket: ${problem}`);
		this.problem = problem;
	}

	private tell(): void {
		void vscode.commands.executeCommand('setContext', 'hocket.breakPending', this.pending !== undefined);
		void vscode.commands.executeCommand('setContext', 'hocket.breakCount', this.all.length);
		this.changed.fire();
	}

	get byModule(): readonly Module[] {
		return [...this.modules.values()];
	}

	get all(): readonly Break[] {
		return this.byModule.flatMap((m) => m.breakpoints);
	}

	/** The first place that waits for a second one, if there is one. */
	get pending(): Pending | undefined {
		return this.byModule.find((m) => m.pending)?.pending;
	}

	/** Those with a side on a line. */
	on(uri: string, line: number): readonly Break[] {
		return this.all.filter((b) => b.sides.some((s) => s.uri === uri && s.range.start.line <= line && line <= s.range.end.line));
	}

	dispose(): void {
		this.changed.dispose();
	}
}
