/**
 * The entries of the command palette. They have ids of their own: those of the
 * server's commands are registered by the library while a server runs.
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { environment, locate } from './binary';
import type { BreakActions, Target } from './breaks/commands';
import { choose, jump } from './findings';
import type { Jobs } from './jobs';
import { Commands } from './protocol';
import type { Requests } from './requests';
import { install } from './install';
import type { Server } from './server';
import { showStatus } from './status';

/** What commands do, by their ids; what a menu gives is the argument. */
type Table = Record<string, (target: any) => unknown>;

export function register(server: Server, requests: Requests, jobs: Jobs, breaks: BreakActions, more: Table): vscode.Disposable {
	const table: Table = {
		'hocket.findAtCursor': () => onServer(server, Commands.find),
		'hocket.findInPackage': () => onServer(server, Commands.find, thisPackage()),
		'hocket.reproduceFailure': () => onServer(server, Commands.from, failureShown()),
		'hocket.reproduceCore': () => reproduceCore(server),
		'hocket.replayFinding': () => onServer(server, Commands.replay),
		'hocket.explainFinding': () => onServer(server, Commands.explain),
		'hocket.chooseAction': () => onServer(server, Commands.choose),
		'hocket.fixFinding': () => onServer(server, Commands.fix),
		'hocket.debugFinding': () => onServer(server, Commands.debug),
		'hocket.breakHere': (t: Target) => breaks.set(t),
		'hocket.breakPair': (t: Target) => breaks.pair(t),
		'hocket.breakEdit': (t: Target) => breaks.edit(t),
		'hocket.breakToggle': (t: Target) => breaks.toggle(t),
		'hocket.breakRemove': (t: Target) => breaks.remove(t),
		'hocket.breakRun': (t: Target) => breaks.runAt(t),
		'hocket.breakDebug': (t: Target) => breaks.debugAt(t),
		'hocket.breakFromFinding': () => breaks.fromFinding({}),
		'hocket.showConflicts': () => breaks.conflicts(thisPackage()),
		'hocket.listFindings': () => listFindings(requests),
		'hocket.cancelJobs': () => cancel(server, jobs),
		'hocket.showStatus': () => showStatus(server, jobs),
		'hocket.restartServer': () => server.restart(),
		'hocket.showLog': () => server.showLog(),
		'hocket.showVersion': () => runHocket(server, ['version']),
		'hocket.runDoctor': () => runHocket(server, ['doctor']),
		'hocket.install': () => install(server),
		...more,
	};
	const tell = (run: (target: Target) => unknown) => async (target?: Target) => {
		try {
			await run(target ?? {});
		} catch (error) {
			requests.failed(error);
		}
	};
	return vscode.Disposable.from(
		...Object.entries(table).map(([id, run]) => vscode.commands.registerCommand(id, tell(run))),
	);
}

/** Runs a command of the server, or says why there is none. */
async function onServer(server: Server, command: string, arg?: object): Promise<void> {
	server.client();
	await vscode.commands.executeCommand(command, ...(arg ? [arg] : []));
}

function thisPackage(): { uri: string; show: boolean } {
	const editor = vscode.window.activeTextEditor;
	if (editor?.document.languageId !== 'go') throw new Error('open a Go file of the package first');
	return { uri: editor.document.uri.toString(), show: true };
}

/** What the editor shows of a failure: the selection, or all of the document. */
function failureShown(): { text: string; module?: string; show: boolean } {
	const editor = vscode.window.activeTextEditor;
	if (!editor) throw new Error('open a file with the output of a failure first, or select the output');
	const { document, selection } = editor;
	const text = selection.isEmpty ? document.getText() : document.getText(selection);
	const near = thisModule();
	return { text, ...(near ? { module: near.toString() } : {}), show: true };
}

/** Asks for a core dump, and searches for its state. */
async function reproduceCore(server: Server): Promise<void> {
	const files = await vscode.window.showOpenDialog({ title: 'Core dump of a Go program', openLabel: 'Reproduce' });
	const core = files?.[0];
	if (!core) return;
	const module = thisModule();
	await onServer(server, Commands.dump, { uri: core.toString(), ...(module ? { module: module.toString() } : {}), show: true });
}

/** A file of the module that is at hand: the editor's, or an open Go file. */
function thisModule(): vscode.Uri | undefined {
	const shown = vscode.window.activeTextEditor?.document.uri;
	if (shown && vscode.workspace.getWorkspaceFolder(shown)) return shown;
	return vscode.workspace.textDocuments.find((d) => d.languageId === 'go' && d.uri.scheme === 'file')?.uri;
}

async function listFindings(requests: Requests): Promise<void> {
	const findings = (await requests.list()).findings ?? [];
	if (findings.length === 0) {
		void vscode.window.showInformationMessage('Hocket: there are no findings yet.');
		return;
	}
	const choice = await choose(findings, 'Findings', true);
	if (!choice) return;
	const { id, location } = choice.finding;
	const arg = { id, ...(location ? { uri: location.uri } : {}), show: true };
	if (choice.action === 'pick') await jump(choice.finding);
	else await vscode.commands.executeCommand(choice.action === 'explain' ? Commands.explain : Commands.replay, arg);
}

/** Ends the jobs of this window and, of this server, those that others started. */
async function cancel(server: Server, jobs: Jobs): Promise<void> {
	jobs.cancelAll();
	if (server.running) await vscode.commands.executeCommand(Commands.cancel, {});
}

/** Runs a command of hocket itself and shows what it prints. */
async function runHocket(server: Server, args: string[]): Promise<void> {
	const command = locate();
	const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
	const options = { timeout: 60_000, env: environment(), ...(cwd ? { cwd } : {}) };
	const show = (out: string) => server.print(`$ ${command} ${args.join(' ')}\n${out}`);
	try {
		const { stdout, stderr } = await promisify(execFile)(command, args, options);
		show(stdout + stderr);
	} catch (error) {
		// Doctor ends with 2 if something is missing: what it says is the answer.
		const e = error as Error & { stdout?: string; stderr?: string };
		if (!e.stdout && !e.stderr) throw error;
		show((e.stdout ?? '') + (e.stderr ?? ''));
	}
}
