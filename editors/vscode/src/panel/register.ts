/**
 * The schedule panel and its commands, for who moves without the mouse and from
 * anywhere: the keys of the panel itself are those of its page.
 */

import * as vscode from 'vscode';
import type { Jobs } from '../jobs';
import type { FindingArgs } from '../protocol';
import { SchedulePanel, type Move, type PanelHost } from './view';

const moves: Record<string, Move> = {
	'hocket.stepNext': 'down',
	'hocket.stepPrevious': 'up',
	'hocket.switchNext': 'nextSwitch',
	'hocket.switchPrevious': 'previousSwitch',
	'hocket.whatIfNot': 'whatIf',
	'hocket.stepsClose': 'close',
};

export function registerPanel(context: vscode.ExtensionContext, host: PanelHost, jobs: Jobs): SchedulePanel {
	const panel = new SchedulePanel(host, jobs, vscode.Uri.joinPath(context.extensionUri, 'media'));
	const tell = (run: () => Promise<unknown>) => () => run().catch((error) => host.failed(error));
	context.subscriptions.push(
		panel,
		vscode.commands.registerCommand('hocket.stepThrough', tell(() => panel.open({ ...cursor() }))),
		...Object.entries(moves).map(([id, what]) => vscode.commands.registerCommand(id, tell(() => panel.do(what)))),
	);
	return panel;
}

/** What is looked at: a finding there is meant, and else one of its module. */
function cursor(): FindingArgs {
	const editor = vscode.window.activeTextEditor;
	if (editor?.document.languageId !== 'go') return {};
	const { line, character } = editor.selection.active;
	return { uri: editor.document.uri.toString(), position: { line, character } };
}
