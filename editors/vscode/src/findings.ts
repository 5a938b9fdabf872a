/**
 * The findings of a module as a list to choose from.
 */

import * as vscode from 'vscode';
import type { FindingItem } from './protocol';

const states: Record<FindingItem['state'], string> = {
	current: '',
	changed: 'changed since found',
	older: 'of an older version',
	fixed: 'a search of the changed text ended without it',
};

const explain: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('book'), tooltip: 'Explain' };
const replay: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('debug-rerun'), tooltip: 'Replay' };

interface Item extends vscode.QuickPickItem {
	finding: FindingItem;
}

export interface Choice {
	finding: FindingItem;
	/** What was chosen: the line itself, or one of its buttons. */
	action: 'pick' | 'explain' | 'replay';
}

/** Lets the user choose; undefined if they do not. */
export function choose(findings: readonly FindingItem[], title: string, buttons: boolean): Promise<Choice | undefined> {
	const pick = vscode.window.createQuickPick<Item>();
	pick.title = title;
	pick.placeholder = findings.length === 1 ? '1 finding' : `${findings.length} findings`;
	pick.matchOnDescription = true;
	pick.matchOnDetail = true;
	pick.items = findings.map((f) => item(f, buttons));
	return new Promise((resolve) => {
		const settle = (choice: Choice | undefined) => {
			resolve(choice);
			pick.hide();
		};
		pick.onDidAccept(() => {
			const chosen = pick.selectedItems[0];
			settle(chosen && { finding: chosen.finding, action: 'pick' });
		});
		pick.onDidTriggerItemButton((e) => {
			settle({ finding: e.item.finding, action: e.button === explain ? 'explain' : 'replay' });
		});
		pick.onDidHide(() => {
			resolve(undefined);
			pick.dispose();
		});
		pick.show();
	});
}

function item(f: FindingItem, buttons: boolean): Item {
	const detail = [
		f.replay && `replays ${f.replay.failed} of ${f.replay.runs}`,
		f.level,
		states[f.state] ?? f.state,
		f.id,
	].filter(Boolean);
	return {
		finding: f,
		label: f.headline,
		description: `${f.package} ${f.entry}`,
		detail: detail.join(' · '),
		buttons: buttons ? [explain, replay] : [],
	};
}

/** Shows where a finding is. */
export async function jump(f: FindingItem): Promise<void> {
	if (!f.location) {
		void vscode.window.showInformationMessage(`Hocket: finding ${f.id} has no place in a file of this module.`);
		return;
	}
	const { start, end } = f.location.range;
	await vscode.window.showTextDocument(vscode.Uri.parse(f.location.uri), {
		selection: new vscode.Range(start.line, start.character, end.line, end.character),
	});
}
