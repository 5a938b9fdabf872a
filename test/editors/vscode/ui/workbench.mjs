// VS Code's window, in the words of a person who uses it.
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(path.join(process.env.TOOLS, 'package.json'));
const { chromium } = require('playwright-core');

export function launch() {
	return chromium.launch({
		executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
		args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
			'--disable-background-networking', '--disable-component-update', '--disable-sync'],
	});
}

export class Workbench {
	constructor(page) {
		this.page = page;
		page.setDefaultTimeout(120_000);
	}

	/** Opens a folder and answers the question whether its authors are trusted. */
	async open(url, trust) {
		await this.page.goto(url, { timeout: 240_000 });
		await this.page.waitForSelector('.monaco-workbench', { timeout: 240_000 });
		const dialog = this.page.locator('.monaco-dialog-box', { hasText: 'trust' });
		await dialog.locator('.monaco-button', { hasText: trust ? 'Yes' : 'No' }).first().click({ timeout: 240_000 });
		await dialog.waitFor({ state: 'detached' });
	}

	async openFile(name) {
		const row = this.page.locator('.explorer-folders-view .monaco-list-row').filter({ has: this.page.getByText(name, { exact: true }) });
		await row.dblclick();
		await this.page.locator('.tab.active', { hasText: name }).waitFor();
		await this.page.locator('.editor-group-container.active .monaco-editor .view-line').first().waitFor();
	}

	/** Opens a file by its name, wherever it is in the folder. */
	async quickOpen(name) {
		const input = await this.#paletteInput();
		await input.fill(name);
		await this.rows(name).first().click();
		await this.page.locator('.tab.active', { hasText: name }).waitFor();
		await this.page.locator('.editor-group-container.active .monaco-editor .view-line').first().waitFor();
	}

	/** Puts the cursor into the line that holds the text. */
	async cursorAt(text) {
		await this.page.keyboard.press('Escape');
		await this.page.locator('.editor-group-container.active .view-line', { hasText: text }).first().click({ position: { x: 90, y: 8 } });
	}

	/** Types into the input box that is open, and accepts. */
	async type(text) {
		const input = this.page.locator('.quick-input-widget input').first();
		await input.fill(text);
		await input.press('Enter');
	}

	/** The marks of concurrent breakpoints in the gutter, by line. */
	async marks() {
		return this.page.evaluate(() => {
			const editor = document.querySelector('.editor-group-container.active .monaco-editor');
			const top = (e) => Math.round(e.getBoundingClientRect().top);
			const numbers = new Map([...editor.querySelectorAll('.line-numbers')].map((e) => [top(e), Number(e.textContent)]));
			const found = [];
			for (const e of editor.querySelectorAll('.glyph-margin-widgets > *, .margin-view-overlays .cgmr')) {
				const svg = decodeURIComponent(/url\("data:image\/svg\+xml,(.*)"\)/.exec(getComputedStyle(e).backgroundImage)?.[1] ?? '').replaceAll('\\', '');
				if (!svg) continue;
				const look = svg.includes('opacity') ? 'off' : svg.includes('<path') ? 'lost' : svg.includes('dasharray') ? 'pending'
					: svg.includes('fill="none"') ? 'later' : 'first';
				found.push({ line: numbers.get(top(e)), look, label: />([^<>]+)<\/text>/.exec(svg)[1] });
			}
			return found.sort((a, b) => a.line - b.line);
		});
	}

	/** The texts that extensions put after lines. */
	async afterTexts() {
		return this.page.evaluate(() => [...document.querySelectorAll('.editor-group-container.active .view-line')].flatMap((line) =>
			[...line.querySelectorAll('span')].map((e) => getComputedStyle(e, '::after').content).filter((c) => /^".+"$/.test(c))
				.map((c) => ({ text: line.textContent.replaceAll('\u00a0', ' '), after: JSON.parse(c) }))));
	}

	#number(line) {
		return this.page.locator('.editor-group-container.active .line-numbers', { hasText: new RegExp(`^\\s*${line}\\s*$`) }).first();
	}

	/** An entry of the menu of a line's number. */
	async lineMenu(line, entry) {
		const item = this.page.locator('.monaco-menu .action-label', { hasText: entry }).first();
		await this.#number(line).click({ button: 'right' });
		await item.waitFor();
		// A menu that has only just opened takes no click, lest it be one by mistake.
		await until('the menu takes the click', async () => {
			await item.click({ timeout: 1000 }).catch(() => {});
			return item.waitFor({ state: 'hidden', timeout: 2000 }).then(() => true, () => false);
		});
	}

	/** Runs a command by the palette. F1 is swallowed while a popup has the focus. */
	async palette(command) {
		const input = await this.#paletteInput();
		await input.fill(`>${command}`); // not typed: keys could land in the text
		await this.rows(command).first().click();
	}

	/** Whether the palette offers a command. */
	async offers(command) {
		const input = await this.#paletteInput();
		await input.fill(`>${command}`);
		await this.page.locator('.quick-input-widget .monaco-list-row').first().waitFor();
		const offered = await this.rows(command).count() > 0;
		await this.page.keyboard.press('Escape');
		return offered;
	}

	rows(text) {
		return this.page.locator('.quick-input-widget .monaco-list-row', { hasText: text });
	}

	async #paletteInput() {
		const input = this.page.locator('.quick-input-widget input').first();
		for (let i = 0; ; i++) {
			await this.page.keyboard.press('Escape');
			await this.page.keyboard.press('F1');
			try {
				await input.waitFor({ state: 'visible', timeout: 3000 });
				return input;
			} catch (error) {
				if (i > 5) throw error;
			}
		}
	}

	/** The line of a quick pick, once the list, which slides in, has come to rest. */
	async pick(text) {
		const row = this.rows(text).first();
		await row.waitFor();
		for (let before; ; ) {
			const box = await row.boundingBox();
			if (before && box && box.y === before.y) break;
			before = box;
			await this.page.waitForTimeout(300);
		}
		await row.click();
	}

	/** A link of the lenses above the function. */
	lens(func, title) {
		// The lenses of one line share a widget; which, their place says.
		return this.page.locator('.codelens-decoration a', { hasText: title }).and(this.page.locator(`[data-hocket="${func}"]`));
	}

	/** The lenses by function: the widget right above a line belongs to it. */
	async lenses() {
		return this.page.evaluate(() => {
			const top = (e) => e.getBoundingClientRect().top;
			const found = {};
			for (const editor of document.querySelectorAll('.editor-group-container .monaco-editor')) {
				const lines = [...editor.querySelectorAll('.view-line')]
					.map((e) => ({ top: top(e), name: /^func\s(\w+)\(/.exec(e.textContent.replaceAll('\u00a0', ' '))?.[1] }))
					.filter((l) => l.name).sort((a, b) => a.top - b.top);
				for (const widget of editor.querySelectorAll('.codelens-decoration')) {
					const line = lines.find((l) => l.top > top(widget));
					if (!line) continue;
					const links = [...widget.querySelectorAll('a')];
					for (const a of links) a.setAttribute('data-hocket', line.name);
					found[line.name] = links.map((a) => a.textContent);
				}
			}
			return found;
		});
	}

	async waitLens(func, title, timeout = 60_000) {
		return until(`lens ${title} above ${func}`, async () => (await this.lenses())[func]?.find((t) => title.test(t)), timeout);
	}

	async clickLens(func, title) {
		await until(`a click on lens ${title} above ${func}`, async () => {
			await this.waitLens(func, title, 5000);
			await this.lens(func, title).first().click({ timeout: 2000 });
			return true;
		});
	}

	notification(text) {
		return this.page.locator('.notifications-toasts .notification-list-item, .notifications-center .notification-list-item', { hasText: text }).first();
	}

	/** Puts the mouse over a word of the line that holds the text. */
	async hoverOver(text) {
		const line = this.page.locator('.editor-group-container.active .view-line', { hasText: text }).first();
		const box = await line.locator('span span').last().boundingBox();
		const y = box.y + box.height / 2;
		await this.page.mouse.move(box.x + box.width + 60, y + 200);
		await this.page.mouse.move(box.x + box.width / 2, y);
		await this.page.mouse.move(box.x + box.width / 2 + 3, y, { steps: 3 });
	}

	get hover() {
		return this.page.locator('.monaco-resizable-hover, .monaco-hover').filter({ hasText: 'passing' }).first();
	}
}

/** Calls f until it answers something true; an error counts as not yet. */
export async function until(what, f, ms = 60_000) {
	const start = Date.now();
	for (;;) {
		let last;
		try {
			const v = await f();
			if (v) return v;
		} catch (error) {
			last = error;
		}
		if (Date.now() - start > ms) throw new Error(`waited ${ms} ms for: ${what}${last ? ` (${last.message})` : ''}`);
		await new Promise((r) => setTimeout(r, 50));
	}
}
