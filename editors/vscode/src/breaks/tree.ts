/**
 * The list "Concurrent Breakpoints" of the view Run and Debug: a line for each,
 * with a box to turn it off, and a line for each of its places below.
 */

import * as vscode from 'vscode';
import { named, short } from './ask';
import type { BreakActions } from './commands';
import type { Break, Side } from './protocol';
import { outcome } from './render';
import type { Breaks } from './state';

/** id is what commands of the list's menu look for. */
type Node = { id: string; b: Break; side?: Side };

export function breaksTree(breaks: Breaks, actions: BreakActions, failed: (error: unknown) => void): vscode.Disposable {
	const view = vscode.window.createTreeView<Node>('hocket.breakpoints', {
		manageCheckboxStateManually: true,
		treeDataProvider: {
			onDidChangeTreeData: breaks.onChange as vscode.Event<void>,
			getChildren: (node) => node
				? node.b.sides.map((side) => ({ id: node.b.id, b: node.b, side }))
				: breaks.all.map((b) => ({ id: b.id, b })),
			getTreeItem: (node) => (node.side ? ofSide(node.side) : ofBreak(node.b)),
		},
	});
	return vscode.Disposable.from(view, view.onDidChangeCheckboxState(({ items }) => {
		for (const [{ b }, state] of items) {
			actions.turn(b, state === vscode.TreeItemCheckboxState.Unchecked).catch(failed);
		}
	}));
}

function ofBreak(b: Break): vscode.TreeItem {
	const item = new vscode.TreeItem(named(b), vscode.TreeItemCollapsibleState.Collapsed);
	item.description = [b.if && `if ${b.if}`, outcome(b)].filter(Boolean).join(' · ');
	item.tooltip = new vscode.MarkdownString(b.hover);
	item.checkboxState = b.off ? vscode.TreeItemCheckboxState.Unchecked : vscode.TreeItemCheckboxState.Checked;
	item.contextValue = 'break';
	return item;
}

function ofSide(side: Side): vscode.TreeItem {
	const { start, end } = side.range;
	const item = new vscode.TreeItem(`${side.side}  ${side.text}`);
	item.description = [short(side.uri, start.line), side.label, side.lost && 'lost'].filter(Boolean).join(' · ');
	if (side.lost) item.tooltip = side.lost;
	item.command = {
		command: 'vscode.open', title: 'Go to',
		arguments: [vscode.Uri.parse(side.uri), { selection: new vscode.Range(start.line, start.character, end.line, end.character) }],
	};
	return item;
}
