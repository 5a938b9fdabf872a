/**
 * The marks in the editors: an icon in the gutter, and text after the line. VS
 * Code lets extensions show no hover in the gutter: it is on the text, and on the
 * statement the server answers it.
 */

import * as vscode from 'vscode';
import { icon, marksOf, type Mark } from './render';
import type { Breaks } from './state';

export class Marks implements vscode.Disposable {
	/** One for each picture that was ever drawn, by look and label. */
	private readonly icons = new Map<string, vscode.TextEditorDecorationType>();
	private readonly texts = vscode.window.createTextEditorDecorationType({
		after: { color: new vscode.ThemeColor('editorCodeLens.foreground'), margin: '0 0 0 2em', fontStyle: 'italic' },
		rangeBehavior: vscode.DecorationRangeBehavior.ClosedOpen,
	});
	private readonly subscriptions: vscode.Disposable;

	constructor(private readonly breaks: Breaks) {
		this.subscriptions = vscode.Disposable.from(
			breaks.onChange(() => this.drawAll()),
			vscode.window.onDidChangeVisibleTextEditors(() => this.drawAll()),
			vscode.window.onDidChangeActiveTextEditor(() => this.tellLines()),
		);
	}

	/** The lines, from 1, for which the gutter's menu offers more. */
	private tellLines(): void {
		const uri = vscode.window.activeTextEditor?.document.uri.toString() ?? '';
		const lines = marksOf(this.breaks.byModule, uri).filter((m) => m.look !== 'pending').map((m) => m.line + 1);
		void vscode.commands.executeCommand('setContext', 'hocket.breakLines', lines);
	}

	private drawAll(): void {
		for (const editor of vscode.window.visibleTextEditors) {
			if (editor.document.languageId === 'go') this.draw(editor);
		}
		this.tellLines();
	}

	private draw(editor: vscode.TextEditor): void {
		const { document } = editor;
		// The server learns of an edit a moment later than we do.
		const marks = marksOf(this.breaks.byModule, document.uri.toString()).filter((m) => m.line < document.lineCount);
		const byIcon = new Map<vscode.TextEditorDecorationType, vscode.DecorationOptions[]>();
		for (const m of marks) {
			const type = this.iconOf(m);
			byIcon.set(type, [...(byIcon.get(type) ?? []), { range: new vscode.Range(m.line, 0, m.line, 0) }]);
		}
		for (const type of this.icons.values()) editor.setDecorations(type, byIcon.get(type) ?? []);
		editor.setDecorations(this.texts, marks.filter((m) => m.text).map((m) => {
			const { end } = document.lineAt(m.line).range;
			const hoverMessage = new vscode.MarkdownString(m.hover);
			return { range: new vscode.Range(end, end), hoverMessage, renderOptions: { after: { contentText: m.text } } };
		}));
	}

	private iconOf({ look, label }: Mark): vscode.TextEditorDecorationType {
		const key = `${look} ${label}`;
		let type = this.icons.get(key);
		if (!type) {
			const path = (theme: 'dark' | 'light') => ({ gutterIconPath: vscode.Uri.parse(icon(look, label, theme)), gutterIconSize: 'contain' });
			const quiet = look === 'off' || look === 'pending';
			type = vscode.window.createTextEditorDecorationType({
				dark: path('dark'),
				light: path('light'),
				...(quiet ? {} : { overviewRulerColor: new vscode.ThemeColor('charts.purple'), overviewRulerLane: vscode.OverviewRulerLane.Left }),
			});
			this.icons.set(key, type);
		}
		return type;
	}

	dispose(): void {
		vscode.Disposable.from(this.subscriptions, this.texts, ...this.icons.values()).dispose();
	}
}
