// What is to be read is in view: the hover of a finding and the list of findings, in
// narrow and in wide windows, dark and light. The finding is made before, by the command.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { follow, set } from './api.mjs';
import { Shots } from './shots.mjs';
import { until } from './workbench.mjs';

const { HOCKET } = process.env;
const search = 300_000;

export async function looksLayer({ test, server, workbench: w, folder }) {
	const { page } = w;
	let out;
	const shots = new Shots(w, (changes) => set(out, changes));
	const step = (name, run) => test(`looks: ${name}`, run, page);
	const box = async (locator) => {
		const { x, y, width, height } = await locator.boundingBox();
		return { left: x, top: y, right: x + width, bottom: y + height };
	};
	/** Puts the mouse onto what is underlined. */
	const hover = async () => {
		await page.mouse.move(900, 700);
		// It is drawn anew when the window has another size.
		const at = await until('the underlined text', () => box(page.locator('.squiggly-warning').first()));
		await page.mouse.move(at.left + 8, at.top + 4);
		await page.mouse.move(at.left + 12, at.top + 6, { steps: 3 });
		await w.hover.waitFor();
	};

	const found = await step('a finding is there', async () => {
		await promisify(execFile)(HOCKET, ['find', '-budget', '200s', '-run', 'TestGet', '.'], { cwd: folder, timeout: search })
			.catch((e) => assert.equal(e.code, 1, e.stderr));
		({ out } = await follow(folder, false, () => w.open(server.url(folder), true)));
		await w.quickOpen('pool.go');
		await page.keyboard.press('Control+g');
		await w.type(':50');
		await page.locator('.squiggly-warning').first().waitFor();
	});
	if (!found) return;

	for (const width of [1100, 1600]) {
		await step(`the hover at ${width} pixels: sentence and table in view, nothing cut`, async () => {
			await page.setViewportSize({ width, height: 800 });
			await hover();
			const table = w.hover.locator('table').first();
			const outer = await box(w.hover);
			const inner = await box(table);
			await shots.both(`looks-hover-${width}`, hover);
			const cut = [inner.left < outer.left && 'left', inner.right > outer.right && 'right', inner.bottom > outer.bottom && 'bottom'].filter(Boolean);
			assert.deepEqual(cut, [], `the table (${JSON.stringify(inner)}) is cut by the hover (${JSON.stringify(outer)})`);
			return `table ${Math.round(inner.right - inner.left)} of ${Math.round(outer.right - outer.left)} px`;
		});
	}

	await step('the list of findings in a narrow window', async () => {
		await page.setViewportSize({ width: 1100, height: 800 });
		await page.keyboard.press('Escape');
		await page.locator('.activitybar .action-item').filter({ has: page.locator('[aria-label^="Hocket"]') }).first().click();
		const row = page.locator('[id="workbench.view.extension.hocket"] .monaco-list-row', { hasText: 'index out of range' }).first();
		await row.waitFor();
		await until('its row is as wide as the list', async () => (await row.boundingBox()).width > 150);
		await shots.both('looks-list-1100');
	});
}
