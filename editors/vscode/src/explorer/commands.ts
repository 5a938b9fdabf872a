/**
 * What is done with a row of the list of findings, and with all of them.
 */

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { jump } from '../findings';
import { Commands, type ListAnswer } from '../protocol';
import { ExplorerCommands, type ForgetAnswer } from './protocol';
import { argOf, type FindingRow } from './tree';

/** The commands, by their ids; each may fail with what is to be told. */
export function explorerCommands(client: () => LanguageClient): Record<string, (row: FindingRow) => unknown> {
	const send = <T>(command: string, arg: object): Promise<T> =>
		client().sendRequest<T>('workspace/executeCommand', { command, arguments: [arg] });
	const run = (command: string) => (row: FindingRow) => vscode.commands.executeCommand(command, argOf(row));
	return {
		/** Where it is in today's text: the list may be older than the last keys. */
		'hocket.findingGo': async (row) => {
			const { id } = argOf(row);
			const { findings = [] } = await send<ListAnswer>(Commands.list, {});
			const found = findings.find((f) => f.id === id);
			if (!found) throw new Error('this finding is not there any more');
			await jump(found);
		},
		'hocket.findingExplain': run(Commands.explain),
		'hocket.findingReplay': run(Commands.replay),
		'hocket.findingDebug': run(Commands.debug),
		'hocket.findingMore': run(Commands.choose),
		'hocket.findingForget': async (row) => {
			const { id, uri } = argOf(row);
			await send<ForgetAnswer>(ExplorerCommands.forget, { id, ...(uri ? { uri } : {}) });
		},
		'hocket.clearFixed': async () => {
			const { message } = await send<ForgetAnswer>(ExplorerCommands.forget, {});
			void vscode.window.setStatusBarMessage(`Hocket: ${message}`, 8000);
		},
	};
}
