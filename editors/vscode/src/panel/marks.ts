/**
 * What the editors show of the current step: its line, what happened there, the values
 * seen before, and where the other goroutines are.
 */

import * as vscode from 'vscode';
import type { Step } from './protocol';
import type { Walk } from './walk';

/** So many lines show values that were seen before. */
const maxValues = 12;
/** Longer texts would push the code out of sight. */
const maxText = 70;

const colour = (name: string) => new vscode.ThemeColor(name);

export class StepMarks implements vscode.Disposable {
	private readonly current = vscode.window.createTextEditorDecorationType({
		isWholeLine: true,
		backgroundColor: colour('editor.stackFrameHighlightBackground'),
		overviewRulerColor: colour('editorOverviewRuler.rangeHighlightForeground'),
		overviewRulerLane: vscode.OverviewRulerLane.Full,
		after: { margin: '0 0 0 3em', color: colour('editorInlayHint.foreground'), fontWeight: '600' },
	});
	private readonly values = vscode.window.createTextEditorDecorationType({
		after: { margin: '0 0 0 3em', color: colour('editorCodeLens.foreground') },
	});
	private readonly elsewhere = vscode.window.createTextEditorDecorationType({
		isWholeLine: true,
		backgroundColor: colour('editor.inactiveSelectionBackground'),
		opacity: '0.6',
		after: { margin: '0 0 0 3em', color: colour('editorCodeLens.foreground'), fontStyle: 'italic' },
	});

	/** Shows the current step in all editors that are open on its files. */
	draw(walk: Walk): void {
		for (const editor of vscode.window.visibleTextEditors) this.drawIn(editor, walk);
	}

	private drawIn(editor: vscode.TextEditor, walk: Walk): void {
		const uri = editor.document.uri.toString();
		const s = walk.current;
		const same = (other: string) => other === uri || vscode.Uri.parse(other).toString() === uri;
		const here = s?.location && same(s.location.uri) ? [s.location.range.start.line] : [];
		const others = new Map<number, string[]>();
		for (const e of s?.elsewhere ?? []) {
			const { line } = e.location.range.start;
			if (same(e.location.uri) && !here.includes(line)) others.set(line, [...(others.get(line) ?? []), e.goroutine]);
		}
		const seen = s?.location ? walk.valuesIn(s.location.uri, maxValues).filter((v) => same(s.location!.uri) && !here.includes(v.line) && !others.has(v.line)) : [];
		editor.setDecorations(this.current, here.map((line) => after(editor, line, s ? told(s) : '')));
		editor.setDecorations(this.values, seen.map((v) => after(editor, v.line, v.text)));
		editor.setDecorations(this.elsewhere, [...others].map(([line, names]) => after(editor, line, `${names.join(', ')} ${names.length > 1 ? 'are' : 'is'} here`)));
	}

	clear(): void {
		for (const editor of vscode.window.visibleTextEditors) {
			for (const type of [this.current, this.values, this.elsewhere]) editor.setDecorations(type, []);
		}
	}

	dispose(): void {
		for (const type of [this.current, this.values, this.elsewhere]) type.dispose();
	}
}

function told(s: Step): string {
	return s.differs && s.other ? `${s.goroutine}: ${s.happens}   (passing run: ${s.other})` : `${s.goroutine}: ${s.happens}`;
}

function after(editor: vscode.TextEditor, line: number, text: string): vscode.DecorationOptions {
	const at = Math.min(line, editor.document.lineCount - 1);
	const short = text.length > maxText ? `${text.slice(0, maxText - 1)}…` : text;
	return { range: editor.document.lineAt(at).range, renderOptions: { after: { contentText: short } } };
}
