/**
 * The findings and verdicts of all modules that are open, as the server last listed
 * them. It says when there is something new; then it is asked again.
 */

import * as vscode from 'vscode';
import { State, type LanguageClient, type StaticFeature } from 'vscode-languageclient/node';
import { Commands, type ListAnswer } from '../protocol';
import { changedMethod } from './protocol';

const capability: StaticFeature = {
	fillClientCapabilities: (capabilities) => {
		capabilities.experimental = { ...(capabilities.experimental as object | undefined), hocketChanges: true };
	},
	initialize: () => undefined,
	getState: () => ({ kind: 'static' }),
	clear: () => undefined,
};

export class Known implements vscode.Disposable {
	private readonly changed = new vscode.EventEmitter<void>();
	private client: LanguageClient | undefined;
	private asking = false;
	private again = false;

	/** The last list; empty while no server runs. */
	list: ListAnswer = {};

	/** Fires after each new list. */
	readonly onChange = this.changed.event;

	/** Listens to a client that has not been started yet. */
	connect(client: LanguageClient): void {
		this.client = client;
		client.registerFeature(capability);
		client.onNotification(changedMethod, () => void this.ask(client));
		client.onDidChangeState(({ newState }) => {
			if (newState === State.Running || client !== this.client) return;
			this.list = {};
			this.changed.fire();
		});
	}

	/** One request after the other; what changes meanwhile makes one more. */
	private async ask(client: LanguageClient): Promise<void> {
		this.again = true;
		if (this.asking) return;
		this.asking = true;
		try {
			while (this.again && client === this.client && client.state === State.Running) {
				this.again = false;
				this.list = await client.sendRequest<ListAnswer>('workspace/executeCommand', { command: Commands.list, arguments: [{}] });
				this.changed.fire();
			}
		} catch (error) {
			client.error('listing the findings', error, false);
		} finally {
			this.asking = false;
		}
	}

	dispose(): void {
		this.changed.dispose();
	}
}
