/**
 * The list of findings in its own place of the activity bar: red fails, grey is of
 * another text, green is proved or mended. The badge counts what is open.
 */

import * as vscode from 'vscode';
import type { Jobs } from '../jobs';
import { Commands } from '../protocol';
import type { Standing } from './protocol';
import { open, rows, type Row } from './render';
import type { Known } from './state';

/** What commands of a row's menu get. */
export type FindingRow = Pick<Row, 'finding'>;

export function findingsTree(known: Known, jobs: Jobs): vscode.TreeView<Row> {
	const view = vscode.window.createTreeView<Row>('hocket.findings', {
		showCollapseAll: true,
		treeDataProvider: {
			onDidChangeTreeData: known.onChange as vscode.Event<void>,
			getChildren: (row) => row ? row.children ?? [] : rows(known.list),
			getTreeItem: itemOf,
		},
	});
	known.onChange(() => {
		const n = open(known.list).length;
		view.badge = n > 0 ? { value: n, tooltip: n === 1 ? '1 open finding' : `${n} open findings` } : undefined;
		const fixed = (known.list.findings ?? []).filter((f) => f.stands === 'fixed').length;
		void vscode.commands.executeCommand('setContext', 'hocket.fixedCount', fixed);
	});
	jobs.onChange(() => {
		const [first] = jobs.all;
		view.message = first ? `${first.title.replace(/^hocket: /, '')}: ${first.message || 'starting'}` : '';
	});
	return view;
}

const looks: Record<Standing, [icon: string, colour: string]> = {
	failing: ['error', 'testing.iconFailed'],
	changed: ['history', 'disabledForeground'],
	older: ['circle-slash', 'disabledForeground'],
	searched: ['circle-outline', 'disabledForeground'],
	fixed: ['pass', 'testing.iconPassed'],
	proved: ['pass-filled', 'testing.iconPassed'],
	'': ['circle-outline', 'disabledForeground'],
};

function itemOf(row: Row): vscode.TreeItem {
	const { Expanded, None } = vscode.TreeItemCollapsibleState;
	const item = new vscode.TreeItem(row.label, row.children ? Expanded : None);
	item.id = row.key;
	item.description = row.description;
	item.tooltip = row.tooltip;
	item.accessibilityInformation = { label: [row.label, said[row.look], row.description].filter(Boolean).join(', ') };
	if (row.children) {
		item.iconPath = new vscode.ThemeIcon('package');
		return item;
	}
	const [icon, colour] = looks[row.look] ?? looks[''];
	item.iconPath = new vscode.ThemeIcon(icon, new vscode.ThemeColor(colour));
	if (row.finding) {
		item.contextValue = row.finding.stands === 'fixed' ? 'fixed' : 'finding';
		item.command = { command: 'hocket.findingGo', title: 'Go to', arguments: [row] };
	} else if (row.verdict?.location) {
		const { uri, range: { start, end } } = row.verdict.location;
		item.command = {
			command: 'vscode.open', title: 'Go to',
			arguments: [vscode.Uri.parse(uri), { selection: new vscode.Range(start.line, start.character, end.line, end.character) }],
		};
	}
	return item;
}

/** A colour, for those who hear it. */
const said: Record<Standing, string> = {
	failing: 'fails', changed: 'changed since found', older: 'of an older version', searched: 'no failure found',
	fixed: 'no longer fails', proved: 'proved', '': '',
};

/** The argument with which the server's commands take the finding of a row. */
export function argOf({ finding: f }: FindingRow): { id: string; uri?: string; show: boolean } {
	if (!f) throw new Error(`use it on a finding in the list, or ${Commands.list}`);
	return { id: f.id, ...(f.location ? { uri: f.location.uri } : {}), show: true };
}
