/**
 * What can be done about the findings of a lens, a quick fix or the cursor, as a
 * list to choose from.
 */

import * as vscode from 'vscode';
import type { Choice, ChooseAnswer } from './protocol';

interface Item extends vscode.QuickPickItem {
	choice?: Choice;
}

/** Lets the user choose; undefined if they do not. */
export async function chooseAction(answer: ChooseAnswer): Promise<Choice | undefined> {
	const items: Item[] = [];
	const several = new Set(answer.choices.map((c) => c.about).filter(Boolean)).size > 1;
	let about: string | undefined;
	for (const choice of answer.choices) {
		if (several && choice.about !== about) {
			about = choice.about;
			const label = [about, choice.state].filter(Boolean).join(' · ');
			items.push({ label, kind: vscode.QuickPickItemKind.Separator });
		}
		// With several findings, typing a finding's name leaves its own choices.
		items.push({ label: choice.title, ...(several && choice.about ? { description: choice.about } : {}), choice });
	}
	const chosen = await vscode.window.showQuickPick(items, { title: `Hocket: ${answer.title}`, matchOnDescription: true });
	return chosen?.choice;
}
