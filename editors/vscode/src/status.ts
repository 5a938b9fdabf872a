/**
 * The status item: whether the server runs, and what it is busy with.
 */

import * as vscode from 'vscode';
import type { Jobs } from './jobs';
import type { Server } from './server';

export class Status implements vscode.Disposable {
	private readonly item = vscode.window.createStatusBarItem('hocket.status', vscode.StatusBarAlignment.Left, 0);
	private readonly subscriptions: vscode.Disposable[];

	constructor(private readonly server: Server, private readonly jobs: Jobs) {
		this.item.name = 'Hocket';
		this.item.command = 'hocket.showStatus';
		this.subscriptions = [
			server.onChange(() => this.update()),
			jobs.onChange(() => this.update()),
			vscode.window.onDidChangeActiveTextEditor(() => this.update()),
		];
		this.update();
	}

	dispose(): void {
		vscode.Disposable.from(this.item, ...this.subscriptions).dispose();
	}

	private update(): void {
		const [first] = this.jobs.all;
		const go = vscode.window.activeTextEditor?.document.languageId === 'go';
		this.item.backgroundColor = undefined;
		if (first) {
			this.item.text = `$(sync~spin) Hocket: ${firstPart(first.message) || 'waiting'}`;
			this.item.tooltip = this.jobs.all.map((j) => `${j.title}\n${j.message}`).join('\n\n');
		} else if (this.server.running) {
			this.item.text = '$(search) Hocket';
			this.item.tooltip = 'Hocket is ready. Click to see what it can do.';
		} else {
			this.item.text = '$(warning) Hocket';
			this.item.tooltip = this.server.problem ?? 'The server is not running.';
			if (this.server.problem) this.item.backgroundColor = new vscode.ThemeColor('statusBarItem.warningBackground');
		}
		if (first || go || this.server.problem) this.item.show();
		else this.item.hide();
	}
}

/** "12 schedules tried" of "12 schedules tried, 2900/min, ...". */
function firstPart(message: string): string {
	return message.split(',', 1)[0] ?? '';
}

/** What a click on the status item offers. */
export async function showStatus(server: Server, jobs: Jobs): Promise<void> {
	type Item = vscode.QuickPickItem & { run?: () => unknown };
	const command = (label: string, id: string): Item => ({ label, run: () => vscode.commands.executeCommand(id) });
	const items: Item[] = jobs.all.map((job) => ({
		label: `$(stop-circle) Cancel ${job.title.replace(/^hocket: /, '')}`,
		description: job.message,
		run: () => job.cancel(),
	}));
	if (items.length > 0) items.push({ label: '', kind: vscode.QuickPickItemKind.Separator });
	items.push(
		command('$(search) Find Failing Schedule', 'hocket.findAtCursor'),
		command('$(list-unordered) List Findings', 'hocket.listFindings'),
		command('$(output) Show Log', 'hocket.showLog'),
		command('$(debug-restart) Restart Server', 'hocket.restartServer'),
		command('$(versions) Show Version', 'hocket.showVersion'),
	);
	const state = server.running ? server.version ?? '' : server.problem ?? 'not running';
	const picked = await vscode.window.showQuickPick(items, { title: `Hocket ${state}`.trim() });
	await picked?.run?.();
}
