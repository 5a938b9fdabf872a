/**
 * The output channel of the trace, switched on by hocket.trace.server.
 *
 * The library traces when the level of its channel is "trace", a level that VS
 * Code's own log channels keep outside the settings. This channel takes its
 * level from the setting, where users of language servers look for it.
 */

import * as vscode from 'vscode';

export function traceChannel(): vscode.LogOutputChannel {
	const plain = vscode.window.createOutputChannel('Hocket Trace');
	const changed = new vscode.EventEmitter<vscode.LogLevel>();
	const level = () => {
		const set = vscode.workspace.getConfiguration('hocket').get<string>('trace.server', 'off');
		return set === 'off' ? vscode.LogLevel.Info : vscode.LogLevel.Trace;
	};
	const watch = vscode.workspace.onDidChangeConfiguration((e) => {
		if (e.affectsConfiguration('hocket.trace.server')) changed.fire(level());
	});
	const line = (message: string | Error, ...rest: unknown[]) => {
		const time = new Date().toISOString().slice(11, 23);
		plain.appendLine([time, message, ...rest].join(' '));
	};
	return {
		name: plain.name,
		get logLevel() {
			return level();
		},
		onDidChangeLogLevel: changed.event,
		trace: line,
		debug: line,
		info: line,
		warn: line,
		error: line,
		append: (text) => plain.append(text),
		appendLine: (text) => plain.appendLine(text),
		replace: (text) => plain.replace(text),
		clear: () => plain.clear(),
		show: (...args: unknown[]) => plain.show(args[args.length - 1] === true),
		hide: () => plain.hide(),
		dispose: () => vscode.Disposable.from(watch, changed, plain).dispose(),
	};
}
