/**
 * Hocket in VS Code: a thin client of `hocket lsp`. It knows nothing of
 * concurrency; it shows what the server says.
 *
 * Invariants: opening a folder or a file starts the server and nothing else.
 * Ids, settings and the trace setting share the prefix "hocket".
 */

import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';
import { BreakActions } from './breaks/commands';
import { Marks } from './breaks/marks';
import { Breaks } from './breaks/state';
import { breaksTree } from './breaks/tree';
import { register } from './commands';
import { registerDebugger } from './debug';
import { explorerCommands } from './explorer/commands';
import { Known } from './explorer/state';
import { Tests } from './explorer/tests';
import { findingsTree } from './explorer/tree';
import { Jobs } from './jobs';
import { registerPanel } from './panel/register';
import { PanelCommands } from './panel/protocol';
import type { FindingArgs } from './protocol';
import { Requests } from './requests';
import { Server } from './server';
import { Status } from './status';

let running: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
	const jobs = new Jobs();
	const breaks = new Breaks();
	const known = new Known();
	const server: Server = new Server(middleware(() => requests, (arg) => panel.open(arg)), (client) => {
		breaks.connect(client);
		known.connect(client);
	});
	const requests: Requests = new Requests(() => server.client(), jobs, () => server.showLog(), (c, arg) => actions.execute(c, arg));
	const actions = new BreakActions({
		client: () => server.client(),
		aFinding: (given, title) => requests.aFinding(given, title),
		print: (text) => server.print(text),
	}, jobs, breaks);
	const panel = registerPanel(context, {
		client: () => server.client(),
		aFinding: (given, title) => requests.aFinding(given, title),
		failed: (error) => requests.failed(error),
	}, jobs);
	running = server;
	context.subscriptions.push(
		jobs,
		server,
		new Status(server, jobs),
		register(server, requests, jobs, actions, explorerCommands(() => server.client())),
		breaks,
		new Marks(breaks),
		breaksTree(breaks, actions, (error) => requests.failed(error)),
		known,
		findingsTree(known, jobs),
		new Tests(() => server.client(), jobs, known),
		registerDebugger(),
		vscode.workspace.onDidChangeConfiguration((e) => {
			if (e.affectsConfiguration('hocket.path')) void server.restart();
		}),
	);
	await server.start();
}

export async function deactivate(): Promise<void> {
	await running?.stop();
}

function middleware(requests: () => Requests, stepThrough: (arg: FindingArgs) => Promise<void>): Middleware {
	return {
		executeCommand: (command, args, next) => {
			const arg = args[0] as FindingArgs | undefined;
			if (command === PanelCommands.schedule && (!arg || arg.show)) return stepThrough(arg ?? {}).catch((error) => requests().failed(error));
			return requests().execute(command, args, next);
		},
		// VS Code shows related places in the hover, above ours: of a finding that would
		// fill it, and the sentence and the table, which have the same places, be hidden.
		handleDiagnostics: (uri, diagnostics, next) => {
			const explained = vscode.workspace.getConfiguration('hocket', uri).get('hover.enable', true);
			for (const d of diagnostics) {
				if (explained && d.severity !== vscode.DiagnosticSeverity.Hint) delete d.relatedInformation;
			}
			next(uri, diagnostics);
		},
		workspace: {
			// A server that is about to be replaced need not know; the next one is told at its start.
			didChangeConfiguration: (sections, next) => next(sections).catch(() => undefined),
		},
		window: {
			// An explanation is markdown: read it rendered, beside the code.
			showDocument: async (params, token, next) => {
				const uri = vscode.Uri.parse(params.uri);
				if (params.external || !uri.path.endsWith('.md')) {
					return next(params, token);
				}
				await vscode.commands.executeCommand('markdown.showPreviewToSide', uri);
				return { success: true };
			},
		},
	};
}
