/**
 * What can be searched, in VS Code's test explorer: module → package → test, beside what
 * the Go extension shows there. Nothing is looked for before the explorer is opened, and
 * nothing is run before somebody runs it.
 *
 * The profile is not a default one: "run all tests" means the tests, not searches of a
 * minute each. Where the Go extension is, our items have no mark beside the code, for a
 * click on such a mark runs all tests of the line; the lens is there.
 */

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { Jobs } from '../jobs';
import { Commands, type FindingItem, type ListAnswer, type Outcome } from '../protocol';
import { ExplorerCommands, type Report, type Standing, type TestedEntry, type TestedModule, type TestedPackage, type TestsAnswer } from './protocol';
import type { Known } from './state';

/** What an item is. */
type Subject =
	| { kind: 'module'; uri: string }
	| { kind: 'package'; uri: string; name: string; resolved: boolean }
	| { kind: 'test'; entry: TestedEntry; pkg: string };

export class Tests implements vscode.Disposable {
	readonly controller = vscode.tests.createTestController('hocket', 'Hocket');
	private readonly subjects = new WeakMap<vscode.TestItem, Subject>();
	private readonly subscriptions: vscode.Disposable[];
	/** Whether anybody has looked at the explorer yet. */
	private wanted = false;
	private refreshing: Promise<void> = Promise.resolve();

	constructor(private readonly client: () => LanguageClient, private readonly jobs: Jobs, known: Known) {
		const { Run, Debug } = vscode.TestRunProfileKind;
		this.controller.createRunProfile('Find failing schedule', Run, (request, token) => this.run(request, token), false);
		this.controller.createRunProfile('Debug failing schedule', Debug, (request) => this.debug(request), false);
		this.controller.resolveHandler = (item) => this.resolve(item);
		this.controller.refreshHandler = () => this.refresh();
		this.subscriptions = [
			this.controller,
			known.onChange(() => void this.refresh()),
			vscode.workspace.onDidSaveTextDocument((d) => { if (d.languageId === 'go') void this.refresh(); }),
			vscode.workspace.onDidDeleteFiles(() => void this.refresh()),
		];
	}

	dispose(): void {
		vscode.Disposable.from(...this.subscriptions).dispose();
	}

	private async ask(uri?: string): Promise<TestedModule[]> {
		const params = { command: ExplorerCommands.tests, arguments: [uri ? { uri } : {}] };
		return (await this.client().sendRequest<TestsAnswer>('workspace/executeCommand', params)).modules;
	}

	/** Without an item: the modules and their packages. */
	private async resolve(item?: vscode.TestItem): Promise<void> {
		if (!item) {
			this.wanted = true;
			return this.refresh();
		}
		const subject = this.subjects.get(item);
		if (subject?.kind !== 'package') return;
		const tests = (await this.ask(subject.uri))[0]?.packages[0]?.tests ?? [];
		item.children.replace(tests.map((t) => this.testItem(item, subject.name, t)));
		subject.resolved = true;
	}

	/** Looks again at all that was looked at. One at a time. */
	private refresh(): Promise<void> {
		const step = async () => {
			if (!this.wanted) return;
			try {
				const modules = await this.ask();
				this.controller.items.replace(modules.filter((m) => m.packages.length > 0).map((m) => this.moduleItem(m)));
				for (const [, module] of this.controller.items) {
					for (const [, pkg] of module.children) {
						const subject = this.subjects.get(pkg);
						if (subject?.kind === 'package' && subject.resolved) await this.resolve(pkg);
					}
				}
			} catch {
				// No server runs, or it ends: its next start says that lists have changed.
			}
		};
		return (this.refreshing = this.refreshing.then(step));
	}

	/** Without a place: a click on that of a folder would leave the test explorer. */
	private moduleItem(m: TestedModule): vscode.TestItem {
		const item = this.controller.items.get(m.uri) ?? this.controller.createTestItem(m.uri, m.name);
		item.label = m.name;
		this.subjects.set(item, { kind: 'module', uri: m.uri });
		item.children.replace(m.packages.map((p) => this.packageItem(item, p)));
		return item;
	}

	private packageItem(module: vscode.TestItem, p: TestedPackage): vscode.TestItem {
		const before = module.children.get(p.uri);
		if (before) return before;
		const item = this.controller.createTestItem(p.uri, p.dir === '.' ? p.name.split('/').pop()! : p.dir);
		item.canResolveChildren = true;
		this.subjects.set(item, { kind: 'package', uri: p.uri, name: p.name, resolved: false });
		return item;
	}

	private testItem(pkg: vscode.TestItem, path: string, t: TestedEntry): vscode.TestItem {
		let item = pkg.children.get(t.name);
		const before = item && this.subjects.get(item);
		if (!item || item.uri?.toString() !== vscode.Uri.parse(t.uri).toString()) {
			item = this.controller.createTestItem(t.name, t.name, vscode.Uri.parse(t.uri));
		} else if (before?.kind === 'test' && outOfDate(before.entry.stands, t.stands)) {
			this.controller.invalidateTestResults(item);
		}
		item.description = t.line;
		item.busy = t.job !== '';
		item.sortText = `${t.uri} ${String(t.range.start.line).padStart(6, '0')}`;
		if (!vscode.extensions.getExtension('golang.go')) item.range = rangeOf(t.range);
		this.subjects.set(item, { kind: 'test', entry: t, pkg: path });
		return item;
	}

	/** Searches what was asked for, one job after the other. */
	private async run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
		const run = this.controller.createTestRun(request, 'Find failing schedule');
		try {
			const excluded = new Set(request.exclude ?? []);
			const all: vscode.TestItem[] = [];
			for (const item of request.include ?? [...this.controller.items].map(([, i]) => i)) {
				all.push(...await this.without(item, excluded));
			}
			const leaves = new Map<vscode.TestItem, vscode.TestItem[]>();
			for (const item of all) {
				leaves.set(item, await this.leavesOf(item));
				for (const leaf of leaves.get(item)!) run.enqueued(leaf);
			}
			for (const [item, tests] of leaves) {
				if (token.isCancellationRequested) break;
				await this.search(run, item, tests, token);
			}
		} finally {
			run.end();
		}
	}

	/** The item, or, if some of it is excluded, what remains of it. */
	private async without(item: vscode.TestItem, excluded: Set<vscode.TestItem>): Promise<vscode.TestItem[]> {
		if (excluded.has(item)) return [];
		if (![...excluded].some((e) => isBelow(e, item))) return [item];
		await this.resolve(item);
		const parts = [...item.children].map(([, child]) => this.without(child, excluded));
		return (await Promise.all(parts)).flat();
	}

	private async leavesOf(item: vscode.TestItem): Promise<vscode.TestItem[]> {
		const subject = this.subjects.get(item);
		if (subject?.kind === 'test') return [item];
		if (subject?.kind === 'package') await this.resolve(item);
		const parts = [...item.children].map(([, child]) => this.leavesOf(child));
		return (await Promise.all(parts)).flat();
	}

	private async search(run: vscode.TestRun, item: vscode.TestItem, tests: vscode.TestItem[], token: vscode.CancellationToken): Promise<void> {
		const start = Date.now();
		for (const t of tests) run.started(t);
		try {
			const outcome = await this.jobs.run(this.client(), Commands.find, this.argOf(item), `hocket: find ${item.label}`, token) as Outcome & { report?: Report };
			if (outcome.status === 'cancelled') return;
			if (outcome.message) run.appendOutput(`${outcome.message}\r\n`);
			await this.publish(run, tests, outcome.report ?? {}, tests.length === 1 ? Date.now() - start : undefined);
		} catch (error) {
			const message = new vscode.TestMessage(error instanceof Error ? error.message : String(error));
			for (const t of tests) run.errored(t, message);
		}
	}

	private argOf(item: vscode.TestItem): object {
		const subject = this.subjects.get(item);
		const common = { show: false, wait: true };
		switch (subject?.kind) {
			case 'module':
				return { ...common, uri: `${subject.uri}/go.mod`, pattern: './...' };
			case 'package':
				return { ...common, uri: subject.uri };
			case 'test':
				return { ...common, uri: subject.entry.uri, entry: subject.entry.name };
		}
		throw new Error(`${item.label} is not there any more; refresh the tests`);
	}

	/** Tells what became of each test: its findings are its messages, at their places. */
	private async publish(run: vscode.TestRun, tests: vscode.TestItem[], report: Report, ms: number | undefined): Promise<void> {
		const params = { command: Commands.list, arguments: [{}] };
		const { findings = [] } = await this.client().sendRequest<ListAnswer>('workspace/executeCommand', params);
		const ids = new Set((report.findings ?? []).map((f) => f.id));
		for (const item of tests) {
			const subject = this.subjects.get(item);
			if (subject?.kind !== 'test') continue;
			const mine = (pkg: string, entry: string) => pkg === subject.pkg && (entry === item.id || entry.startsWith(`${item.id}/`));
			const found = findings.filter((f) => ids.has(f.id) && mine(f.package, f.entry));
			const target = (report.targets ?? []).find((t) => mine(t.package, t.entry));
			if (found.length > 0) run.failed(item, await Promise.all(found.map((f) => this.messageOf(f))), ms);
			else if (!target) run.skipped(item);
			else if (target.status === 'clean' || target.status === 'searched') run.passed(item, ms);
			else if (target.status === 'cut-short' || target.status === 'not-reached') run.skipped(item);
			else run.errored(item, new vscode.TestMessage(target.error || target.note || target.status), ms);
		}
	}

	private async messageOf(f: FindingItem): Promise<vscode.TestMessage> {
		const uri = f.location?.uri;
		const params = { command: Commands.explain, arguments: [{ id: f.id, open: false, ...(uri ? { uri } : {}) }] };
		let text: string | vscode.MarkdownString = f.headline;
		try {
			const { text: explained } = await this.client().sendRequest<{ text: string }>('workspace/executeCommand', params);
			text = new vscode.MarkdownString().appendText(f.headline).appendMarkdown(`\n\n${explained}`);
		} catch {
			// Its headline says what fails.
		}
		const message = new vscode.TestMessage(text);
		if (f.location) message.location = new vscode.Location(vscode.Uri.parse(f.location.uri), rangeOf(f.location.range));
		return message;
	}

	/** Debugs the first finding of the first test that has one. */
	private async debug(request: vscode.TestRunRequest): Promise<void> {
		const run = this.controller.createTestRun(request, 'Debug failing schedule', false);
		run.end(); // it is no test that passes or fails
		for (const item of request.include ?? []) {
			for (const leaf of await this.leavesOf(item)) {
				const subject = this.subjects.get(leaf);
				if (subject?.kind !== 'test' || subject.entry.findings.length === 0) continue;
				await vscode.commands.executeCommand(Commands.debug, { id: subject.entry.findings[0], uri: subject.entry.uri, show: true });
				return;
			}
		}
		void vscode.window.showInformationMessage('Hocket: there is no finding to debug; use Find failing schedule first.');
	}
}

/** What was said of a text does not hold for the next one. */
function outOfDate(before: Standing, now: Standing): boolean {
	return before !== now && (now === '' || now === 'changed' || now === 'older');
}

function isBelow(item: vscode.TestItem, above: vscode.TestItem): boolean {
	for (let i = item.parent; i; i = i.parent) if (i === above) return true;
	return false;
}

function rangeOf({ start, end }: TestedEntry['range']): vscode.Range {
	return new vscode.Range(start.line, start.character, end.line, end.character);
}
