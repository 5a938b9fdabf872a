// What the extension does, through VS Code's own interface. The tests run in
// this order; each says what it needs of those before.
const vscode = require('vscode');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { execFile } = require('node:child_process');
const { until, processes } = require('./wait');

// A first search on a machine builds the standard library.
const search = 200_000;

const uriOf = (s, name) => vscode.Uri.file(path.join(s.folder, name));
const open = async (s, name) => vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uriOf(s, name)));
const run = (command, ...args) => vscode.commands.executeCommand(command, ...args);
const hocket = () => vscode.workspace.getConfiguration('hocket').get('path');
const server = () => processes((argv, parent) => parent === process.pid && argv[1] === 'lsp');
const jobs = () => processes((argv) => argv[0] === hocket() && ['find', 'replay'].includes(argv[1]));
const list = (s) => run('hocket.list', { uri: uriOf(s, 'pool.go').toString() });

/** The texts of the lenses on the line of a function. */
async function lenses(s, name) {
	const uri = uriOf(s, 'pool_test.go');
	const doc = await vscode.workspace.openTextDocument(uri);
	const all = (await run('vscode.executeCodeLensProvider', uri, 100)) ?? [];
	return all.filter((l) => l.command?.command.startsWith('hocket.') && doc.lineAt(l.range.start).text.startsWith(`func ${name}(`)).map((l) => l.command);
}
const titles = async (s, name) => (await lenses(s, name)).map((c) => c.title);

async function lens(s, name, title) {
	let seen = [];
	const found = until(`lens ${title} on ${name}`, async () => {
		seen = await lenses(s, name);
		return seen.find((c) => title.test(c.title));
	});
	return found.catch((error) => { throw new Error(`${error.message}; there are: ${seen.map((c) => c.title).join(', ')}`); });
}
/** What the lens on a function offers, by title. */
async function offers(s, name) {
	const choose = await lens(s, name, / ▸$/);
	return (await run('hocket.choose', { ...choose.arguments[0], ask: false })).choices;
}
const offer = (s, name, title) => until(`${title} offered on ${name}`, async () => (await offers(s, name)).find((c) => title.test(c.title)));
const click = (command) => run(command.command, ...(command.arguments ?? []));

const diagnostics = (s, name = 'pool.go') =>
	vscode.languages.getDiagnostics(uriOf(s, name)).filter((d) => d.source === 'hocket');
const codeOf = (d) => (typeof d.code === 'object' ? d.code.value : d.code);
const someOf = (s, kind) => until(`a diagnostic ${kind}`, () => {
	const found = diagnostics(s).filter((d) => codeOf(d) === kind);
	return found.length > 0 && found;
});

const hover = async (s, position) =>
	((await run('vscode.executeHoverProvider', uriOf(s, 'pool.go'), position)) ?? [])
		.flatMap((h) => h.contents.map((c) => c.value ?? String(c))).join('\n');

async function edit(s, name, change) {
	const e = new vscode.WorkspaceEdit();
	change(e, uriOf(s, name));
	assert.ok(await vscode.workspace.applyEdit(e));
}

async function set(key, value) {
	await vscode.workspace.getConfiguration('hocket').update(key, value, vscode.ConfigurationTarget.Workspace);
}

const tests = [
	['opening a folder starts the server and runs nothing', async (s) => {
		s.broken = true;
		await open(s, 'pool_test.go');
		// It is enabled by the answer to the question of trust, a moment later.
		const extension = await until('the extension', () => vscode.extensions.getExtension('hocket-dev.hocket'));
		await extension.activate();
		await until('a server', () => server().length === 1, 120_000);
		await lens(s, 'TestGet', /^find failing schedule$/);
		assert.deepEqual(jobs(), []);
		assert.ok(!fs.existsSync(path.join(s.folder, '.hocket')), 'no .hocket was made');
		s.broken = false;
	}],

	['a lens above each test, and nothing else yet', async (s) => {
		for (const name of ['TestGet', 'TestPut', 'TestMove']) assert.deepEqual(await titles(s, name), ['find failing schedule']);
		await open(s, 'pool.go');
		assert.deepEqual(diagnostics(s), []);
		assert.equal(await hover(s, new vscode.Position(36, 4)), '');
	}],

	['a click on the lens finds the bug', async (s) => {
		s.broken = true; // without a finding there is nothing to test
		const found = click(await lens(s, 'TestGet', /^find failing schedule$/));
		await lens(s, 'TestGet', /^searching… \(cancel\)$/);
		const outcome = await Promise.race([found, new Promise((_, no) => setTimeout(() => no(new Error('no answer')), search))]);
		assert.equal(outcome?.status, 'failing');
		assert.equal(outcome.findings.length, 1);
		assert.match(outcome.message, /TestGet.*index out of range/);
		s.id = outcome.findings[0];
		s.broken = false;
		return outcome.message;
	}],

	['diagnostics: severity, code with a link, related information', async (s) => {
		// A finding is shown at once, as a hint, and climbs; so does its diagnostic.
		await until('warnings', () => diagnostics(s).some((d) => d.severity === vscode.DiagnosticSeverity.Warning), 10_000);
		const found = await someOf(s, 'panic');
		s.lines = found.map((d) => d.range.start.line);
		for (const d of found) {
			assert.ok(d.message.length < 100, d.message);
			assert.match(d.code.target.toString(true), /docs\/findings\.md#panic$/);
		}
		const severities = found.map((d) => d.severity);
		assert.equal(severities.filter((x) => x === vscode.DiagnosticSeverity.Warning).length, 1, 'a finding is one problem');
		assert.ok(severities.every((x) => x === vscode.DiagnosticSeverity.Warning || x === vscode.DiagnosticSeverity.Hint), 'its other steps are hints');
		assert.ok(found.some((d) => d.relatedInformation?.length > 0), 'hints lead to it');
		assert.ok(found.every((d) => d.severity === vscode.DiagnosticSeverity.Hint || !d.relatedInformation?.length), 'what a hover shows first is short');
		const doc = await vscode.workspace.openTextDocument(uriOf(s, 'pool.go'));
		assert.ok(found.some((d) => doc.getText(d.range).includes('p.idle')), found.map((d) => doc.getText(d.range)).join(' | '));
		return found.map((d) => `${d.range.start.line + 1}: ${d.message}`).join(' ;; ');
	}],

	['hover: sentence and table on its lines, nothing elsewhere', async (s) => {
		const [first] = diagnostics(s);
		const text = await hover(s, first.range.start);
		assert.match(text, /index out of range/);
		assert.match(text, /\|[^\n]*failing[^\n]*\|/, text);
		assert.match(text, /\n\|[ :|-]+\|/, 'a table');
		assert.match(text, /\*\*/, 'what differs is bold');
		assert.equal(await hover(s, new vscode.Position(4, 2)), '');
		return text;
	}],

	['one lens, which offers all that can be done', async (s) => {
		await lens(s, 'TestGet', /^1 finding: .*index out of range.* ▸$/);
		assert.equal((await titles(s, 'TestGet')).length, 1);
		const all = (await offers(s, 'TestGet')).map((c) => c.title);
		assert.deepEqual(all, ['Explain', 'Step through the schedule', 'Debug this schedule', 'Replay 100 times (failed 100/100)', 'Look for a fix', 'Turn into concurrent breakpoints', 'Search again']);
		assert.deepEqual(await titles(s, 'TestPut'), ['find failing schedule']);
	}],

	['an edit above moves diagnostics', async (s) => {
		await open(s, 'pool.go');
		const start = Date.now();
		await edit(s, 'pool.go', (e, uri) => e.insert(uri, new vscode.Position(0, 0), '// ä 😀\n\n'));
		const moved = s.lines.map((l) => l + 2);
		await until('moved diagnostics', () => {
			const now = diagnostics(s).map((d) => d.range.start.line);
			return moved.every((l) => now.includes(l));
		});
		const ms = Date.now() - start;
		assert.ok(diagnostics(s).some((d) => d.severity === vscode.DiagnosticSeverity.Warning), 'still current');
		return `${ms} ms`;
	}],

	['an edit of its line says: changed since found', async (s) => {
		const editor = await open(s, 'pool.go');
		const [first] = diagnostics(s);
		const end = editor.document.lineAt(first.range.start.line).range.end;
		await edit(s, 'pool.go', (e, uri) => e.insert(uri, end, ' + 0'));
		const changed = await until('the mark', () => diagnostics(s).find((d) => d.severity === vscode.DiagnosticSeverity.Information));
		assert.match(changed.message, /changed since found: replay$/);
		assert.equal((await list(s)).findings[0].state, 'changed');
	}],

	['undo takes the mark away', async (s) => {
		await open(s, 'pool.go');
		await run('undo');
		await until('warnings again', () => {
			const now = diagnostics(s);
			return now.some((d) => d.severity === vscode.DiagnosticSeverity.Warning) && !now.some((d) => /changed since/.test(d.message));
		});
		await run('undo');
		await until('lines as before', () => s.lines.every((l) => diagnostics(s).some((d) => d.range.start.line === l)));
	}],

	['one code action leads to all of it', async (s) => {
		const [first] = diagnostics(s);
		const actions = await run('vscode.executeCodeActionProvider', uriOf(s, 'pool.go'), first.range, vscode.CodeActionKind.QuickFix.value);
		const own = actions.filter((a) => /hocket/i.test(a.command?.command ?? '') && a.kind?.value === 'quickfix');
		assert.match(own.map((a) => a.title).join('; '), /^Hocket… \(.*index out of range.*\)$/);
		const answer = await run('hocket.choose', { ...own[0].command.arguments[0], ask: false });
		const outcome = await click(answer.choices.find((c) => /^Replay 100 times/.test(c.title)));
		assert.equal(outcome.failed, 100, JSON.stringify(outcome));
		return outcome.message;
	}],

	['a replay by lens fails again, every time', async (s) => {
		const outcome = await click(await offer(s, 'TestGet', /^Replay /));
		assert.equal(outcome.runs, 100);
		assert.equal(outcome.failed, 100, JSON.stringify(outcome));
		await offer(s, 'TestGet', /\(failed 100\/100\)$/);
	}],

	['explain opens a preview', async (s) => {
		const answer = await run('hocket.explain', { id: s.id, uri: uriOf(s, 'pool.go').toString(), open: false });
		assert.match(answer.text, /failing/);
		const asked = click(await lens(s, 'TestGet', /^1 finding/)); // ends with the choice
		await new Promise((r) => setTimeout(r, 1000)); // the list has no interface of its own to wait for
		await run('workbench.action.acceptSelectedQuickOpenItem'); // Explain is the first
		await asked;
		const tab = await until('a preview', () => vscode.window.tabGroups.all.flatMap((g) => g.tabs)
			.find((t) => t.input instanceof vscode.TabInputWebview && /markdown\.preview/.test(t.input.viewType)));
		await vscode.window.tabGroups.close(tab);
	}],

	['the list of findings', async (s) => {
		const { findings, jobs: running } = await list(s);
		assert.equal(findings.length, 1);
		const [f] = findings;
		assert.equal(f.id, s.id);
		assert.equal(f.entry, 'TestGet');
		assert.equal(f.state, 'current');
		assert.match(f.location.uri, /pool\.go$/);
		assert.deepEqual(running ?? [], []);
	}],

	['a search is cancelled in the middle; a second one waits its turn', async (s) => {
		const first = click(await lens(s, 'TestPut', /^find failing schedule$/));
		await until('the first runs', async () => (await list(s)).jobs?.some((j) => j.state === 'running'));
		const second = click(await lens(s, 'TestMove', /^find failing schedule$/));
		await until('the second waits', async () => (await list(s)).jobs?.some((j) => j.state === 'queued'));
		await until('a process works', () => jobs().length === 1);
		await click(await lens(s, 'TestMove', /cancel/));
		assert.equal((await second).status, 'cancelled');
		const start = Date.now();
		await click(await lens(s, 'TestPut', /cancel/));
		assert.equal((await first).status, 'cancelled');
		const ms = Date.now() - start;
		await until('no process is left', () => jobs().length === 0, 5000);
		assert.deepEqual(await until('no job is left', async () => { const j = (await list(s)).jobs ?? []; return j.length === 0 && [...j]; }), []);
		return `${ms} ms`;
	}],

	['a finding of the command line appears within a second', async (s) => {
		const store = path.join(s.folder, '.hocket', 'findings');
		const before = new Set(fs.readdirSync(store));
		const ended = new Promise((resolve) => execFile(hocket(), ['find', '-budget', '200s', '-run', 'TestMove', '.'], { cwd: s.folder }, (error, out) => resolve({ code: error?.code ?? 0, out })));
		await until('a file of a finding', () => fs.readdirSync(store).some((n) => /^\w+\.json$/.test(n) && !before.has(n)), search);
		const stored = Date.now();
		const found = await someOf(s, 'deadlock');
		const ms = Date.now() - stored;
		assert.ok(ms < 1000, `${ms} ms`);
		assert.equal((await ended).code, 1);
		await lens(s, 'TestMove', /^1 finding: /);
		return `${ms} ms; ${found[0].message}`;
	}],

	['toggles work without a restart', async (s) => {
		await set('codelenses', { find: true, replay: true, explain: false, debug: false });
		await until('no explain', async () => !(await offers(s, 'TestGet')).some((c) => /Explain|Debug/.test(c.title)));
		await set('diagnostics.enable', false);
		await until('no diagnostics', () => diagnostics(s).length === 0);
		await set('hover.enable', false);
		await until('no hover', async () => (await hover(s, new vscode.Position(s.lines[0], 8))) === '');
		for (const key of ['codelenses', 'diagnostics.enable', 'hover.enable']) await set(key, undefined);
		await someOf(s, 'panic');
		await offer(s, 'TestGet', /^Explain$/);
	}],

	['a server killed in the middle of a search comes back, nothing runs on', async (s) => {
		const found = click(await lens(s, 'TestPut', /^find failing schedule$/)).then((o) => o, (e) => e);
		await until('a process works', () => jobs().length === 1);
		const [old] = server();
		process.kill(old, 'SIGKILL');
		await found; // it ends, one way or the other
		await until('no process is left', () => jobs().length === 0, 10_000);
		await until('a new server', () => server().length === 1 && server()[0] !== old);
		await offer(s, 'TestGet', /\(failed 100\/100\)$/);
		await someOf(s, 'panic');
		await someOf(s, 'deadlock');
	}],
];

module.exports = { tests };
