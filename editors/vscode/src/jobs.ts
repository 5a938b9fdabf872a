/**
 * Searches and replays as users see them: a notification with the progress
 * and a cancel button while one runs, and its outcome when it has ended.
 *
 * The library shows work-done progress that the server starts in the status
 * bar, without a button. So a job's request carries a token of its own, and the
 * notification is fed from what the server reports on it.
 */

import * as vscode from 'vscode';
import {
	ExecuteCommandRequest, LanguageClient, LSPErrorCodes, ResponseError, WorkDoneProgress,
	type WorkDoneProgressBegin, type WorkDoneProgressEnd, type WorkDoneProgressReport,
} from 'vscode-languageclient/node';
import type { Outcome } from './protocol';

type Report = WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd;

/** A request that runs until it is answered or cancelled. */
export interface Job {
	readonly title: string;
	/** The latest line of progress, "12 schedules tried, ...". */
	readonly message: string;
	cancel(): void;
}

export class Jobs implements vscode.Disposable {
	private readonly changed = new vscode.EventEmitter<void>();
	private readonly running = new Set<Running>();
	private last = 0;

	/** Fires when a job starts, ends or reports something. */
	readonly onChange = this.changed.event;

	/** The jobs that this window waits for, oldest first. */
	get all(): readonly Job[] {
		return [...this.running];
	}

	/** Sends a command and waits for its answer. Cancelled, also by another's token, it answers so. */
	async run(client: LanguageClient, command: string, arg: object, fallbackTitle: string, also?: vscode.CancellationToken): Promise<Outcome> {
		const job = new Running(fallbackTitle, () => this.changed.fire());
		const watching = also?.onCancellationRequested(() => job.cancel());
		const token = `hocket-vscode-${process.pid}-${++this.last}`;
		const progress = client.onProgress(WorkDoneProgress.type, token, (r) => job.report(r));
		this.running.add(job);
		this.changed.fire();
		try {
			const params = { command, arguments: [arg], workDoneToken: token };
			return (await client.sendRequest(ExecuteCommandRequest.type, params, job.cancellation)) as Outcome;
		} catch (error) {
			if (job.cancelled || isCancelled(error)) return { status: 'cancelled', message: `${job.title}: cancelled` };
			throw error;
		} finally {
			progress.dispose();
			watching?.dispose();
			job.end();
			this.running.delete(job);
			this.changed.fire();
		}
	}

	cancelAll(): void {
		for (const job of this.running) job.cancel();
	}

	dispose(): void {
		this.cancelAll();
		this.changed.dispose();
	}
}

/** One job, and its notification from the first report to the end. */
class Running implements Job {
	title: string;
	message = '';
	private readonly source = new vscode.CancellationTokenSource();
	private percentage = 0;
	private shown: vscode.Progress<{ message?: string; increment?: number }> | undefined;
	private resolve: (() => void) | undefined;
	private ended = false;

	constructor(title: string, private readonly changed: () => void) {
		this.title = title;
	}

	get cancellation(): vscode.CancellationToken {
		return this.source.token;
	}

	get cancelled(): boolean {
		return this.source.token.isCancellationRequested;
	}

	cancel(): void {
		this.source.cancel();
	}

	report(r: Report): void {
		if (this.ended || r.kind === 'end') return;
		if (r.kind === 'begin') {
			this.title = r.title;
			this.open();
		}
		if (r.message !== undefined) this.message = r.message;
		const now = Math.min(100, Math.max(this.percentage, r.percentage ?? 0));
		this.shown?.report({ message: this.message, increment: now - this.percentage });
		this.percentage = now;
		this.changed();
	}

	private open(): void {
		if (this.resolve) return;
		const done = new Promise<void>((resolve) => (this.resolve = resolve));
		const options = { location: vscode.ProgressLocation.Notification, cancellable: true, title: this.title };
		void vscode.window.withProgress(options, (progress, token) => {
			this.shown = progress;
			progress.report({ message: this.message });
			token.onCancellationRequested(() => this.cancel());
			return done;
		});
	}

	end(): void {
		this.ended = true;
		this.resolve?.();
		this.source.dispose();
	}
}

function isCancelled(error: unknown): boolean {
	return error instanceof ResponseError && error.code === LSPErrorCodes.RequestCancelled;
}
