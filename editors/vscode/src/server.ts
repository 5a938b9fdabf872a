/**
 * The life of the language server: found, started, watched, restarted.
 *
 * One server serves all folders of the window. It runs nothing by itself; a
 * command has to be given. This extension is not activated in folders that are
 * not trusted, so none is started there.
 */

import * as path from 'node:path';
import * as vscode from 'vscode';
import {
	CloseAction, ErrorAction, LanguageClient, State,
	type CloseHandlerResult, type ErrorHandlerResult, type Middleware,
} from 'vscode-languageclient/node';
import { environment, locate, NotFound, oldestServer, tooOld } from './binary';
import { debugCapability } from './debug';
import { install } from './install';
import { traceChannel } from './trace';

/** So many ends within so long are too many to start it again. */
const maxRestarts = 4;
const endsWindow = 3 * 60 * 1000;

export class Server implements vscode.Disposable {
	private current: LanguageClient | undefined;
	private ends: number[] = [];
	private readonly log = vscode.window.createOutputChannel('Hocket', { log: true });
	private readonly trace = traceChannel();
	private readonly changed = new vscode.EventEmitter<void>();
	/** One start or stop after the other. */
	private turn: Promise<void> = Promise.resolve();

	/** Fires when the server starts, runs or has ended. */
	readonly onChange = this.changed.event;

	private readonly watch: vscode.Disposable;
	/** There is no command to start. */
	private missing = false;

	/** What keeps the server from running, for users; undefined if nothing does. */
	problem: string | undefined;

	/** prepare is called with each client before it starts. */
	constructor(private readonly middleware: Middleware, private readonly prepare: (client: LanguageClient) => void) {
		// Somebody who installs the command in a terminal comes back to a server that runs.
		this.watch = vscode.window.onDidChangeWindowState(({ focused }) => {
			if (focused && this.missing && commandIsThere()) void this.restart();
		});
	}

	get running(): boolean {
		return this.current?.state === State.Running;
	}

	/** The version that the server reports. */
	get version(): string | undefined {
		return this.current?.initializeResult?.serverInfo?.version;
	}

	/** The client of a running server, or an error that says why there is none. */
	client(): LanguageClient {
		if (this.current && this.running) return this.current;
		throw new Error(this.problem ?? 'the server is not running; use Hocket: Restart Server');
	}

	start(): Promise<void> {
		return this.inTurn(() => this.begin());
	}

	restart(): Promise<void> {
		return this.inTurn(async () => {
			await this.end();
			this.ends = [];
			await this.begin();
		});
	}

	stop(): Promise<void> {
		return this.inTurn(() => this.end());
	}

	showLog(): void {
		this.log.show(true);
	}

	/** Writes lines of a command into the log and shows it. */
	print(text: string): void {
		this.note(text.trimEnd());
		this.log.show(true);
	}

	/** Writes lines into the log. */
	note(text: string): void {
		this.log.info(text);
	}

	dispose(): void {
		this.watch.dispose();
		this.changed.dispose();
		this.log.dispose();
		this.trace.dispose();
	}

	private inTurn(step: () => Promise<void>): Promise<void> {
		this.turn = this.turn.then(step, step);
		return this.turn;
	}

	private async begin(): Promise<void> {
		if (this.current) return;
		let command: string;
		try {
			command = locate();
		} catch (error) {
			this.missing = true;
			this.refuse((error as Error).message, error instanceof NotFound);
			return;
		}
		this.missing = false;
		const client = this.make(command);
		this.current = client;
		try {
			await client.start();
		} catch (error) {
			this.current = undefined;
			await client.dispose().catch(() => undefined);
			this.refuse(`${command} lsp does not start: ${firstLine(error)}`, false);
			return;
		}
		this.problem = undefined;
		if (tooOld(this.version)) {
			this.refuse(`${command} is version ${this.version}, this extension needs ${oldestServer} or newer`, true);
		}
		this.changed.fire();
	}

	private make(command: string): LanguageClient {
		const client: LanguageClient = new LanguageClient(
			'hocket', // also the settings section, so that hocket.trace.server works
			'Hocket',
			{ command, args: ['lsp'], options: { env: environment() } },
			{
				// Logs and other texts have lenses where they tell of a failure.
				documentSelector: [
					{ scheme: 'file', language: 'go' },
					{ scheme: 'file', language: 'log' },
					{ scheme: 'file', language: 'plaintext' },
				],
				outputChannel: this.log,
				traceOutputChannel: this.trace,
				middleware: this.middleware,
				initializationFailedHandler: () => false,
				errorHandler: {
					error: (): ErrorHandlerResult => ({ action: ErrorAction.Continue, handled: true }),
					closed: () => this.closed(client),
				},
				markdown: { isTrusted: false, supportHtml: false },
			},
		);
		client.registerFeature(debugCapability);
		this.prepare(client);
		client.onDidChangeState(() => this.changed.fire());
		return client;
	}

	/** The server has ended by itself or was killed. */
	private closed(client: LanguageClient): CloseHandlerResult {
		if (client !== this.current || client.state === State.Starting) {
			return { action: CloseAction.DoNotRestart, handled: true };
		}
		const now = Date.now();
		this.ends = [...this.ends.filter((t) => now - t < endsWindow), now];
		if (this.ends.length <= maxRestarts) return { action: CloseAction.Restart, handled: true };
		this.current = undefined;
		this.refuse(`the server ended ${this.ends.length} times within ${endsWindow / 60000} minutes`, false);
		return { action: CloseAction.DoNotRestart, handled: true };
	}

	private async end(): Promise<void> {
		const client = this.current;
		this.current = undefined;
		this.problem = undefined;
		if (!client) return;
		try {
			await client.dispose();
		} catch (error) {
			this.log.warn(`stopping the server: ${firstLine(error)}`);
		}
	}

	/** Shows why there is no server, and what to do. */
	private refuse(problem: string, installing: boolean): void {
		this.problem = problem;
		this.log.error(problem);
		this.changed.fire();
		const actions = installing ? ['Install', 'Choose Path', 'Show Log'] : ['Restart', 'Choose Path', 'Show Log'];
		void vscode.window.showErrorMessage(`Hocket: ${problem}.`, ...actions).then((action) => {
			if (action === 'Install') void install(this);
			if (action === 'Choose Path') void this.choosePath();
			if (action === 'Restart') void this.restart();
			if (action === 'Show Log') this.showLog();
		});
	}

	private async choosePath(): Promise<void> {
		const picked = await vscode.window.showOpenDialog({ title: 'The hocket command', openLabel: 'Use' });
		if (!picked?.[0]) return;
		const settings = vscode.workspace.getConfiguration('hocket');
		// The change of the setting starts the server.
		await settings.update('path', path.normalize(picked[0].fsPath), vscode.ConfigurationTarget.Global);
	}
}

function commandIsThere(): boolean {
	try {
		return locate() !== '';
	} catch {
		return false;
	}
}

function firstLine(error: unknown): string {
	return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
