/**
 * Questions about concurrent breakpoints: which, between what, and how.
 */

import * as vscode from 'vscode';
import type { Break, Candidate, EditArgs, Pending } from './protocol';
import { outcome } from './render';

/** What a pair's second place is to be. */
export type Partner = Candidate | 'here' | 'later';

/** "session.go:20" of a place. */
export function short(uri: string, line: number): string {
	return `${vscode.Uri.parse(uri).path.split('/').pop()}:${line + 1}`;
}

/** Whether its label says where it is. */
const told = (c: Candidate): boolean => c.label.includes(short(c.uri, c.range.start.line));

/** Lets the user choose the second place. here is the cursor's, if it can be one. */
export async function partner(pending: Pending, candidates: readonly Candidate[], here: string | undefined): Promise<Partner | undefined> {
	type Item = vscode.QuickPickItem & { partner?: Partner };
	const items: Item[] = candidates.map((c) => ({
		label: c.label,
		description: [told(c) ? '' : short(c.uri, c.range.start.line), c.kind].filter(Boolean).join(' · '),
		...(c.detail ? { detail: c.detail } : {}),
		partner: c,
	}));
	items.push({ label: '', kind: vscode.QuickPickItemKind.Separator });
	if (here) items.push({ label: '$(arrow-right) This line', description: here, partner: 'here' });
	items.push({ label: '$(list-selection) A line I choose', detail: 'Go to it, then Hocket: Pair With...', partner: 'later' });
	const picked = await vscode.window.showQuickPick(items, {
		title: `Pair ${pending.text} (${short(pending.uri, pending.range.start.line)}) with`,
		placeHolder: candidates.length > 0 ? 'Places that conflict with it, most suspicious first' : 'No place is known that conflicts with it',
		matchOnDescription: true,
		matchOnDetail: true,
	});
	return picked?.partner;
}

/** Lets the user choose a breakpoint, also where there is only one to look at. */
export async function which(all: readonly Break[], title: string): Promise<Break | undefined> {
	const items = all.map((b) => ({ label: named(b), description: b.off ? 'off' : outcome(b), detail: places(b), b }));
	return (await vscode.window.showQuickPick(items, { title, matchOnDetail: true }))?.b;
}

export function named(b: Break): string {
	return `${b.id}: ${b.sides.map((s) => s.text).join(' ↔ ')}`;
}

export function places(b: Break): string {
	return b.sides.map((s) => `${short(s.uri, s.range.start.line)} ${s.label}`.trim()).join(', ');
}

type Field = Omit<EditArgs, 'id' | 'uri'>;

interface Question {
	label: string;
	value: string;
	prompt: string;
	placeholder: string;
	/** The fields of a typed text, or what is wrong with it. */
	read(text: string): Field | string;
}

/** Lets the user choose what to change of a breakpoint, and change it. */
export async function edit(b: Break, save: (fields: Field) => Promise<unknown>): Promise<void> {
	const picked = await vscode.window.showQuickPick(
		questions(b).map((q) => ({ label: q.label, description: q.value || 'none', q })),
		{ title: `Edit concurrent breakpoint ${named(b)}` },
	);
	if (picked) await input(b, picked.q, save);
}

function questions(b: Break): Question[] {
	const first = b.order[0] ?? 1;
	return [
		{
			label: 'Condition', value: b.if, placeholder: 't1.s == t2.s',
			prompt: 'When it counts: a Go expression over the variables of side 1 (t1.x) and side 2 (t2.y); empty for always',
			read: (text) => ({ if: text }),
		},
		{
			label: 'Order', value: b.order.join(', ') || b.sides.map((s) => s.side).join(', '), placeholder: '2, 1',
			prompt: `Who goes on first, by the number of the side: now ${b.sides.find((s) => s.side === first)?.text ?? first}`,
			read: readOrder,
		},
		{
			label: 'Timeout', value: b.timeout, placeholder: '100ms',
			prompt: 'How long a side waits for the others, such as 100ms; empty for the default',
			read: (text) => ({ timeout: text }),
		},
	];
}

function readOrder(text: string): Field | string {
	const words = text.split(/[\s,;]+/).filter(Boolean);
	if (!words.every((w) => /^\d+$/.test(w))) return 'Numbers of sides, such as 2, 1';
	return { order: words.map(Number) };
}

/** An input box that stays open with what the server says is wrong. */
function input(b: Break, q: Question, save: (fields: Field) => Promise<unknown>): Promise<void> {
	const box = vscode.window.createInputBox();
	Object.assign(box, { title: `${q.label} of ${named(b)}`, value: q.value, prompt: q.prompt, placeholder: q.placeholder, ignoreFocusOut: true });
	return new Promise((resolve) => {
		box.onDidChangeValue(() => (box.validationMessage = undefined));
		box.onDidAccept(async () => {
			const fields = q.read(box.value.trim());
			if (typeof fields === 'string') {
				box.validationMessage = fields;
				return;
			}
			box.busy = true;
			try {
				await save(fields);
				box.hide();
			} catch (error) {
				box.validationMessage = error instanceof Error ? error.message : String(error);
			} finally {
				box.busy = false;
			}
		});
		box.onDidHide(() => {
			resolve();
			box.dispose();
		});
		box.show();
	});
}
