// Runs inside VS Code's extension host. Where the folder holds a file
// apitest.json, {"out": FILE}, the tests run and write a line of JSON each;
// elsewhere, only that VS Code has finished starting. Settings that are put into
// FILE.set, {"key": value}, are applied, and the file is removed. What debug
// sessions of Hocket tell goes to FILE.debug, a line of JSON each.
const vscode = require('vscode');
const fs = require('node:fs');
const path = require('node:path');
const { tests } = require('./tests');

/** The error, and where in the tests it came from. */
const trace = (error) => String(error?.stack ?? error).split('\n').filter((l, i) => i === 0 || l.includes('tests.js')).join(' ')
	.replaceAll(__dirname + path.sep, '');

exports.activate = async () => {
	const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
	const settings = folder && path.join(folder, 'apitest.json');
	if (!settings || !fs.existsSync(settings)) return;
	const { out, run } = JSON.parse(fs.readFileSync(settings, 'utf8'));
	const write = (line) => fs.appendFileSync(out, JSON.stringify(line) + '\n');
	vscode.debug.registerDebugAdapterTrackerFactory('hocket', { createDebugAdapterTracker: (session) => ({ onDidSendMessage: (m) => debugged(session, m, `${out}.debug`) }) });
	if (run) {
		const state = { folder };
		for (const [name, test] of tests) {
			const start = Date.now();
			try {
				const note = await test(state);
				write({ name, ok: true, ms: Date.now() - start, note });
			} catch (error) {
				write({ name, ok: false, ms: Date.now() - start, note: trace(error) });
				if (state.broken) break;
			}
		}
	}
	write({ done: true, version: vscode.version, trusted: vscode.workspace.isTrusted });
	setInterval(() => apply(`${out}.set`).catch((e) => write({ error: String(e) })), 100);
};

/** Writes what a debug session tells; of a stop, where the goroutines are. */
async function debugged(session, message, file) {
	const write = (line) => fs.appendFileSync(file, JSON.stringify(line) + '\n');
	const { type, event, body } = message;
	if (type !== 'event' || !['stopped', 'output', 'terminated'].includes(event)) return;
	if (event !== 'stopped') return write({ event, ...body });
	const stacks = [];
	const { threads } = await session.customRequest('threads');
	for (const { id } of threads) {
		// A goroutine may end its run meanwhile in other programs; here all are stopped.
		const { stackFrames } = await session.customRequest('stackTrace', { threadId: id, levels: 50 });
		stacks.push(stackFrames.map((f) => ({ name: f.name, line: f.line, path: f.source?.path ?? '' })));
	}
	write({ event, ...body, stacks });
}

let applying = false;

async function apply(file) {
	if (applying || !fs.existsSync(file)) return;
	applying = true;
	try {
		for (const [key, value] of Object.entries(JSON.parse(fs.readFileSync(file, 'utf8')))) {
			await vscode.workspace.getConfiguration().update(key, value, vscode.ConfigurationTarget.Global);
		}
	} finally {
		fs.rmSync(file);
		applying = false;
	}
}
