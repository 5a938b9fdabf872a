/**
 * Installs the hocket command by `go install`, and starts the server with it: nothing has
 * to be reloaded.
 */

import { spawn } from 'node:child_process';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { environment, installTarget, isCommand, locate } from './binary';

/** What is needed of the server. */
export interface Host {
	restart(): Promise<void>;
	/** A line for the log. */
	note(text: string): void;
	showLog(): void;
}

let running: Promise<void> | undefined;

/** Installs the command; a second call waits for the first. */
export function install(host: Host): Promise<void> {
	running ??= attempt(host).finally(() => (running = undefined));
	return running;
}

async function attempt(host: Host): Promise<void> {
	const options = { location: vscode.ProgressLocation.Notification, title: 'Hocket: installing the command', cancellable: true };
	try {
		const file = await vscode.window.withProgress(options, async (progress, token) => {
			progress.report({ message: `go install ${installTarget}` });
			await go(host, token, 'install', '-v', installTarget);
			return installed(await go(host, token, 'env', 'GOBIN', 'GOPATH'));
		});
		if (!file) return;
		await use(file, host);
		void vscode.window.showInformationMessage(`Hocket: installed ${file}; the server runs.`);
	} catch (error) {
		if (error instanceof vscode.CancellationError) return;
		const text = error instanceof Error ? error.message : String(error);
		const download = 'Get Go';
		const actions = text.includes('no go command') ? [download, 'Show Log'] : ['Show Log'];
		const action = await vscode.window.showErrorMessage(`Hocket: the command was not installed: ${text}.`, ...actions);
		if (action === download) void vscode.env.openExternal(vscode.Uri.parse('https://go.dev/dl/'));
		if (action === 'Show Log') host.showLog();
	}
}

/** Where go install has put it, by what go env says of GOBIN and GOPATH. */
function installed(env: string): string {
	const [bin = '', gopath = ''] = env.split(/\r?\n/);
	const dir = bin || path.join(gopath.split(path.delimiter)[0] ?? '', 'bin');
	const file = path.join(dir, process.platform === 'win32' ? 'hocket.exe' : 'hocket');
	if (!isCommand(file)) throw new Error(`go install ended well, but there is no ${file}`);
	return file;
}

/** Makes the server run that command, whatever the settings named before. */
async function use(file: string, host: Host): Promise<void> {
	let found = '';
	try {
		found = locate();
	} catch {
		// As before; the setting will name it.
	}
	const settings = vscode.workspace.getConfiguration('hocket');
	if (found !== file) await settings.update('path', file, vscode.ConfigurationTarget.Global);
	// A change of the setting has started it already, unless a folder's setting hides it.
	await host.restart();
}

/** Runs a go command to its end; answers what it prints, which goes to the log as well. */
function go(host: Host, token: vscode.CancellationToken, ...args: string[]): Promise<string> {
	host.note(`$ go ${args.join(' ')}`);
	return new Promise((resolve, reject) => {
		const child = spawn('go', args, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
		let out = '';
		let last = '';
		child.stdout.on('data', (data: Buffer) => (out += data.toString()));
		child.stderr.on('data', (data: Buffer) => {
			const text = data.toString().trimEnd();
			last = text.split('\n').pop() || last;
			host.note(text);
		});
		token.onCancellationRequested(() => child.kill());
		child.on('error', () => reject(new Error('there is no go command in PATH; Hocket needs Go 1.26 or newer')));
		child.on('close', (code) => {
			if (token.isCancellationRequested) reject(new vscode.CancellationError());
			else if (code === 0) resolve(out);
			else reject(new Error(`go ${args[0]} failed: ${last || `exit code ${code}`}`));
		});
	});
}
